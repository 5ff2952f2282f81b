UPDATE brokerage.security_search SET sector = $2, pe = $3, yield = $4, name = $5, type = $6, pe_text = $7, yield_text = $8
WHERE symbol = $1

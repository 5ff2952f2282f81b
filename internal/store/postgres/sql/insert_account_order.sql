INSERT INTO brokerage.account_orders (account, id, cash, cash_text) VALUES ($1, $2, $3, $4)

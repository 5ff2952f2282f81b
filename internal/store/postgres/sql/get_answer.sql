SELECT hash, answer, expires FROM brokerage.answers WHERE client = $1 AND key = $2

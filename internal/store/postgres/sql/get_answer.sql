SELECT hash, answer, expires FROM brokerage.answers WHERE slot = $1 AND client = $2 AND key = $3

SELECT value FROM brokerage.settings WHERE name = $1

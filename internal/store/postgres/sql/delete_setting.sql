DELETE FROM brokerage.settings WHERE name = $1

DELETE FROM brokerage.orders WHERE home = $1 AND id = $2

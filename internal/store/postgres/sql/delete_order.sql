DELETE FROM brokerage.orders WHERE (keys).id = $1

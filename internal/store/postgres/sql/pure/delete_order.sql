DELETE FROM brokerage.orders WHERE id = $1

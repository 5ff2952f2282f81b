DELETE FROM brokerage.order_homes WHERE id = $1 RETURNING home

DELETE FROM brokerage.order_homes WHERE id = $1 AND home = $2 RETURNING id

INSERT INTO brokerage.order_homes (id, home) VALUES ($1, $2)

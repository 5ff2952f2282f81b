SELECT home FROM brokerage.order_homes WHERE id = $1

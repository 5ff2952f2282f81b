package workload

import "brokerage/internal/tpox"

var _ = known(&Transaction{
	Transaction: tpox.Named("customer_max_order"),
	draw:        drawCustomer,
	request:     get("/v1/customers/{id}/orders/largest"),
	execute:     queryByID(tpox.Store.CustomerMaxOrder),
	key:         `"{id}"`,
})

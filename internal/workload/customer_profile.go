package workload

import "brokerage/internal/tpox"

var customerProfile = known(&Transaction{
	Transaction: tpox.Named("customer_profile"),
	draw:        drawCustomer,
	request:     get("/v1/customers/{id}/profile"),
	execute:     queryByID(tpox.Store.CustomerProfile),
	key:         `"{id}"`,
})

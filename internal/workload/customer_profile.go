package workload

import "brokerage/internal/brokerage"

var customerProfile = &Transaction{
	Transaction: brokerage.Named("customer_profile"),
	draw:        drawCustomer,
	request:     get("/v1/customers/{id}/profile"),
	execute:     queryByID(brokerage.Store.CustomerProfile),
	key:         text(`"{id}"`),
}

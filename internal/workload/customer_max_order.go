package workload

import "brokerage/internal/brokerage"

var customerMaxOrder = &Transaction{
	Transaction: brokerage.Named("customer_max_order"),
	draw:        drawCustomer,
	request:     get("/v1/customers/{id}/orders/largest"),
	execute:     queryByID(brokerage.Store.CustomerMaxOrder),
	key:         text(`"{id}"`),
}

package workload

import "brokerage/internal/brokerage"

var accountSummary = &Transaction{
	Transaction: brokerage.Named("account_summary"),
	draw:        drawCustomer,
	request:     get("/v1/customers/{id}/statement"),
	execute:     queryByID(brokerage.Store.AccountSummary),
	key:         text(`"{id}"`),
}

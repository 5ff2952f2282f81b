package workload

import "brokerage/internal/tpox"

var _ = known(&Transaction{
	Transaction: tpox.Named("account_summary"),
	draw:        drawCustomer,
	request:     get("/v1/customers/{id}/statement"),
	execute:     queryByID(tpox.Store.AccountSummary),
	key:         `"{id}"`,
})

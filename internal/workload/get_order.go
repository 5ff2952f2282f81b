package workload

import "brokerage/internal/tpox"

var getOrder = known(&Transaction{
	Transaction: tpox.Named("get_order"),
	draw:        drawOrder,
	request:     get("/v1/orders/{id}"),
	execute:     queryByID(tpox.Store.GetOrder),
	key:         `"{id}"`,
})

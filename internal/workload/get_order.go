package workload

import "brokerage/internal/brokerage"

var getOrder = &Transaction{
	Transaction: brokerage.Named("get_order"),
	draw:        drawOrder,
	request:     get("/v1/orders/{id}"),
	execute:     queryByID(brokerage.Store.GetOrder),
	key:         text(`"{id}"`),
}

package workload

import "brokerage/internal/brokerage"

var getOrder = &Transaction{
	Transaction: brokerage.Named("get_order"),
	draw:        drawOrder,
	method:      "GET",
	path:        text("/v1/orders/{id}"),
	execute:     queryByID(brokerage.Store.GetOrder),
	key:         text(`"{id}"`),
}

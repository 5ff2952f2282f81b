package workload

import "brokerage/internal/brokerage"

var getSecurity = &Transaction{
	Transaction: brokerage.Named("get_security"),
	draw:        drawSymbol,
	method:      "GET",
	path:        text("/v1/securities/{symbol}"),
	execute:     queryBySymbol(brokerage.Store.GetSecurity),
	key:         text(">{symbol}<"),
}

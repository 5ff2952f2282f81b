package workload

import "brokerage/internal/brokerage"

var getSecurity = &Transaction{
	Transaction: brokerage.Named("get_security"),
	draw:        drawSymbol,
	request:     get("/v1/securities/{symbol}"),
	execute:     queryBySymbol(brokerage.Store.GetSecurity),
	key:         text(">{symbol}<"),
}

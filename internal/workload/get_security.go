package workload

import "brokerage/internal/tpox"

var _ = known(&Transaction{
	Transaction: tpox.Named("get_security"),
	draw:        drawSymbol,
	request:     get("/v1/securities/{symbol}"),
	execute:     queryBySymbol(tpox.Store.GetSecurity),
	key:         ">{symbol}<",
})

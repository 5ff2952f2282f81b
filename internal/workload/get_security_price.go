package workload

import "brokerage/internal/tpox"

var _ = known(&Transaction{
	Transaction: tpox.Named("get_security_price"),
	draw:        drawSymbol,
	request:     get("/v1/securities/{symbol}/price"),
	execute:     queryBySymbol(tpox.Store.SecurityPrice),
	key:         `"{symbol}"`,
})

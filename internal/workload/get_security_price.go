package workload

import "brokerage/internal/brokerage"

var getSecurityPrice = &Transaction{
	Transaction: brokerage.Named("get_security_price"),
	draw:        drawSymbol,
	request:     get("/v1/securities/{symbol}/price"),
	execute:     queryBySymbol(brokerage.Store.SecurityPrice),
	key:         text(`"{symbol}"`),
}

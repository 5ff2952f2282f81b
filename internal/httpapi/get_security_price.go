package httpapi

import (
	"net/http"

	"brokerage/internal/access"
)

var getSecurityPrice = &operation{
	name: "get_security_price", method: http.MethodGet, path: "/v1/securities/:symbol/price", scope: access.Read,
	handle: (*request).getSecurityPrice,
}

func (q *request) getSecurityPrice() error {
	symbol, err := q.symbol()
	return read(q, symbol, err, q.server.store.SecurityPrice, q.answer)
}

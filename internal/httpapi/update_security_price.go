package httpapi

import (
	"net/http"

	"brokerage/internal/access"
	"brokerage/internal/brokerage"
)

var updateSecurityPrice = &operation{
	name: "update_security_price", method: http.MethodPut, path: "/v1/securities/:symbol/price", scope: access.Trade,
	handle: (*request).updateSecurityPrice,
}

func (q *request) updateSecurityPrice() error {
	symbol, err := q.symbol()
	return change(q, symbol, err, brokerage.ReadPrice, q.server.store.UpdateSecurityPrice)
}

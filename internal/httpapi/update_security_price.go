package httpapi

import (
	"net/http"

	"brokerage/internal/access"
	"brokerage/internal/tpox"
)

var _ = transaction(&operation{
	name: "update_security_price", method: http.MethodPut, path: "/v1/securities/:symbol/price", scope: access.Trade,
	links:  describedBy("security-messages.xsd"),
	handle: change((*request).symbol, (*request).updateSecurityPrice),
})

func (q *request) updateSecurityPrice(w tpox.Write, symbol string, body []byte) ([]byte, error) {
	price, err := tpox.ReadPrice(body)
	if err != nil {
		return nil, err
	}
	return q.store.UpdateSecurityPrice(q.ctx, w, symbol, price)
}

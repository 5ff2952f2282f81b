package httpapi

import (
	"net/http"

	"brokerage/internal/access"
	"brokerage/internal/tpox"
)

var insertOrder = transaction(&operation{
	name: "insert_order", method: http.MethodPost, path: "/v1/orders", scope: access.Trade,
	handle: (*request).insertOrder,
})

func (q *request) insertOrder() error {
	insert := func(w tpox.Write, doc []byte) (tpox.ID, error) {
		return q.store.InsertOrder(q.ctx, w, doc)
	}
	return q.insert("/v1/orders/", nil, insert)
}

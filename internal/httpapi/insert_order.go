package httpapi

import (
	"net/http"

	"brokerage/internal/access"
	"brokerage/internal/brokerage"
)

var insertOrder = &operation{
	name: "insert_order", method: http.MethodPost, path: "/v1/orders", scope: access.Trade,
	handle: (*request).insertOrder,
}

func (q *request) insertOrder() error {
	doc, err := q.body()
	if err != nil {
		return err
	}
	return q.insert(doc, "/v1/orders/", func(w brokerage.Write) (brokerage.ID, error) {
		return q.server.store.InsertOrder(q.ctx, w, doc)
	})
}

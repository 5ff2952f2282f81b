package httpapi

import (
	"net/http"

	"brokerage/internal/access"
	"brokerage/internal/brokerage"
)

var insertCustomer = &operation{
	name: "insert_customer", method: http.MethodPost, path: "/v1/customers", scope: access.Trade,
	handle: (*request).insertCustomer,
}

func (q *request) insertCustomer() error {
	validate, err := q.flag("validate", "yes", "no", true)
	if err != nil {
		return err
	}
	doc, err := q.body()
	if err != nil {
		return err
	}
	return q.insert(doc, "/v1/customers/", func(w brokerage.Write) (brokerage.ID, error) {
		return q.server.store.InsertCustomer(q.ctx, w, doc, validate)
	})
}

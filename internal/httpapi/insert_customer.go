package httpapi

import (
	"net/http"

	"brokerage/internal/access"
	"brokerage/internal/tpox"
)

var _ = transaction(&operation{
	name: "insert_customer", method: http.MethodPost, path: "/v1/customers", scope: access.Trade,
	handle: (*request).insertCustomer,
})

func (q *request) insertCustomer() error {
	validate, err := q.validate()
	if err != nil {
		return err
	}
	insert := func(w tpox.Write, doc []byte) (tpox.ID, error) {
		return q.store.InsertCustomer(q.ctx, w, doc, validate)
	}
	return q.insert("/v1/customers/", nil, insert)
}

package httpapi

import (
	"net/http"

	"brokerage/internal/access"
)

var getCustomer = &operation{
	name: "get_customer", method: http.MethodGet, path: "/v1/customers/:customer", scope: access.Read,
	handle: (*request).getCustomer,
}

func (q *request) getCustomer() error {
	id, err := q.key("customer")
	return read(q, id, err, q.server.store.GetCustomer, q.document)
}

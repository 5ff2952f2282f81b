package httpapi

import (
	"net/http"

	"brokerage/internal/access"
)

var replaceCustomer = &operation{
	name: "replace_customer", method: http.MethodPut, path: "/v1/customers/:customer", scope: access.Admin,
	handle: (*request).replaceCustomer,
}

func (q *request) replaceCustomer() error {
	id, err := q.key("customer")
	return replace(q, id, err, q.server.store.ReplaceCustomer)
}

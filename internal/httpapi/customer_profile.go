package httpapi

import (
	"net/http"

	"brokerage/internal/access"
)

var customerProfile = &operation{
	name: "customer_profile", method: http.MethodGet, path: "/v1/customers/:customer/profile", scope: access.Read,
	handle: (*request).customerProfile,
}

func (q *request) customerProfile() error {
	id, err := q.key("customer")
	return read(q, id, err, q.server.store.CustomerProfile, q.answer)
}

package httpapi

import (
	"net/http"

	"brokerage/internal/access"
)

var deleteCustomer = &operation{
	name: "delete_customer", method: http.MethodDelete, path: "/v1/customers/:customer", scope: access.Trade,
	handle: (*request).deleteCustomer,
}

func (q *request) deleteCustomer() error { return q.remove("customer", q.server.store.DeleteCustomer) }

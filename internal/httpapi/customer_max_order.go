package httpapi

import (
	"net/http"

	"brokerage/internal/access"
)

var customerMaxOrder = &operation{
	name: "customer_max_order", method: http.MethodGet, path: "/v1/customers/:customer/orders/largest", scope: access.Read,
	handle: (*request).customerMaxOrder,
}

func (q *request) customerMaxOrder() error {
	id, err := q.key("customer")
	return read(q, id, err, q.server.store.CustomerMaxOrder, q.answer)
}

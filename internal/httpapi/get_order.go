package httpapi

import (
	"net/http"

	"brokerage/internal/access"
)

var getOrder = &operation{
	name: "get_order", method: http.MethodGet, path: "/v1/orders/:order", scope: access.Read,
	handle: (*request).getOrder,
}

func (q *request) getOrder() error {
	id, err := q.key("order")
	return read(q, id, err, q.server.store.GetOrder, q.document)
}

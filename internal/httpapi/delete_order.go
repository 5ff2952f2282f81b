package httpapi

import (
	"net/http"

	"brokerage/internal/access"
)

var deleteOrder = &operation{
	name: "delete_order", method: http.MethodDelete, path: "/v1/orders/:order", scope: access.Trade,
	handle: (*request).deleteOrder,
}

func (q *request) deleteOrder() error { return q.remove("order", q.server.store.DeleteOrder) }

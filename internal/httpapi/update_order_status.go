package httpapi

import (
	"net/http"

	"brokerage/internal/access"
	"brokerage/internal/brokerage"
)

var updateOrderStatus = &operation{
	name: "update_order_status", method: http.MethodPut, path: "/v1/orders/:order/status", scope: access.Trade,
	handle: (*request).updateOrderStatus,
}

func (q *request) updateOrderStatus() error {
	id, err := q.key("order")
	return change(q, id, err, brokerage.ReadOrderStatus, q.server.store.UpdateOrderStatus)
}

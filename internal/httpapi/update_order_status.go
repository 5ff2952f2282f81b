package httpapi

import (
	"net/http"

	"brokerage/internal/access"
	"brokerage/internal/brokerage"
)

var updateOrderStatus = &operation{
	name: "update_order_status", method: http.MethodPut, path: "/v1/orders/:order/status", scope: access.Trade,
	links:  describedBy("order-messages.xsd"),
	handle: change(byID("order"), (*request).updateOrderStatus),
}

func (q *request) updateOrderStatus(w brokerage.Write, id brokerage.ID, body []byte) ([]byte, error) {
	stat, err := brokerage.ReadOrderStatus(body)
	if err != nil {
		return nil, err
	}
	return q.server.store.UpdateOrderStatus(q.ctx, w, id, stat)
}

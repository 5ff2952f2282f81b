package httpapi

import (
	"net/http"

	"brokerage/internal/access"
	"brokerage/internal/tpox"
)

var _ = transaction(&operation{
	name: "update_order_status", method: http.MethodPut, path: "/v1/orders/:order/status", scope: access.Trade,
	links:  describedBy("order-messages.xsd"),
	handle: change(byID("order"), (*request).updateOrderStatus),
})

func (q *request) updateOrderStatus(w tpox.Write, id tpox.ID, body []byte) ([]byte, error) {
	stat, err := tpox.ReadOrderStatus(body)
	if err != nil {
		return nil, err
	}
	return q.store.UpdateOrderStatus(q.ctx, w, id, stat)
}

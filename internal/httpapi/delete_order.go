package httpapi

import (
	"net/http"

	"brokerage/internal/access"
	"brokerage/internal/tpox"
)

var deleteOrder = transaction(&operation{
	name: "delete_order", method: http.MethodDelete, path: "/v1/orders/:order", scope: access.Trade,
	handle: remove("order", tpox.Store.DeleteOrder),
})

package httpapi

import (
	"net/http"

	"brokerage/internal/access"
	"brokerage/internal/tpox"
)

var getOrder = transaction(&operation{
	name: "get_order", method: http.MethodGet, path: "/v1/orders/:order", scope: access.Read,
	links:  describedBy("order.xsd"),
	handle: query(byID("order"), tpox.Store.GetOrder, (*request).document),
})

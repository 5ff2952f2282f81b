package httpapi

import (
	"net/http"

	"brokerage/internal/access"
	"brokerage/internal/tpox"
)

var _ = transaction(&operation{
	name: "customer_max_order", method: http.MethodGet, scope: access.Read,
	links:  describedBy("order-messages.xsd"),
	path:   "/v1/customers/:customer/orders/largest",
	handle: query(byID("customer"), tpox.Store.CustomerMaxOrder, (*request).answer),
})

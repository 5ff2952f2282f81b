package httpapi

import (
	"net/http"

	"brokerage/internal/access"
	"brokerage/internal/tpox"
)

var _ = transaction(&operation{
	name: "customer_profile", method: http.MethodGet, path: "/v1/customers/:customer/profile", scope: access.Read,
	links:  describedBy("custacc-messages.xsd"),
	handle: query(byID("customer"), tpox.Store.CustomerProfile, (*request).answer),
})

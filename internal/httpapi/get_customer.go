package httpapi

import (
	"net/http"

	"brokerage/internal/access"
	"brokerage/internal/tpox"
)

var getCustomer = &operation{
	name: "get_customer", method: http.MethodGet, path: "/v1/customers/:customer", scope: access.Read,
	links:  describedBy("custacc.xsd"),
	handle: query(byID("customer"), tpox.Store.GetCustomer, (*request).document),
}

package httpapi

import (
	"net/http"

	"brokerage/internal/access"
	"brokerage/internal/tpox"
)

var replaceCustomer = &operation{
	name: "replace_customer", method: http.MethodPut, path: "/v1/customers/:customer", scope: access.Admin,
	handle: replace(byID("customer"), tpox.Store.ReplaceCustomer),
}

package httpapi

import (
	"net/http"

	"brokerage/internal/access"
	"brokerage/internal/tpox"
)

var _ = transaction(&operation{
	name: "delete_customer", method: http.MethodDelete, path: "/v1/customers/:customer", scope: access.Trade,
	handle: remove("customer", tpox.Store.DeleteCustomer),
})

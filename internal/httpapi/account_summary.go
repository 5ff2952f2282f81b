package httpapi

import (
	"net/http"

	"brokerage/internal/access"
	"brokerage/internal/tpox"
)

var _ = transaction(&operation{
	name: "account_summary", method: http.MethodGet, path: "/v1/customers/:customer/statement", scope: access.Read,
	links:  describedBy("custacc-summary.xsd"),
	handle: query(byID("customer"), tpox.Store.AccountSummary, (*request).answer),
})

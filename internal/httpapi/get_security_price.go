package httpapi

import (
	"net/http"

	"brokerage/internal/access"
	"brokerage/internal/tpox"
)

var _ = transaction(&operation{
	name: "get_security_price", method: http.MethodGet, path: "/v1/securities/:symbol/price", scope: access.Read,
	links:  describedBy("security-messages.xsd"),
	handle: query((*request).symbol, tpox.Store.SecurityPrice, (*request).answer),
})

package httpapi

import (
	"net/http"

	"brokerage/internal/access"
	"brokerage/internal/tpox"
)

var _ = transaction(&operation{
	name: "get_security", method: http.MethodGet, path: "/v1/securities/:symbol", scope: access.Read,
	links:  describedBy("security.xsd"),
	handle: query((*request).symbol, tpox.Store.GetSecurity, (*request).document),
})

package httpapi

import (
	"net/http"

	"brokerage/internal/access"
	"brokerage/internal/tpox"
)

var replaceSecurity = &operation{
	name: "replace_security", method: http.MethodPut, path: "/v1/securities/:symbol", scope: access.Admin,
	handle: replace((*request).symbol, tpox.Store.ReplaceSecurity),
}

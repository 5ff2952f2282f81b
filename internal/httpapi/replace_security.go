package httpapi

import (
	"net/http"

	"brokerage/internal/access"
)

var replaceSecurity = &operation{
	name: "replace_security", method: http.MethodPut, path: "/v1/securities/:symbol", scope: access.Admin,
	handle: (*request).replaceSecurity,
}

func (q *request) replaceSecurity() error {
	symbol, err := q.symbol()
	return replace(q, symbol, err, q.server.store.ReplaceSecurity)
}

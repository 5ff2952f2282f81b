package httpapi

import (
	"net/http"

	"brokerage/internal/access"
)

var getSecurity = &operation{
	name: "get_security", method: http.MethodGet, path: "/v1/securities/:symbol", scope: access.Read,
	handle: (*request).getSecurity,
}

func (q *request) getSecurity() error {
	symbol, err := q.symbol()
	return read(q, symbol, err, q.server.store.GetSecurity, q.document)
}

// Package h2c stands in for HTTP/2 without TLS, which gin imports and the service does not use (decision 0032).
package h2c

import (
	"net/http"

	"golang.org/x/net/http2"
)

// NewHandler returns a handler that refuses every request.
func NewHandler(http.Handler, *http2.Server) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "this program has no HTTP/2 without TLS: see docs/adr/0032-absent-modules.md",
			http.StatusHTTPVersionNotSupported)
	})
}

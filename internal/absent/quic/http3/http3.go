// Package http3 stands in for HTTP/3, which gin imports and the service does not use (decision 0032).
package http3

import (
	"errors"
	"net/http"
)

var errAbsent = errors.New("this program has no HTTP/3: see docs/adr/0032-absent-modules.md")

// ListenAndServeQUIC returns an error.
func ListenAndServeQUIC(_, _, _ string, _ http.Handler) error { return errAbsent }

// Package http2 stands in for golang.org/x/net/http2, which gin imports and the service does not use: the standard
// library has HTTP/2 of its own (decision 0032).
package http2

// A Server has no settings.
type Server struct{}

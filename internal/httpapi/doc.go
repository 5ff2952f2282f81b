// Package httpapi is the brokerage over HTTP: what api/openapi.yaml says, on
// gin.
//
// A request's way: Server.ServeHTTP gives it a name (request.go), the router
// (operations.go) finds the operation, and serve (server.go) does what all of
// them have in common: access, the bound on requests at once, the deadline, the
// log. The handler, one step, decodes and checks, calls the store and writes the
// answer, which is the store's bytes; or it returns an error, which problem.go
// makes a problem document of. There is one table of errors and statuses, and
// no text of an error that is not the domain's reaches a client.
package httpapi

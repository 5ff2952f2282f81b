// Package httpapi serves the brokerage over HTTP, as api/openapi.yaml describes it, with gin.
//
// The path of a request: the router (operations.go) finds the operation; serve (server.go) does what the operations
// have in common: request id, access (access.go), quota and the limit of concurrent requests (limits.go), deadline,
// metrics and log (report.go). The handler (that of a transaction is in the file of its name) decodes and checks the
// request (request.go, negotiate.go), calls the store and writes the answer, which is the store's bytes (answer.go);
// handlers.go builds the handlers that differ only in their key and their call. An error becomes a problem document
// (problem.go); only the text of errors that are meant for clients reaches a client.
package httpapi

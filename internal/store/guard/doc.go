// Package guard decorates every store with what all stores need:
//
//   - A call whose context has no deadline gets one.
//   - A call returns only errors that the contract of its method declares (the comments in internal/tpox/store.go;
//     the registry and operation.go as a table). Any other error is a fault of the store: it panics under test, and
//     becomes *tpox.Unavailable in operation, so that a driver's text reaches the log and no client.
//   - A call that returns an error returns no answer.
//   - Until the store is open, each call returns *tpox.Unavailable.
package guard

// Package guard is the one decorator around every store: what all of them need
// is written once, and not by each of them, nor by those who call them.
//
//   - Every call is observed, under the name that its transaction has everywhere.
//   - A call without a deadline gets one.
//   - An error is one of those that the contract of its method declares (see the
//     comments in internal/brokerage/store.go, and contract.go for the table).
//     Another one is a fault of the store: it panics under test, and becomes
//     *brokerage.Unavailable in operation, so that a text of a driver reaches the
//     log and no client.
//   - With an error there is no answer.
//   - A store that cannot be opened yet is one that is not available.
package guard

// Package xquery parses the XQuery in the statements of the Db2 store, and
// refuses what Db2's documented dialect lacks: the bench evaluates it with a
// processor for XQuery 3.1, which would accept statements that Db2 refuses.
//
// The dialect is XQuery 1.0 without its optional features and without
// declarations of functions and variables, with IBM's own updating expressions.
// The allowed constructs are taken from IBM's manual; each list names the page.
// Everything that the manual does not list is refused, even if Db2 might accept
// it.
package xquery

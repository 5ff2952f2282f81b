// Package xquery reads the XQuery that stands in the statements of the Db2 store,
// and refuses what Db2's documented dialect lacks: the bench evaluates it with a
// processor that knows XQuery 3.1, and would find nothing wrong with a statement
// that Db2 does not take.
//
// The dialect is XQuery 1.0 without its optional features and without declarations
// of functions and variables, with IBM's own updating expressions. What is allowed
// is taken from IBM's manual; each list names the page. What the manual does not
// list is refused, even where Db2 might take it.
package xquery

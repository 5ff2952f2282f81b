// Package xquery reads the XQuery in the statements of the store on Db2. It accepts the part of Db2's dialect that they
// use, and refuses everything else: BaseX, which evaluates the queries on the bench, knows XQuery 3.1 and would find
// nothing wrong with one that Db2 refuses.
//
// Db2's dialect is XQuery 1.0 without its optional features and without declarations of functions and variables, with
// IBM's own updating expressions. Whoever extends the parser takes what it accepts from IBM's XQuery Reference.
package xquery

// Package xquery parses the XQuery in the statements of the Db2 store. It takes the constructs that these statements
// use, each of which is in IBM's manual for Db2, and refuses everything else: the bench evaluates queries with a
// processor for XQuery 3.1, which would accept statements that Db2 refuses. Whoever needs a further construct looks it
// up in the "Db2 XQuery Reference" first, whose titles the comments quote.
package xquery

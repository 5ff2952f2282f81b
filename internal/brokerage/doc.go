// Package brokerage is the domain: an online brokerage whose customers,
// securities and orders are XML documents, and the 17 transactions on them.
//
// It says what a store must do ([Store]) and holds what all stores have in
// common: ids, typed errors, and pure functions from documents to documents,
// such as what a trade makes of a customer. It knows nothing of HTTP or SQL.
//
// Documents come into and out of this package in the normal form of package
// xmldoc. Money is decimal throughout, never a binary float.
package brokerage

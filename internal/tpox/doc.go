// Package tpox is the domain: an online brokerage whose customers, securities and orders are XML documents, and the 17
// transactions on them, which [Transactions] lists.
//
// It defines what a store does ([Store]), and contains what all stores share: ids, typed errors, and pure functions
// from documents to documents, such as [Trade.Apply]. It contains no HTTP and no SQL.
//
// Documents enter and leave this package in the normal form of package xmldoc. Money is decimal throughout, never a
// binary float.
package tpox

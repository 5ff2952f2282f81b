// Package db2 is the store in a Db2 database, by pureXML and IBM's driver.
//
// Documents are XML columns, one a table, found by XML indexes. Each transaction
// is SQL/XML in sql/ under its name, run in the database: what is refused is
// refused by the statement, and what is validated by XMLVALIDATE. A statement that
// has changed no row is explained afterwards, by the service's own rules on the
// document (see tx.why).
//
// The driver (go_ibm_db) is behind the build tag db2, and what is wrong with it is
// in driver.go. It cannot cancel: what bounds a statement is the session's lock
// time-out and the client library's time-out for statements, and a request's
// deadline is looked at between statements and before the commit.
//
// Isolation is cursor stability; statements that need more say so (WITH RS). Locks
// are taken in this order, so that no two transactions wait for each other: the row
// of an idempotency key, a security, a customer or an order.
//
// Whatever fails is rolled back, and done again where others or a lost connection
// were the reason. After a commit of which nobody knows it is done again only if
// the second attempt can tell what became of the first (see repeatable).
//
// None of this was ever run on a Db2: docs/db2.md says what was run on what.
package db2

// Package db2 stores the brokerage in a Db2 database, by pureXML and IBM's driver.
//
// Each table of documents has one XML column, with XML indexes to find documents. Each transaction has a Go file of
// its name here and its SQL/XML in sql/. The database runs or refuses it, and validates with XMLVALIDATE. When a
// condition in a statement was not met, the service's own rules find the reason in the document (see tx.explain).
//
// The driver (go_ibm_db) is behind the build tag db2; driver.go lists its faults and works around them. It cannot
// cancel a statement: the session's lock timeout and the client library's statement timeout limit each statement of a
// request. The request's deadline is checked between statements and before the commit.
//
// Isolation is cursor stability, or WITH RS in statements that need more. Locks are taken in this order, so that no
// two transactions wait for each other: the row of an idempotency key, then the document that is written. A trade
// locks its customer for update, and then its security for reading; nothing that writes a security locks a customer.
//
// A transaction that fails is rolled back, and retried if other transactions or a lost connection were the reason.
// After a commit with an unknown outcome it is retried only if a second attempt is harmless or can find out the
// outcome of the first (see afterUnknown).
//
// None of this was ever run on a Db2: docs/db2.md lists what was run, and on what.
package db2

// Package postgres is the store in a PostgreSQL database, for more than one
// instance of the service, and for more than one machine can hold.
//
// Documents are xml columns, and the only truth: what they are found by is
// computed from them by the database, in generated columns (keys) and in a
// trigger (accounts). See migrations/0001_documents.sql. Each of the seven
// queries is one SQL/XML statement, in sql/ under its name, that the database
// answers through an index.
//
// Queries that wait for a connection together go to the server together (see
// lookups): a query by key takes it less time than to be woken up for it.
//
// PostgreSQL cannot update a part of a document. An update locks the row, edits
// the document here, with the code that the embedded store uses, and writes it
// back (ADR 0015): two round trips, the first with BEGIN, the second with COMMIT.
// A write that needs not look first is one statement, which commits by itself.
//
// READ COMMITTED is enough, because whatever a write depends on it has locked.
// Locks are taken in this order, so that no two writes wait for each other: the
// idempotency key, one row of a document, rows of accounts by ascending id, the
// row of the kept answer. No transaction locks rows of two documents: a trade
// reads its security without a lock.
//
// What fails because of others (deadlock, serialization) or because a connection
// is lost is done again, but only where nothing can have been committed.
package postgres

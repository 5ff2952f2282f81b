// Package postgres stores the brokerage in a PostgreSQL database, which several instances of the service can share.
//
// Documents are xml columns, and the only source of truth: their keys are computed from them by the database, in
// generated columns and, for accounts, in a trigger. See schema/single.sql. Each of the seven queries is
// one SQL/XML statement, in sql/ under its name, that the database answers through an index.
//
// The tables have one of two layouts: on one server, or spread over the nodes of a Citus cluster or over partitions.
// The transactions that differ have a method for each: see layout.
//
// Queries that wait for a connection at the same moment share a round trip (see lookups): a query by key takes the
// server less time than waking up for it.
//
// PostgreSQL cannot update a part of a document. An update locks the row, edits the document here, with the code that
// the embedded store uses, and writes it back (ADR 0015): two round trips, one with BEGIN and one with COMMIT. A write
// that need not read first is one statement, which commits by itself.
//
// READ COMMITTED is enough, because a write locks everything that it depends on. Locks are taken in this order, so that
// there are no deadlocks: the idempotency key, the rows of documents in ascending order of their keys, rows of accounts
// by ascending id, the row of the stored answer. A trade reads its security without a lock.
//
// Reads that allow it are answered by replicas: see replica and ADR 0027.
//
// A failure because of other transactions (deadlock, serialization) or of a lost connection is retried, but only if
// nothing can have been committed.
package postgres

// Package postgres stores the brokerage in a PostgreSQL database, which several instances of the service can share.
//
// Documents are stored in xml columns; in a cluster, each is placed by its own id. Small tables find documents by other
// keys; the service writes their rows in the transaction of the document: see schema/tables.sql. Each of the seven
// queries is one SQL/XML statement, in sql/ under its name, that the database answers through an index.
//
// The same tables serve one server and a Citus cluster (ADR 0028). Where they are distributed, a row can be read by
// its key only, so customer_max_order, delete_order and the lock of a trade use other statements there.
//
// PostgreSQL cannot update a part of a document. An update locks the row, edits the document here, with the code that
// the embedded store uses, and writes it back (ADR 0028): two round trips, one with BEGIN and one with COMMIT. A write
// that need not read first takes one; one that has an idempotency key or removes an account takes three.
//
// READ COMMITTED is enough, because a write locks everything that it depends on. Locks are taken in this order, so that
// there are no deadlocks: the idempotency key, the document, rows of accounts by ascending id, the row of the stored
// answer. A trade reads its security without a lock.
//
// Reads whose context allows it are answered by replicas: see replica and ADR 0027.
//
// A transaction that fails because of others (deadlock, serialization), or because the connection is lost, is retried,
// but only if nothing can have been committed.
package postgres

// Package sqlite is the embedded store, the default: SQLite compiled to Go, so that one static binary and one file are
// a whole brokerage.
//
// Documents are stored whole and packed, with a dictionary for each kind. Columns beside them hold the keys for
// lookups and are written in the same transaction. A transaction on a part of a document reads the document, edits its
// bytes and writes it back.
//
// A pool of connections reads. Each keeps a snapshot and reads again what may have changed (see readers and changes).
//
// One goroutine writes, on one connection, and commits in groups: transactions that wait together share a commit and a
// flush to disk. A refused transaction does not affect the others of its group (see writer.redo), and each returns only
// after the flush (journal_mode WAL, synchronous FULL), so that it survives a power failure. The writer never passes
// the context of a request to SQL, because an interrupt would roll back the whole group.
//
// Each compressed document has a checksum, which is checked when it is unpacked: a damaged one is *tpox.Damaged, never
// an answer. Damage of the columns and indexes beside the documents is found by Verify.
//
// Packing, editing and validation run in the goroutine of the request, on what it has read. The writer then only checks
// whether that has changed since (see revise). Large documents take turns (see store.LargeWrites).
//
// Each transaction has a file of its own, with its statements. buy_security and sell_security are both in trade.go.
package sqlite

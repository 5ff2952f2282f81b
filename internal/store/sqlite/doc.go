// Package sqlite is the embedded store, the default: SQLite compiled to Go, so
// that one static binary and one file are a whole brokerage.
//
// Documents are kept whole and packed, with a dictionary for each kind;
// columns beside them hold what they are found by, written in the same
// transaction. A transaction on a part of a document reads it, edits its bytes
// and writes it back.
//
// Reading goes through a pool of connections, each of which keeps its snapshot
// for as long as what is read from it is still so (see readers and changes).
// Writing is done by one goroutine
// on one connection, which commits in groups: transactions that wait together
// share a commit and a flush to disk. One that is refused leaves its neighbours
// alone (see transaction), and each is answered only after the flush
// (journal_mode WAL, synchronous FULL: it survives power loss). The writer never
// passes a request's context to SQL, because an interrupt inside a group would
// roll back all of it.
//
// Every page of the file has a checksum, which is checked on each read from disk
// (see pagesum): what is damaged is *brokerage.Damaged, and no answer.
//
// What takes time and not the database (packing, editing, validation) happens
// in the goroutine of the request, on what it reads; the writer then only looks
// whether that was changed since. See revise.
package sqlite

// Package null is a store without a database: it answers from memory with fixed documents, so that a measurement shows
// what the tiers above a store cost by themselves.
//
// The documents come from the generator and have about the mean size of their kind. The answers are made from them
// once, by the functions that every store uses. A query returns the same bytes whatever its arguments, without an
// allocation; only a search for hits after a symbol finds none. All callers share these bytes and must not change them.
//
// A write checks what needs no stored document, as other stores do before they use their database: the keys of a
// document, the figures of a trade or a price. Then it is acknowledged and forgotten:
//
//   - Nothing is missing, in conflict or stale, and no idempotency key is kept.
//   - No document is validated by its schema, which is often most of a store's work.
//   - The key of a replacement need not be that in the path, because every read returns a document with the same key.
//
// Leases begin above the dataset that the store claims to hold, and begin there again after each Open. The fingerprint
// begins with "null/", so that results with this store are never compared with those of a real one.
package null

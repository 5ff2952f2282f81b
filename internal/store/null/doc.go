// Package null is a store without a database: it answers from memory with fixed documents, so that a measurement shows
// what the tiers above a store cost by themselves.
//
// The documents are the generator's, of about the mean size of their kind, and the answers are made of them once, by
// the functions that every store uses. A query gives the same bytes whatever it asks for, without an allocation: what
// is given is shared by all callers, who must not change it.
//
// A write checks what needs no stored document, because other stores do the same before they come to their database,
// and because the id in the answer has to be one: the keys of a document, the figures of a trade or a price. Then it is
// acknowledged and forgotten, and so:
//
//   - Nothing is missing, in conflict or stale, and no idempotency key is kept.
//   - No document is validated by its schema, since that is work of a store, and
//     often the dearest part of it.
//   - A replacement may have another key than its path names: whoever replaces
//     what was read here has a document with the key that all have.
//
// Leases are handed out from behind the dataset that the store claims to hold, and begin there again with each Open.
// The fingerprint begins with "null/", so that results with this store are never compared with those of a real one.
package null

package sqlite

import "sync/atomic"

// changes remembers which documents were changed of late, so that a transaction
// whose work was done before it came to the writer (see revise) knows, without
// reading them again, that they are still what it started from.
//
// Time is counted in groups: whoever reads the number before a document sees
// at least what was committed by then.
type changes struct {
	ends  atomic.Uint64 // groups that have ended
	last  map[documentKey]uint64
	since uint64 // what was before is forgotten: everything may have changed
}

// documentKey names a document: those of securities are texts.
type documentKey struct {
	kind   kind
	id     int64
	symbol string
}

// changesKept bounds the memory that changes takes.
const changesKept = 1 << 14

// documentOf are the statements that change a document, and the kind of the
// document whose key is their first argument. Rows of accounts change only
// together with their customer.
var documentOf = map[string]kind{
	"insert_order":          orders,
	"update_order_status":   orders,
	"delete_order":          orders,
	"insert_customer":       customers,
	"replace_customer":      customers,
	"delete_customer":       customers,
	"insert_security":       securities,
	"replace_security":      securities,
	"update_security_price": securities,
}

// add notes what a statement has changed, if it is a document.
func (c *changes) add(statement string, args []any) {
	k, ok := documentOf[statement]
	if !ok {
		return
	}
	key := documentKey{kind: k}
	switch id := args[0].(type) {
	case int64:
		key.id = id
	case string:
		key.symbol = id
	}
	if len(c.last) >= changesKept {
		c.unknown()
	}
	if c.last == nil {
		c.last = make(map[documentKey]uint64)
	}
	c.last[key] = c.ends.Load() + 1
}

// unknown is for when anything may have changed.
func (c *changes) unknown() {
	clear(c.last)
	c.since = c.ends.Load() + 1
}

// ended is the end of a group, committed or not.
func (c *changes) ended() { c.ends.Add(1) }

// any tells whether one of the documents may have changed after a time. It is
// for the writer alone.
func (c *changes) any(after uint64, keys ...documentKey) bool {
	if after < c.since {
		return true
	}
	for _, key := range keys {
		if c.last[key] > after {
			return true
		}
	}
	return false
}

package sqlite

import (
	"hash/maphash"
	"sync/atomic"
)

// changes records when each document was last changed. It shows, without reading a document again, whether what was
// read is still current. Two readers need this: a write that was planned before it reached the writer (see revise), and
// a connection that reads from a snapshot that it has kept (see reader).
//
// Time is counted in changes: a reader that takes the number of the last group's last change before it reads a document
// sees at least what was committed by then. A change is noted before it is committed. Documents are hashed to the slots
// of a table and share them, so an unchanged document may seem changed, which costs another read. A changed document
// never seems unchanged.
type changes struct {
	ends  atomic.Uint64 // the last change of the groups that have ended, committed or not
	noted atomic.Uint64 // the last change; only the writer adds one
	all   atomic.Uint64 // the last change that may have been of anything
	seed  maphash.Seed
	last  []atomic.Uint64
}

func newChanges() *changes {
	const slots = 1 << 16
	return &changes{seed: maphash.MakeSeed(), last: make([]atomic.Uint64, slots)}
}

// A documentKey names a document by its id or its symbol, or other data that changes, such as a setting.
type documentKey struct {
	kind   kind
	id     int64
	symbol string
}

const (
	settings kind = "setting"
	ordersOf kind = "orders of an account"
	searched kind = "columns that securities are searched by"
)

var searchedKey = documentKey{kind: searched}

// keyOf returns the key of a document of the given kind. of is an id, a symbol, or a pointer to an id that was read
// from a column.
func keyOf(k kind, of any) documentKey {
	key := documentKey{kind: k}
	switch id := of.(type) {
	case int64:
		key.id = id
	case *int64:
		key.id = *id
	case string:
		key.symbol = id
	}
	return key
}

func (c *changes) slot(key documentKey) *atomic.Uint64 {
	return &c.last[maphash.Comparable(c.seed, key)%uint64(len(c.last))]
}

// note notes changes by the current group.
func (c *changes) note(keys ...documentKey) {
	change := c.noted.Load()
	for _, key := range keys {
		change++
		c.slot(key).Store(change)
	}
	c.noted.Store(change)
}

// noteAll notes that the current group may change anything.
func (c *changes) noteAll() { c.all.Store(c.noted.Add(1)) }

// endGroup ends the current group, committed or not.
func (c *changes) endGroup() { c.ends.Store(c.noted.Load()) }

// since reports whether any of the documents may have changed after a time.
func (c *changes) since(after uint64, keys ...documentKey) bool {
	if after < c.all.Load() {
		return true
	}
	for _, key := range keys {
		if c.slot(key).Load() > after {
			return true
		}
	}
	return false
}

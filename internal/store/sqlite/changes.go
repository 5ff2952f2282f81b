package sqlite

import (
	"hash/maphash"
	"sync/atomic"
)

// changes remembers when each document was changed last, so that what was read
// before can be known, without reading it again, to be still so: by a
// transaction whose work was done before it came to the writer (see revise),
// and by a connection that reads from a snapshot it has kept (see reader).
//
// Time is counted in groups: whoever takes the number before reading a document
// sees at least what was committed by then. A change is noted before it is
// committed. Documents share places in a table by their hash, so one may seem to
// have changed that has not, never the other way; that costs a reading.
type changes struct {
	ends  atomic.Uint64 // groups that have ended, committed or not
	noted atomic.Uint64 // the last that has noted a change
	since atomic.Uint64 // when anything may have changed
	seed  maphash.Seed
	last  [1 << 16]atomic.Uint64
}

func newChanges() *changes { return &changes{seed: maphash.MakeSeed()} }

// documentKey names a document (those of securities are texts), or something
// else that changes.
type documentKey struct {
	kind   kind
	id     int64
	symbol string
}

const (
	settings kind = "setting"
	ordersOf kind = "orders of an account"
	searched kind = "what securities are searched by"
)

var searchedKey = documentKey{kind: searched}

// keyOf returns the key of what is of a kind, by its id or symbol, or a column that holds the id.
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

// add notes changes that the group under way makes.
func (c *changes) add(keys ...documentKey) {
	group := c.ends.Load() + 1
	for _, key := range keys {
		c.slot(key).Store(group)
	}
	c.noted.Store(group)
}

// unknown is for when anything may have changed.
func (c *changes) unknown() { c.since.Store(c.ends.Load() + 1) }

// ended is the end of a group, committed or not.
func (c *changes) ended() { c.ends.Add(1) }

// any tells whether one of the documents may have changed after a time.
func (c *changes) any(after uint64, keys ...documentKey) bool {
	if after < c.since.Load() {
		return true
	}
	for _, key := range keys {
		if c.slot(key).Load() > after {
			return true
		}
	}
	return false
}

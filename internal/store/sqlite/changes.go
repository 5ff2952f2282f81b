package sqlite

import (
	"hash/maphash"
	"strconv"
	"strings"
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

// changedBy tells what a statement changes, by its arguments. Rows of accounts
// change only together with their customer; deletions are seen to where they are.
var changedBy = map[string]func(args []any) []documentKey{
	"insert_order":          func(args []any) []documentKey { return []documentKey{keyOf(orders, args), keyOf(ordersOf, args[1:])} },
	"update_order_status":   func(args []any) []documentKey { return []documentKey{keyOf(orders, args)} },
	"insert_customer":       func(args []any) []documentKey { return []documentKey{keyOf(customers, args)} },
	"replace_customer":      func(args []any) []documentKey { return []documentKey{keyOf(customers, args)} },
	"insert_security":       func(args []any) []documentKey { return []documentKey{keyOf(securities, args), searchedKey} },
	"replace_security":      func(args []any) []documentKey { return []documentKey{keyOf(securities, args), searchedKey} },
	"set_setting":           func(args []any) []documentKey { return []documentKey{keyOf(settings, args)} },
	"delete_setting":        func(args []any) []documentKey { return []documentKey{keyOf(settings, args)} },
	"update_security_price": func(args []any) []documentKey { return []documentKey{keyOf(securities, args)} },
}

// dependsOn tells what the row that a look-up has found depends on.
var dependsOn = map[string]func(key any, columns []any) []documentKey{
	"get_order":           func(key any, _ []any) []documentKey { return []documentKey{keyOf(orders, []any{key})} },
	"get_customer":        func(key any, _ []any) []documentKey { return []documentKey{keyOf(customers, []any{key})} },
	"get_security":        func(key any, _ []any) []documentKey { return []documentKey{keyOf(securities, []any{key})} },
	"get_security_price":  func(key any, _ []any) []documentKey { return []documentKey{keyOf(securities, []any{key})} },
	"get_quote":           func(key any, _ []any) []documentKey { return []documentKey{keyOf(securities, []any{key})} },
	"customer_of":         func(_ any, columns []any) []documentKey { return []documentKey{keyOf(customers, columns)} },
	"customer_of_account": func(_ any, columns []any) []documentKey { return []documentKey{keyOf(customers, columns)} },
	"get_setting":         func(key any, _ []any) []documentKey { return []documentKey{keyOf(settings, []any{key})} },
	"customer_max_order":  largestOrderOf,
}

// largestOrderOf: the best order of a customer changes with the customer (what
// accounts there are), with what orders these have, and in itself.
func largestOrderOf(customer any, columns []any) []documentKey {
	keys := []documentKey{keyOf(customers, []any{customer}), keyOf(orders, columns)}
	accounts := *columns[2].(*string) //nolint:forcetypeassert // the statement's
	for account := range strings.SplitSeq(accounts, ",") {
		id, _ := strconv.ParseInt(account, 10, 64) // none is 0, which changes never
		keys = append(keys, documentKey{kind: ordersOf, id: id})
	}
	return keys
}

// keyOf is the key of a document, whose id or symbol is the first of args.
func keyOf(k kind, args []any) documentKey {
	key := documentKey{kind: k}
	switch id := args[0].(type) {
	case int64:
		key.id = id
	case *int64:
		key.id = *id
	case string:
		key.symbol = id
	}
	return key
}

func (c *changes) place(key documentKey) *atomic.Uint64 {
	return &c.last[maphash.Comparable(c.seed, key)%uint64(len(c.last))]
}

// add notes changes that the group under way makes.
func (c *changes) add(keys ...documentKey) {
	group := c.ends.Load() + 1
	for _, key := range keys {
		c.place(key).Store(group)
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
		if c.place(key).Load() > after {
			return true
		}
	}
	return false
}

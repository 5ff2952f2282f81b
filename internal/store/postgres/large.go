package postgres

import (
	"context"
	"errors"
	"math"
	"sync/atomic"

	"brokerage/internal/brokerage"
)

// Most documents have a few kilobytes, and the database is done with one in less than a millisecond. One of the
// largest takes up to a fifth of a second, so that a few clients who ask for it again and again would take every
// connection, and everybody else's request would wait behind them. Therefore what costs in proportion to a document is
// done in two classes: statements leave documents of more than largeBytes alone, which they know without opening them,
// and say so; what they leave is done on a few connections only (large.slots), and refused when too many wait for those.

// largeBytes is from what size on a document is large: three times the largest of the benchmark.
const largeBytes = 64 << 10

// anySize is the limit of a statement that may take its time.
const anySize = math.MaxInt32

// classified are the statements whose last parameter is the largest document that they open.
var classified = map[string]bool{
	"get_order": true, "customer_profile": true, "account_summary": true, "customer_max_order": true,
	"lock_customer": true, "lock_customer_of_account": true,
}

// errLarge says that a statement has left a large document alone.
var errLarge = errors.New("the document is large")

// errManyLarge refuses a request: the store is well.
var errManyLarge = &brokerage.Unavailable{Cause: errors.New("too many requests for large documents at once"), Busy: true}

// large bounds what is done with large documents at once.
type large struct {
	slots   chan struct{}
	waiting atomic.Int64
}

// waitingForEach is how many requests may wait for each connection that large documents have.
const waitingForEach = 8

// newLarge gives large documents a quarter of the connections.
func newLarge(connections int32) *large {
	return &large{slots: make(chan struct{}, max(1, connections/4))}
}

// do runs f when there is a place for it.
func (l *large) do(ctx context.Context, f func() error) error {
	if l.waiting.Add(1) > int64(cap(l.slots)*(1+waitingForEach)) {
		l.waiting.Add(-1)
		return errManyLarge
	}
	defer l.waiting.Add(-1)
	select {
	case l.slots <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-l.slots }()
	return f()
}

// isLarge tells whether one of a statement's parameters is a large document.
func isLarge(args []any) bool {
	for _, arg := range args {
		if doc, ok := arg.([]byte); ok && len(doc) > largeBytes {
			return true
		}
	}
	return false
}

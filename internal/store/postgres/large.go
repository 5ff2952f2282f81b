package postgres

import (
	"context"
	"errors"
	"math"
	"strings"
	"sync/atomic"

	"brokerage/internal/tpox"
)

// Most documents have a few kilobytes, and the database processes one in less than a millisecond. One of the largest
// takes up to a fifth of a second: a few clients that request it repeatedly would take every connection, and every
// other request would wait. Therefore statements whose cost is proportional to the document skip documents of more than
// largeBytes, a size that the database knows without parsing them. The skipped documents are processed on a few
// connections only (large.slots), and refused when too many requests wait for those.

// largeBytes is the size in bytes above which a document is large: three times the largest of the benchmark.
const largeBytes = 64 << 10

// anySize is the limit of a statement for documents of any size.
const anySize = math.MaxInt32

// classified are the statements that look at the size of a document. Their last parameter is the size of the largest
// document that they process, in bytes.
var classified = func() map[string]bool {
	all := make(map[string]bool)
	for name, text := range spreadStatements { // those of the other layout have the same names
		all[name] = strings.Contains(text, "octet_length(")
	}
	return all
}()

// errLarge reports that a statement has skipped a large document.
var errLarge = errors.New("the document is large")

// errManyLarge means that too many requests for large documents wait. The store is healthy otherwise.
var errManyLarge = &tpox.Unavailable{
	Cause: errors.New("too many requests for large documents at once"), Busy: true,
}

// large limits how many large documents are processed at once.
type large struct {
	slots   chan struct{}
	waiting atomic.Int64
}

// waitingForEach is how many requests may wait for each connection for large documents.
const waitingForEach = 8

// newLarge reserves a quarter of the connections for large documents.
func newLarge(connections int32) *large {
	return &large{slots: make(chan struct{}, max(1, connections/4))}
}

// do runs f as soon as a slot is free, or returns errManyLarge when too many wait.
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

// isLarge reports whether one of the parameters of a statement is a large document.
func isLarge(args []any) bool {
	for _, arg := range args {
		if doc, ok := arg.([]byte); ok && len(doc) > largeBytes {
			return true
		}
	}
	return false
}

package store

import (
	"context"
	"errors"
	"time"

	"golang.org/x/sync/semaphore"
)

// Most documents have a few kilobytes. A write of one of the largest keeps a processor busy for twenty times as long,
// and on the embedded store also the writer, for which all other writes wait, so that a few clients with such documents
// would delay everybody. Therefore the large documents written at once are bounded by their weight, and have at most
// half of the time.
const (
	// SmallBytes is the size up to which a document is written without that bound: nearly all are.
	SmallBytes = 16 << 10
	// LargeBytes is the weight of the large documents that are written at once: by default, one of the largest.
	LargeBytes = 128 << 10
)

// ErrLarge ends the first attempt of a write that has met a large document, and must wait for its turn.
var ErrLarge = errors.New("the document is large")

// LargeWrites gives the writes of large documents their turns.
type LargeWrites struct{ weight *semaphore.Weighted }

// NewLargeWrites returns LargeWrites in which no write runs.
func NewLargeWrites() LargeWrites { return LargeWrites{semaphore.NewWeighted(LargeBytes)} }

// Enter waits for the turn of a write of a document of that many bytes. The caller calls leave when the write is done.
// Its weight then stays taken for as long again.
func (l LargeWrites) Enter(ctx context.Context, size int) (leave func(), err error) {
	if size <= SmallBytes {
		return func() {}, nil
	}
	weight := int64(min(size, LargeBytes))
	if err := l.weight.Acquire(ctx, weight); err != nil {
		return nil, err
	}
	began := time.Now()
	return func() {
		time.AfterFunc(time.Since(began), func() { l.weight.Release(weight) })
	}, nil
}

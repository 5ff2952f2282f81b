package sqlite

import (
	"context"
	"errors"
	"time"
)

// Most documents have a few kilobytes. A write of one of the largest keeps a processor and the writer, for which all
// other writes wait, busy for twenty times as long, so that a few clients with such documents would delay everybody.
// Therefore the large documents written at once are bounded by their weight, and have at most half of the time.
const (
	// smallBytes is the size up to which a document is written without that bound: nearly all are.
	smallBytes = 16 << 10
	// largeBytes is the weight of the large documents that are written at once: by default, one of the largest.
	largeBytes = 128 << 10
)

// errLarge ends the plan of a revision that has read a large document and must wait for its turn.
var errLarge = errors.New("the document is large")

// enterLarge waits for the turn of a write of a document of that many bytes. The caller calls leave when the write is
// done. Its weight then stays taken for as long again.
func (s *Store) enterLarge(ctx context.Context, size int) (leave func(), err error) {
	if size <= smallBytes {
		return func() {}, nil
	}
	weight := int64(min(size, largeBytes))
	if err := s.large.Acquire(ctx, weight); err != nil {
		return nil, err
	}
	began := time.Now()
	return func() {
		time.AfterFunc(time.Since(began), func() { s.large.Release(weight) })
	}, nil
}

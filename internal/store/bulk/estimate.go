package bulk

import (
	"context"
	"time"

	"brokerage/internal/dataset"
	"brokerage/internal/store/tally"
	"brokerage/internal/tpox"
)

// An Estimate is the number of documents of a kind and the bytes of their table, from the statistics that a server
// keeps by itself: it reads no document.
type Estimate struct {
	Known             bool // false: the server has no statistics yet
	Documents, Stored int64
}

// Estimates are the estimates of all kinds of documents.
type Estimates [len(dataset.Kinds)]Estimate

// Stats returns the estimates as figures of a store.
func (all Estimates) Stats() (kinds []tally.KindStats) {
	for _, k := range dataset.Kinds {
		e := all[k]
		kinds = append(kinds, tally.KindStats{
			Kind: k.String(), Known: e.Known, Documents: e.Documents, Stored: e.Stored, Estimated: true,
		})
	}
	return kinds
}

// Pages are the page reads of all clients of a server: those answered from memory, and the others.
type Pages struct{ Hits, Misses int64 }

// ServerFigures are what a store fetches from its server for metrics.
type ServerFigures struct {
	Pages tally.Cached[Pages]
	Kinds tally.Cached[Estimates]
	IDs   tally.Cached[map[string]int64] // that are left, by kind
}

const (
	// figuresWait limits how long a request for metrics waits for the server.
	figuresWait = 250 * time.Millisecond
	// estimatesAge is the greatest age of estimates.
	estimatesAge = time.Minute
)

// NewServerFigures returns figures that are fetched by the given functions, with a timeout for each fetch.
func NewServerFigures(
	timeout time.Duration,
	pages func(context.Context) (Pages, error), kinds func(context.Context) (Estimates, error),
	nextID func(ctx context.Context, kind string) (int64, error),
) *ServerFigures {
	return &ServerFigures{
		Pages: tally.Cached[Pages]{Fetch: pages, MaxWait: figuresWait, Timeout: timeout},
		Kinds: tally.Cached[Estimates]{Fetch: kinds, MaxAge: estimatesAge, MaxWait: figuresWait, Timeout: timeout},
		IDs: tally.Cached[map[string]int64]{
			Fetch: func(ctx context.Context) (map[string]int64, error) {
				left := make(map[string]int64)
				for _, kind := range tpox.IDKinds {
					next, err := nextID(ctx, kind)
					if err != nil {
						return nil, err
					}
					left[kind] = tpox.IDsLeft(next)
				}
				return left, nil
			},
			MaxWait: figuresWait, Timeout: timeout,
		},
	}
}

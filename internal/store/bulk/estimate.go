package bulk

import (
	"context"
	"time"

	"brokerage/internal/dataset"
	"brokerage/internal/store/tally"
)

// Estimate is how many documents of a kind there are, and the bytes of their
// table, as a server takes it from what it keeps count of by itself: to ask for it
// reads no document.
type Estimate struct {
	Known             bool // that the server has counted them at all
	Documents, Stored int64
}

// Estimates are those of all kinds.
type Estimates [len(dataset.Kinds)]Estimate

// Pages are those of the database that its server found among what it keeps in
// memory, and those that it did not: its counts, for all its clients.
type Pages struct{ Hits, Misses int64 }

// Figures are what a store asks its server for, for metrics.
type Figures struct {
	Pages tally.Asked[Pages]
	Kinds tally.Asked[Estimates]
}

const (
	// figuresPatience is how long a look at either waits: it must not hang where the
	// server does.
	figuresPatience = 250 * time.Millisecond
	// estimatesAge is how old what the server says of its tables may be.
	estimatesAge = time.Minute
)

// NewFigures says how the server is asked, and within what time it has to answer.
func NewFigures(within time.Duration, pages func(context.Context) (Pages, error), kinds func(context.Context) (Estimates, error)) *Figures {
	return &Figures{
		Pages: tally.Asked[Pages]{Ask: pages, Patience: figuresPatience, Within: within},
		Kinds: tally.Asked[Estimates]{Ask: kinds, Every: estimatesAge, Patience: figuresPatience, Within: within},
	}
}

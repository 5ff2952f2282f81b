package drive

import (
	"context"
	"time"

	"brokerage/internal/probe"
	"brokerage/internal/result"
	"brokerage/internal/tpox"
	"brokerage/internal/workload"
)

// Target is what a workload runs against: NewDirect and NewHTTP make one.
type Target interface {
	// describe describes the target for the result, and returns what it holds. With workload.ErrNoDataset, it also
	// returns a population, which has no dataset to draw from.
	describe(ctx context.Context) (result.Target, *workload.Population, error)
	// permits returns an error if the client may not run a workload, or if the workload does not fit the target. On a
	// store, it runs the setup statements of own transactions.
	permits(ctx context.Context, d *workload.Definition) error
	lease(ctx context.Context, kind string, count int64) (tpox.Range, error)
	// open returns a session for one user. The context is for the connecting alone.
	open(ctx context.Context, consistency Consistency) (session, error)
	// account returns the document of an account.
	account(ctx context.Context, id tpox.ID) ([]byte, error)
	// reading returns what the target has used so far.
	reading(ctx context.Context) (reading, error)
}

// session carries out the calls of one user.
type session interface {
	do(ctx context.Context, c *workload.Call) result.Outcome
	// ping returns an error if the target does not answer.
	ping(ctx context.Context) error
	close()
}

// reading is what a target has used up to one moment.
type reading struct {
	process probe.Figures // nil if its service reports none, and for a target in this process
	store   probe.Figures // by the names of the service's metrics
	missing []string      // of the process, with the reason
}

// answerWithin is the timeout of a call. It exceeds a service's default timeout for its store, so that a load
// generator sees the service's own timeout.
const answerWithin = 30 * time.Second

package workload

import (
	"context"

	"brokerage/internal/tpox"
)

// Backend is what a workload runs against: a store or a service.
type Backend interface {
	// describe describes the backend for the result, and returns what it holds. With ErrNoDataset, the population has no
	// documents.
	describe(ctx context.Context) (Target, *population, error)
	// permits returns an error if the client may not run a workload, or if the workload does not fit the backend. It makes
	// what own transactions need.
	permits(ctx context.Context, d *Definition) error
	lease(ctx context.Context, kind string, count int64) (tpox.Range, error)
	// open returns a session for one user. The context ends its calls.
	open(ctx context.Context, check checker, consistency Consistency) (session, error)
	// reading returns what the backend has used so far.
	reading(ctx context.Context) (reading, error)
}

// session carries out the calls of one user.
type session interface {
	do(ctx context.Context, c *call) outcome
	// recover waits until the backend answers again, and returns an error if it does not.
	recover(ctx context.Context) error
	close()
}

// reading is what a backend has used at one moment. A backend in this process has no process of its own.
type reading struct {
	process *ProcessUsage // CPUSeconds and MemoryAfter
	figures map[string]float64
}

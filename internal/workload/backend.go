package workload

import (
	"context"

	"brokerage/internal/brokerage"
)

// Backend is what a workload is run against: a store, or a service.
type Backend interface {
	// stamp says what it is, for the result, with the settings that it knows.
	stamp(ctx context.Context) (Target, map[string]string, error)
	// population says what it holds.
	population(ctx context.Context) (*population, error)
	// permits refuses a workload that the client may not run.
	permits(ctx context.Context, d *Definition) error
	lease(ctx context.Context, kind string, count int64) (brokerage.Range, error)
	// open makes a user's own way to it. Its calls end with the context.
	open(ctx context.Context, check checker, sectors []string) (session, error)
	// reading is what it has used so far.
	reading(ctx context.Context) (reading, error)
}

// session carries out the calls of one user.
type session interface {
	do(ctx context.Context, c *call) outcome
	// recover finds out whether there is anybody left to answer, after no answer
	// came.
	recover(ctx context.Context) error
	close()
}

// reading is what a backend has used at one moment. Without a service of its own
// it has no process.
type reading struct {
	process *processReading
	figures map[string]float64
}

type processReading struct {
	cpu    float64 // seconds
	memory int64
}

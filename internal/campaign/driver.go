package campaign

import (
	"context"

	"brokerage/internal/workload"
)

// Driver makes the load. What is ended before its time gives the run as far as it came and the error that ended it;
// with an error alone there is no run.
type Driver interface {
	// Check refuses what is no workload.
	Check(workloads []string) error
	// Run runs a workload against a service.
	Run(ctx context.Context, s Service, p Pressure) (*workload.Run, error)
	// Tier runs one by turns against the store itself and through a service.
	Tier(ctx context.Context, e Engine, p Pressure) (*workload.Tier, error)
}

// Pressure is what a run puts on a service. Times are in seconds.
type Pressure struct {
	Workload string
	Validate *bool // instead of what the workload's file says
	Users    int
	WarmUp   float64
	Duration float64
	Think    float64
	Seed     uint64
	Settings map[string]string // of the store, for the result
}

// Service is the service under test, a process of its own.
type Service interface {
	URL() string
	Token() string
	PID() int
	// Stop ends it in good order. That it is gone already is an error.
	Stop() error
}

// ServiceSettings are what the service under test is started with.
type ServiceSettings struct {
	DB           string
	Pool         int // 0 is for the store to say
	CPUs         int // that it may use; 0 is all
	Uncompressed bool
}

// Starter starts a service and waits until it is ready.
type Starter func(ctx context.Context, s ServiceSettings) (Service, error)

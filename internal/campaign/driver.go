package campaign

import (
	"context"

	"brokerage/internal/workload"
)

// Driver generates the load. A run that is ended early is returned together with the error that ended it.
type Driver interface {
	// Check returns an error when a workload does not exist or is invalid.
	Check(workloads []string) error
	// Run runs a workload against a service.
	Run(ctx context.Context, s Service, p Pressure) (*workload.Run, error)
	// Tier runs a workload alternately against the store itself and through a service.
	Tier(ctx context.Context, e Engine, p Pressure) (*workload.Tier, error)
}

// Pressure is the load of a run. Times are in seconds.
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

// Service is the service under test, in a process of its own.
type Service interface {
	URL() string
	Token() string
	PID() int
	// Stop shuts the service down. It returns an error when the service has already ended.
	Stop() error
}

// ServiceSettings are the settings of the service under test.
type ServiceSettings struct {
	DB           string
	Pool         int // 0 is for the store to say
	CPUs         int // that it may use; 0 is all
	Uncompressed bool
}

// Starter starts a service and waits until it is ready.
type Starter func(ctx context.Context, s ServiceSettings) (Service, error)

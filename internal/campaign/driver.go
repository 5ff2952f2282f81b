package campaign

import (
	"cmp"
	"context"
	"time"

	"brokerage/internal/dataset"
	"brokerage/internal/drive"
	"brokerage/internal/ledger"
	"brokerage/internal/result"
	"brokerage/internal/store"
	"brokerage/internal/workload"
)

// Driver generates the load. A run that is ended early is returned together with the error that ended it.
type Driver interface {
	// Run runs a workload against a service.
	Run(ctx context.Context, s *Service, p Pressure) (*result.Run, error)
}

// Pressure is the load of a run.
type Pressure struct {
	Workload string
	Validate *bool // instead of what the workload's file says
	// NewDocuments says who uses what users insert, instead of what the workload's file says; empty for that.
	NewDocuments string
	Users        int
	WarmUp       time.Duration
	Duration     time.Duration
	Think        time.Duration
	Seed         uint64
	Settings     map[string]string // of the store, for the result
	Observer     store.Observer    // of the database's server; may be nil
	// Documents is how many transactions are measured, instead of a Duration; 0 for none.
	Documents int64
	// Populates is the dataset that the users of a database without one work on; nil for that of the database.
	Populates *dataset.Dataset
	Ledger    *ledger.Writer // of the changes; nil for none
	Break     drive.Break    // of the service
}

// Workloads is the Driver that runs the workloads of package workload, in this process.
type Workloads struct {
	Versions Versions
}

// Check returns an error when a workload does not exist, is invalid, or cannot run through a service.
func (Workloads) Check(workloads []string) error {
	for _, name := range workloads {
		definition, err := workload.Load(name)
		if err == nil {
			err = definition.Fits("")
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (d Workloads) config(p Pressure) (c drive.Plan, err error) {
	definition, err := workload.Load(p.Workload)
	if err != nil {
		return c, err
	}
	if p.Validate != nil {
		definition.Validate = *p.Validate
	}
	definition.NewDocuments = cmp.Or(p.NewDocuments, definition.NewDocuments)
	const intervals = 6 // of a run, which show whether it was steady
	return drive.Plan{
		Definition: definition, Users: p.Users, Ramp: p.WarmUp, Duration: p.Duration,
		Think: drive.Think{Mean: p.Think}, Every: p.Duration / intervals, Seed: p.Seed,
		Settings: p.Settings, Count: p.Documents, Observer: p.Observer, Ledger: p.Ledger, Break: p.Break,
		Version: d.Versions.Brokerage, Commit: d.Versions.Commit,
	}, nil
}

// Run runs a workload through a service.
func (d Workloads) Run(ctx context.Context, s *Service, p Pressure) (*result.Run, error) {
	config, err := d.config(p)
	if err != nil {
		return nil, err
	}
	backend, err := drive.NewHTTP(s.URL, s.Token, nil)
	if err != nil {
		return nil, err
	}
	if p.Populates != nil {
		return drive.Run(ctx, config, drive.Populating(backend, p.Populates))
	}
	return drive.Run(ctx, config, backend)
}

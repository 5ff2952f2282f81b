package campaign

import (
	"context"
	"time"

	"brokerage/internal/workload"
)

// Workloads is the Driver that runs the workloads of package workload, in this process.
type Workloads struct {
	Versions Versions
	// Compare runs a workload on the database of a URL, alternately by direct calls and through a service.
	Compare func(ctx context.Context, url string, c workload.Config, turns int) (*workload.Tier, error)
}

// Check returns an error when a workload cannot be read.
func (Workloads) Check(workloads []string) error {
	for _, name := range workloads {
		if _, err := workload.Load(name); err != nil {
			return err
		}
	}
	return nil
}

func (d Workloads) config(p Pressure) (c workload.Config, err error) {
	definition, err := workload.Load(p.Workload)
	if err != nil {
		return c, err
	}
	if p.Validate != nil {
		definition.Validate = *p.Validate
	}
	return workload.Config{
		Definition: definition, Users: p.Users, Ramp: seconds(p.WarmUp), Duration: seconds(p.Duration),
		Think: seconds(p.Think),
		Every: seconds(p.Duration / intervals), Seed: p.Seed, Settings: p.Settings, Version: d.Versions.Brokerage,
		Commit: d.Versions.Commit,
	}, nil
}

// intervals is the number of intervals of a run, which show whether it was steady.
const intervals = 6

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// Run runs a workload through a service.
func (d Workloads) Run(ctx context.Context, s Service, p Pressure) (*workload.Run, error) {
	config, err := d.config(p)
	if err != nil {
		return nil, err
	}
	backend, err := workload.NewHTTP(s.URL(), s.Token(), nil)
	if err != nil {
		return nil, err
	}
	return workload.Drive(ctx, backend, config)
}

// Tier compares in this process: the database is opened only once, so both sides find its caches equally warm.
func (d Workloads) Tier(ctx context.Context, e Engine, p Pressure) (*workload.Tier, error) {
	config, err := d.config(p)
	if err != nil {
		return nil, err
	}
	return d.Compare(ctx, e.URL(), config, tierTurns)
}

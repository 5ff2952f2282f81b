package campaign

import (
	"cmp"
	"context"

	"brokerage/internal/drive"
	"brokerage/internal/result"
	"brokerage/internal/workload"
)

// Driver runs a plan against a service. A run that is ended early is returned together with the error that ended it.
type Driver func(ctx context.Context, s *Service, p drive.Plan) (*result.Run, error)

// Drive is the Driver that generates the load in this process.
func Drive(ctx context.Context, s *Service, p drive.Plan) (*result.Run, error) {
	backend, err := drive.NewHTTP(s.URL, s.Token, nil)
	if err != nil {
		return nil, err
	}
	return drive.Run(ctx, p, backend)
}

// CheckWorkloads returns an error when a workload among the steps does not exist, is invalid, or cannot run through a
// service.
func (s Settings) CheckWorkloads() error {
	for _, step := range s.Steps {
		if step == populationStep || step == coresStep || step == crashStep {
			continue
		}
		definition, err := workload.Load(step)
		if err == nil {
			err = definition.Fits("")
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// load returns how a workload runs.
func (r *running) load(p *RunPlan) (plan drive.Plan, err error) {
	definition, err := workload.Load(p.Workload)
	if err != nil {
		return plan, err
	}
	if p.Validate != nil {
		definition.Validate = *p.Validate
	}
	s := &r.Settings
	definition.NewDocuments = cmp.Or(s.NewDocuments, definition.NewDocuments)
	plan = drive.Plan{
		Definition: definition, Users: p.Users, Count: p.Documents, Ramp: s.WarmUp.Duration, Duration: s.Duration.Duration,
		Think: drive.Think{Mean: s.Think.Duration}, Seed: s.Seed, Version: r.Versions.Brokerage, Commit: r.Versions.Commit,
	}
	if p.Documents > 0 { // with a warm-up as short as is valid, since the database grows by it too
		plan.Ramp, plan.Duration = min(plan.Ramp, validWarmUp), 0
	}
	const intervals = 6 // of a run, which show whether it was steady
	plan.Every = plan.Duration / intervals
	return plan, nil
}

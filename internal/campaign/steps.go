package campaign

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"brokerage/internal/result"
	"brokerage/internal/tpox"
)

// do runs a step.
func (r *running) do(ctx context.Context, s *Step) error {
	e := r.Subject
	if s.Variant != nil {
		e = e.As(*s.Variant)
	}
	switch s.Kind {
	case KindCreate:
		return e.Create(ctx)
	case KindPopulation:
		return r.populate(ctx, e, s)
	case KindLoad:
		return r.load(ctx, e, s)
	case KindStatistics:
		return e.Statistics(ctx)
	case KindSpace:
		space, err := e.Space(ctx)
		if err == nil {
			s.Space = &space
		}
		return err
	case KindBackup:
		return r.copyDatabase(ctx, e, s, e.Backup)
	case KindRestore:
		return r.copyDatabase(ctx, e, s, e.Restore)
	case KindRun:
		return r.measure(ctx, e, s)
	case KindInserts:
		return r.stages(ctx, e, s)
	case KindFind:
		return r.find(ctx, e, s)
	default:
		return fmt.Errorf("there are no steps of kind %q", s.Kind)
	}
}

// load loads the dataset into a database that it creates again: an interrupted load has left a part of it.
func (r *running) load(ctx context.Context, e Subject, s *Step) error {
	if err := e.Create(ctx); err != nil {
		return err
	}
	s.Load = &BulkLoad{}
	w := &loadWatch{dataset: r.dataset, now: r.Now, load: s.Load}
	w.begin()
	last := r.Now()
	err := e.Load(ctx, r.dataset, func(documents int, bytes int64) {
		w.add(int64(documents), bytes)
		r.Progress.Within(w.share())
		last = r.Now()
	})
	if err != nil {
		return err
	}
	s.Load.Finish = r.Now().Sub(last).Seconds()
	r.intact[e.URL()] = true
	if s.Variant != nil {
		return nil
	}
	return r.describe(ctx, e)
}

// describe records the contents and the settings of the database.
func (r *running) describe(ctx context.Context, e Subject) (err error) {
	if r.record.Dataset, err = contentsOf(ctx, e.URL()); err != nil {
		return err
	}
	r.record.Store, err = e.Describe(ctx)
	return err
}

// copyDatabase measures a backup or a restore. After either, the database is in the state of the backup.
func (r *running) copyDatabase(ctx context.Context, e Subject, s *Step, do func(context.Context) (Copy, error)) error {
	began := r.Now()
	c, err := do(ctx)
	if err != nil {
		return err
	}
	c.Rate = float64(c.Database) / max(r.Now().Sub(began).Seconds(), 1e-3)
	s.Copy, r.intact[e.URL()] = &c, true
	return nil
}

// restore restores a database to the state after the load, unless nothing has changed it.
func (r *running) restore(ctx context.Context, e Subject) (err error) {
	switch {
	case r.intact[e.URL()]:
		return nil
	case e.Reloads():
		if err = e.Create(ctx); err == nil {
			err = e.Load(ctx, r.dataset, func(int, int64) {})
		}
	case r.Subject.Lacks(KindRestore) != "":
		return nil
	case !e.BackedUp():
		return errors.New("the backup of the database is missing: --replace starts again")
	default:
		_, err = e.Restore(ctx)
	}
	r.intact[e.URL()] = err == nil
	return err
}

// measure runs a workload on restored data. A run whose only faults are other load on the machine and an unsteady rate,
// which that mostly causes, is made once more, and the second counts.
func (r *running) measure(ctx context.Context, e Subject, s *Step) error {
	for try := range 2 {
		began := r.Now()
		if err := r.restore(ctx, e); err != nil {
			return err
		}
		s.Restore += r.Now().Sub(began).Seconds()
		s.Again = try > 0
		var err error
		if s.Run, err = r.run(ctx, e, s.Variant, r.pressure(s.Plan)); err != nil || !onlyDisturbed(s.Run) {
			return err
		}
	}
	return nil
}

func (r *running) pressure(p *RunPlan) Pressure {
	load := Pressure{
		Workload: p.Workload, Validate: p.Validate, Users: p.Users, Documents: p.Documents,
		WarmUp: r.Settings.WarmUp, Duration: r.Settings.Duration, Think: r.Settings.Think, Seed: r.Settings.Seed,
	}
	if p.Documents > 0 {
		load.WarmUp, load.Duration = r.Settings.insertWarmUp(), 0
	}
	return load
}

// run runs a workload against a service of its own.
func (r *running) run(ctx context.Context, e Subject, v *Variant, p Pressure) (_ *result.Run, err error) {
	if p.Settings, err = r.storeSettings(ctx, e, v); err != nil {
		return nil, err
	}
	service, err := r.Start(ctx, r.serviceSettings(e, v))
	if err != nil {
		return nil, err
	}
	run, err := r.drive(ctx, e, service, p)
	return run, ended(service, err)
}

// ended stops a service. If the service has died, it returns that error instead of the errors of requests to it.
func ended(service *Service, err error) error {
	if stopped := service.Stop(); err == nil || errors.Is(stopped, ErrGone) {
		return stopped
	}
	return err
}

func (r *running) serviceSettings(e Subject, v *Variant) ServiceSettings {
	settings := ServiceSettings{DB: e.URL(), Pool: r.Settings.Pool}
	if v != nil {
		settings.CPUs, settings.Uncompressed = v.CPUs, v.Uncompressed
		if v.Pool > 0 {
			settings.Pool = v.Pool
		}
	}
	return settings
}

func (r *running) drive(ctx context.Context, e Subject, service *Service, p Pressure) (run *result.Run, err error) {
	if p.Observer, err = e.Watch(ctx); err != nil {
		return nil, err
	}
	if p.Observer != nil {
		defer func() { err = errors.Join(err, p.Observer.Close()) }()
	}
	run, err = r.Driver.Run(ctx, service, p)
	r.intact[e.URL()] = err == nil && readOnly(run)
	return run, err
}

// storeSettings returns the settings of the store and its durability for the result of a run. No service has the
// database open.
func (r *running) storeSettings(ctx context.Context, e Subject, v *Variant) (map[string]string, error) {
	if r.record.Store.Engine == "" { // nothing was loaded, for the store keeps nothing
		if err := r.describe(ctx, e); err != nil {
			return nil, err
		}
	}
	is := r.record.Store
	if e.URL() != r.Subject.URL() {
		var err error
		if is, err = e.Describe(ctx); err != nil {
			return nil, err
		}
	}
	settings := map[string]string{"durability": is.Durability}
	maps.Copy(settings, is.Settings)
	if s := r.serviceSettings(e, v); s.Pool > 0 {
		settings["pool"] = strconv.Itoa(s.Pool)
	}
	return settings, nil
}

// readOnly reports whether a run, its preparation included, had nothing but queries.
func readOnly(run *result.Run) bool {
	for _, part := range run.Workload.Mix {
		if !slices.ContainsFunc(tpox.Transactions[:], func(t tpox.Transaction) bool {
			return t.Name == part.Transaction && t.Kind == tpox.Query
		}) {
			return false
		}
	}
	return run.Prepared == nil || run.Prepared.Orders+run.Prepared.Customers == 0
}

// find looks for the highest rate that meets a goal.
func (r *running) find(ctx context.Context, e Subject, s *Step) error {
	if err := r.restore(ctx, e); err != nil {
		return err
	}
	p := r.pressure(&RunPlan{Workload: r.Settings.yardstick(), Users: r.Settings.Reference})
	p.Think, p.Find = 0, r.Settings.Find
	p.Step = searchStep(r.Settings)
	run, err := r.run(ctx, e, nil, p)
	if run != nil {
		s.Found = run
	}
	return err
}

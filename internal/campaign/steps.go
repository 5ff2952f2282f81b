package campaign

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"brokerage/internal/drive"
	"brokerage/internal/ledger"
	"brokerage/internal/output"
	"brokerage/internal/result"
	"brokerage/internal/store"
	"brokerage/internal/tpox"
)

// do runs a step.
func (r *running) do(ctx context.Context, s *Step) error {
	e := r.Subject
	switch s.Kind {
	case KindCreate:
		return e.Create(ctx)
	case KindPopulation:
		return r.populate(ctx, s)
	case KindLoad:
		return r.loadDataset(ctx, s)
	case KindStatistics:
		return e.Statistics(ctx)
	case KindSpace:
		space, err := e.Space(ctx)
		if err == nil {
			s.Space = &space
		}
		return err
	case KindBackup:
		return r.copyDatabase(ctx, s, e.Backup)
	case KindRestore:
		return r.copyDatabase(ctx, s, e.Restore)
	case KindRun:
		return r.measure(ctx, s)
	case KindCrash:
		return r.crash(ctx, s)
	default:
		return fmt.Errorf("there are no steps of kind %q", s.Kind)
	}
}

// loadDataset loads the dataset into a database that it creates again: an interrupted load has left a part of it.
func (r *running) loadDataset(ctx context.Context, s *Step) error {
	if err := r.Subject.Create(ctx); err != nil {
		return err
	}
	load := &BulkLoad{}
	last, all := r.Now(), rawBytes(r.dataset)
	err := r.Subject.Load(ctx, r.dataset, func(documents int, bytes int64) {
		load.Documents += int64(documents)
		load.Bytes += bytes
		r.Progress.within(float64(load.Bytes) / all)
		last = r.Now()
	})
	if err != nil {
		return err
	}
	load.Finish = r.Now().Sub(last).Seconds()
	s.Load, r.intact = load, true
	return r.describe(ctx)
}

// describe records the contents and the settings of the database.
func (r *running) describe(ctx context.Context) (err error) {
	if r.record.Dataset, err = contentsOf(ctx, r.Subject.URL()); err != nil {
		return err
	}
	r.record.Store, err = r.Subject.Describe(ctx)
	return err
}

// copyDatabase measures a backup or a restore. After either, the database is in the state of the backup.
func (r *running) copyDatabase(ctx context.Context, s *Step, do func(context.Context) (Copy, error)) error {
	began := r.Now()
	c, err := do(ctx)
	if err != nil {
		return err
	}
	c.Rate = float64(c.Database) / max(r.Now().Sub(began).Seconds(), 1e-3)
	s.Copy, r.intact = &c, true
	return nil
}

// restore restores the database to the state after the load, unless nothing has changed it. A database without a backup
// is emptied and loaded again.
func (r *running) restore(ctx context.Context) (err error) {
	e := r.Subject
	_, missing := os.Stat(e.BackupFile())
	switch {
	case r.intact, e.Lacks(KindLoad) != "":
		return nil
	case e.Lacks(KindBackup) != "" || e.Lacks(KindRestore) != "":
		if err = e.Create(ctx); err == nil {
			err = e.Load(ctx, r.dataset, func(int, int64) {})
		}
	case missing != nil:
		return errors.New("the backup of the database is missing: --replace starts again")
	default:
		_, err = e.Restore(ctx)
	}
	r.intact = err == nil
	return err
}

// measure runs a workload on restored data. A run whose only faults are other load on the machine and an unsteady rate,
// which that mostly causes, is made once more, and the second counts.
func (r *running) measure(ctx context.Context, s *Step) error {
	for try := range 2 {
		began := r.Now()
		if err := r.restore(ctx); err != nil {
			return err
		}
		s.Restore += r.Now().Sub(began).Seconds()
		s.Again = try > 0
		p, err := r.load(s.Plan)
		if err != nil {
			return err
		}
		if s.Run, err = r.run(ctx, s.Plan, p); err != nil || !onlyDisturbed(s.Run.Validity) {
			return err
		}
	}
	return nil
}

// run runs a workload against a service of its own.
func (r *running) run(ctx context.Context, plan *RunPlan, p drive.Plan) (run *result.Run, err error) {
	if p.Settings, err = r.storeSettings(ctx, plan); err != nil {
		return nil, err
	}
	service, err := r.Start(ctx, ServiceSettings{DB: r.Subject.URL(), Pool: plan.Connections, CPUs: plan.CPUs})
	if err != nil {
		return nil, err
	}
	if p.Break.At > 0 {
		p.Break.Do = service.Restart
	}
	run, err = r.drive(ctx, service, plan, p)
	// If the service has died, that is the error, instead of those of requests to it.
	if stopped := service.Stop(); err == nil || errors.Is(stopped, ErrGone) {
		err = stopped
	}
	return run, err
}

// drive generates the load. In a test of cores, a database server on this machine is limited to as many cores as the
// service, where the system allows it.
func (r *running) drive(
	ctx context.Context, service *Service, plan *RunPlan, p drive.Plan,
) (_ *result.Run, err error) {
	database, err := store.Find(r.Subject.URL())
	if err != nil {
		return nil, err
	}
	if p.Observer, err = database.Watch(ctx); err != nil {
		return nil, err
	}
	if p.Observer != nil {
		defer func() { err = errors.Join(err, p.Observer.Close()) }()
		if server := p.Observer.Process(); server != 0 && plan.CPUs > 0 {
			undo, limited := limitCores(server, plan.CPUs)
			if plan.ServerLimited = limited == nil; plan.ServerLimited {
				defer func() { err = errors.Join(err, undo()) }()
			}
		}
	}
	r.intact = false
	run, err := r.Driver(ctx, service, p)
	r.intact = err == nil && readOnly(run)
	return run, err
}

// storeSettings returns the settings of the store and its durability for the result of a run. No service has the
// database open.
func (r *running) storeSettings(ctx context.Context, plan *RunPlan) (map[string]string, error) {
	if r.record.Store.Engine == "" { // nothing is loaded yet, or the store keeps nothing
		if err := r.describe(ctx); err != nil {
			return nil, err
		}
	}
	is := r.record.Store
	settings := map[string]string{"durability": is.Durability}
	maps.Copy(settings, is.Settings)
	if plan.Connections > 0 {
		settings["pool"] = strconv.Itoa(plan.Connections)
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

// In a run of crashTime the service is killed after killedAfter: it has the rest to start again.
const (
	crashTime   = 20 * time.Second
	killedAfter = 5 * time.Second
)

// crash kills the service in the middle of a run with a ledger, starts it again, and finds out what the database has
// kept of what was acknowledged. The ledger stays if that is not all.
func (r *running) crash(ctx context.Context, s *Step) error {
	if err := r.restore(ctx); err != nil {
		return err
	}
	path := filepath.Join(r.Folder, "crash.ledger")
	if err := removeFile(path); err != nil {
		return err
	}
	w, err := ledger.Create(output.File{Path: path})
	if err != nil {
		return err
	}
	p, err := r.load(s.Plan)
	if err == nil {
		p.Duration, p.Ledger, p.Break = crashTime, w, drive.Break{At: killedAfter}
		s.Run, err = r.run(ctx, s.Plan, p)
	}
	if err := errors.Join(err, w.Close()); err != nil {
		return err
	}
	history, err := ledger.ReadFile(path)
	if err != nil {
		return err
	}
	db, err := store.Open(ctx, r.Subject.URL(), store.Options{})
	if err != nil {
		return err
	}
	proof, err := ledger.Verify(ctx, db, history, func(string) error { return nil })
	if err := errors.Join(err, db.Close()); err != nil {
		return err
	}
	s.Run.Prove(proof)
	if proof.Broken() {
		return nil
	}
	return os.Remove(path)
}

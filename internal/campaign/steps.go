package campaign

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"brokerage/internal/dataset"
	"brokerage/internal/drive"
	"brokerage/internal/ledger"
	"brokerage/internal/output"
	"brokerage/internal/result"
	"brokerage/internal/store"
	"brokerage/internal/workload"
)

// do runs a step.
func (c *Campaign) do(ctx context.Context, s *Step) (err error) {
	switch s.Kind {
	case KindPopulation:
		return c.populate(ctx, s)
	case KindLoad:
		return c.load(ctx, s)
	case KindSpace:
		s.Space, err = c.Subject.Space(ctx)
		return err
	case KindBackup:
		s.Copy, err = c.Subject.Backup(ctx)
		return err
	case KindRestore:
		s.Copy, err = c.Subject.Restore(ctx)
		c.intact = err == nil
		return err
	case KindRun:
		return c.measure(ctx, s)
	case KindCrash:
		return c.crash(ctx, s)
	default:
		return fmt.Errorf("there are no steps of kind %q", s.Kind)
	}
}

// populationStages is the number of stages of each kind of documents.
const populationStages = 4

// populate lets users fill a database that has only securities: they insert as many customers and orders as the dataset
// has, each by a transaction of its own, in stages. No transaction inserts a security, so the securities are loaded.
func (c *Campaign) populate(ctx context.Context, s *Step) error {
	spec := c.dataset.Spec()
	var err error
	if spec.Scale, err = dataset.ScaleOf(0, 0); err != nil {
		return err
	}
	c.intact = false
	if err := c.Subject.Load(ctx, dataset.New(spec), func(int, int64) {}); err != nil {
		return err
	}
	for _, of := range []struct {
		workload string
		kind     dataset.Kind
	}{{insertCustomers, dataset.Customer}, {insertOrders, dataset.Order}} {
		all := c.dataset.Count(of.kind)
		for stage := range int64(populationStages) {
			c.Progress.within(float64(len(s.Inserts)) / (2 * populationStages))
			g := Growth{Stage: int(stage) + 1, Workload: of.workload, Before: stage * all / populationStages}
			documents := (stage+1)*all/populationStages - g.Before
			if documents == 0 { // there are fewer documents than stages
				continue
			}
			users := int(min(int64(c.Settings.insertion(of.workload).Users), documents))
			plan := &RunPlan{Workload: of.workload, Users: users, Documents: documents, Validate: new(false),
				Connections: c.connectionsOf(users)}
			p, err := c.drivePlan(plan)
			if err != nil {
				return err
			}
			p.Ramp, p.Seed, p.Populates = 0, p.Seed+uint64(g.Stage), c.dataset
			run, err := c.run(ctx, plan, p)
			if run != nil {
				g.Documents, g.Rate, g.Run = run.Total.Good, run.Goodput, *run
				s.Inserts = append(s.Inserts, g)
			}
			if err == nil && g.Documents < documents {
				err = fmt.Errorf("only %d of %d documents were inserted (%s)", g.Documents, documents,
					strings.Join(result.Frequent(run.Total.Unexpected), ", "))
			}
			if err != nil {
				return fmt.Errorf("stage %d, %s: %w", g.Stage, of.workload, err)
			}
			space, err := c.Subject.Space(ctx)
			if err != nil {
				return err
			}
			s.Inserts[len(s.Inserts)-1].Total = space.Total
		}
	}
	return nil
}

// load loads the dataset, and records the contents and the settings of the database.
func (c *Campaign) load(ctx context.Context, s *Step) error {
	load, last, all := new(BulkLoad), time.Now(), float64(0)
	for _, k := range dataset.Kinds {
		all += float64(c.dataset.ExpectedBytes(k))
	}
	err := c.Subject.Load(ctx, c.dataset, func(documents int, bytes int64) {
		load.Documents += int64(documents)
		load.Bytes += bytes
		c.Progress.within(float64(load.Bytes) / all)
		last = time.Now()
	})
	if err != nil {
		return err
	}
	load.Finish = time.Since(last).Seconds()
	s.Load, c.intact = load, true
	c.record.Store, c.record.Dataset, err = c.Subject.Describe(ctx)
	return err
}

// restore restores the database to the state after the load, unless nothing has changed it. A database without a backup
// is loaded again.
func (c *Campaign) restore(ctx context.Context) (err error) {
	switch {
	case c.intact:
		return nil
	case c.Subject.BackupFile() == "":
		err = c.Subject.Load(ctx, c.dataset, func(int, int64) {})
	default:
		if _, err = c.Subject.Restore(ctx); errors.Is(err, fs.ErrNotExist) {
			err = errors.New("the backup of the database is missing: --replace starts again")
		}
	}
	c.intact = err == nil
	return err
}

// measure runs a workload on restored data. A run whose only faults are that it was unsteady or that other programs
// used the machine is repeated once, and the second run counts.
func (c *Campaign) measure(ctx context.Context, s *Step) error {
	for try := range 2 {
		began := time.Now()
		if err := c.restore(ctx); err != nil {
			return err
		}
		s.Restore += time.Since(began).Seconds()
		s.Again = try > 0
		p, err := c.drivePlan(s.Plan)
		if err != nil {
			return err
		}
		if s.Run, err = c.run(ctx, s.Plan, p); err != nil || !onlyDisturbed(s.Run.Validity) {
			return err
		}
	}
	return nil
}

// drivePlan returns the plan of a run for the load generator.
func (c *Campaign) drivePlan(r *RunPlan) (p drive.Plan, err error) {
	definition, err := workload.Load(r.Workload)
	if err != nil {
		return p, err
	}
	if r.Validate != nil {
		definition.Validate = *r.Validate
	}
	s := &c.Settings
	definition.NewDocuments = cmp.Or(s.NewDocuments, definition.NewDocuments)
	p = drive.Plan{
		Definition: definition, Users: r.Users, Count: r.Documents, Ramp: s.WarmUp.Duration, Duration: s.Duration.Duration,
		Think: drive.Think{Mean: s.Think.Duration}, Seed: s.Seed, Version: c.Versions.Brokerage, Commit: c.Versions.Commit,
		Settings: map[string]string{"pool": strconv.Itoa(r.Connections)},
	}
	if r.Documents > 0 { // with the shortest valid warm-up, because the database grows during it too
		p.Ramp, p.Duration = min(p.Ramp, validWarmUp), 0
	}
	const intervals = 6 // of a run, which show whether it was steady
	p.Every = p.Duration / intervals
	return p, nil
}

// run runs a workload against a service of its own. In a test of cores, a database server on this machine is limited to
// as many cores as the service, if the system allows it.
func (c *Campaign) run(ctx context.Context, plan *RunPlan, p drive.Plan) (_ *result.Run, err error) {
	database, err := store.Find(c.Subject.URL())
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
	c.intact = c.intact && plan.Workload == query // which alone writes nothing
	return c.Drive(ctx, ServiceSettings{DB: c.Subject.URL(), Pool: plan.Connections, CPUs: plan.CPUs}, p)
}

// In a run of crashTime the service is killed after killedAfter: it has the rest to start again.
const (
	crashTime   = 20 * time.Second
	killedAfter = 5 * time.Second
)

// crash kills the service in the middle of a run with a ledger, starts it again, and finds out what the database has
// kept of what was acknowledged. The ledger is kept if a change was lost or applied twice.
func (c *Campaign) crash(ctx context.Context, s *Step) error {
	if err := c.restore(ctx); err != nil {
		return err
	}
	path := filepath.Join(c.Folder, "crash.ledger")
	if err := removeFile(path); err != nil {
		return err
	}
	w, err := ledger.Create(output.File{Path: path})
	if err != nil {
		return err
	}
	p, err := c.drivePlan(s.Plan)
	if err == nil {
		p.Duration, p.Ledger, p.Break = crashTime, w, drive.Break{At: killedAfter}
		s.Run, err = c.run(ctx, s.Plan, p)
	}
	if err := errors.Join(err, w.Close()); err != nil {
		return err
	}
	db, err := store.Open(ctx, c.Subject.URL(), store.Options{})
	if err != nil {
		return err
	}
	proof, _, err := ledger.Verify(ctx, db, path)
	if err := errors.Join(err, db.Close()); err != nil {
		return err
	}
	s.Run.Prove(proof)
	if proof.Faulty() {
		return nil
	}
	return os.Remove(path)
}

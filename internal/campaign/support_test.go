package campaign

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/dataset"
	"brokerage/internal/drive"
	"brokerage/internal/result"
	_ "brokerage/internal/store/null"
	"brokerage/internal/tpox"
)

// world has everything that a campaign needs: a clock that advances with each action, a database whose state is a word,
// and a driver without load.
type world struct {
	t        testing.TB
	now      time.Time
	db       string   // the state of the database
	backup   string   // the file of its backup, which holds the state
	steps    []string // that began
	runs     []string // workloads that ran to their end
	inserted []string // a fixed number of documents, by users
	services []ServiceSettings
	small    bool // no more than one step of each sort

	onStep func(name string) error      // an error is a Ctrl-C, at the beginning of a step
	onRun  func(l load) (err error)     // an error ends the run in its middle
	judge  func(l load) result.Validity // returns the validity of a run; nil: it is valid
	onStop error                        // error of stopping a service
	stop   context.CancelFunc
}

// load is what the driver gets.
type load struct {
	drive.Plan

	workload  string
	populates bool
}

func newWorld(t testing.TB) *world {
	return &world{
		t: t, now: time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC), backup: filepath.Join(t.TempDir(), "backup"),
	}
}

func (w *world) pass(seconds float64) {
	w.now = w.now.Add(time.Duration(seconds * float64(time.Second)))
}

// The states of a database.
const (
	isEmpty  = "empty"
	isLoaded = "loaded"
	isBase   = "with securities alone"
	isDirty  = "written to"
)

// fakeEngine is the database of a world; it describes itself as null:.
type fakeEngine struct {
	baseSubject

	w *world
}

func (w *world) engine() fakeEngine {
	return fakeEngine{baseSubject{url: "null:", backup: w.backup}, w}
}

func (e fakeEngine) Connections(context.Context) (int, error) { return 3, nil }

func (e fakeEngine) Holds(context.Context) (string, error) { return e.w.db, nil }

func (e fakeEngine) Create(context.Context) error {
	e.w.pass(1)
	e.w.db = isEmpty
	return nil
}

func (e fakeEngine) Load(_ context.Context, d *dataset.Dataset, progress func(int, int64)) error {
	require.Equal(e.w.t, isEmpty, e.w.db)
	for _, k := range dataset.Kinds {
		for range 4 {
			e.w.pass(0.5)
			progress(int(d.Count(k)/4), d.Count(k)*1000)
		}
	}
	if e.w.db = isLoaded; d.Count(dataset.Customer) == 0 {
		e.w.db = isBase
	}
	return nil
}

func (e fakeEngine) Statistics(context.Context) error {
	e.w.pass(1)
	if e.w.db != isLoaded {
		return fmt.Errorf("it is %s", e.w.db)
	}
	return nil
}

func (e fakeEngine) Space(context.Context) (Space, error) {
	return Space{Kinds: []KindBytes{{Kind: "order", Documents: 10}}, Indexes: []NamedBytes{}, Total: 1000, Raw: 2000}, nil
}

func (e fakeEngine) Backup(ctx context.Context) (Copy, error) {
	return Copy{Database: 1000, File: 500}, errors.Join(os.WriteFile(e.backup, []byte(e.w.db), 0o600), e.Statistics(ctx))
}

func (e fakeEngine) Restore(context.Context) (Copy, error) {
	e.w.pass(1)
	state, err := os.ReadFile(e.backup)
	e.w.db = string(state)
	return Copy{Database: 1000, File: 500}, err
}

// start starts a service whose URL is that of its database.
func (w *world) start(_ context.Context, s ServiceSettings) (*Service, error) {
	w.services = append(w.services, s)
	return &Service{URL: s.DB, Stop: func() error { return w.onStop }}, nil
}

func (w *world) drive(ctx context.Context, _ *Service, p drive.Plan) (*result.Run, error) {
	l := load{p, p.Definition.Name, p.Populates != nil}
	if l.populates {
		require.Contains(w.t, []string{isBase, isDirty}, w.db, "a population by %s", l.workload)
	} else {
		require.Equal(w.t, isLoaded, w.db, "a run of %s", l.workload)
	}
	if p.Ledger != nil { // without a change
		require.NoError(w.t, p.Ledger.Start("null/tpox-2/XXXS/seed-1/v1/20833-5000-50000"))
	}
	if l.workload != query {
		w.db = isDirty
	}
	run := runOf(l)
	run.Started = w.now
	if w.onRun != nil {
		if err := w.onRun(l); err != nil {
			w.pass((p.Ramp + p.Duration/2).Seconds())
			run.Ended = result.Interrupted
			return run, err
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	w.pass((p.Ramp + p.Duration).Seconds())
	if w.judge != nil {
		run.Validity = w.judge(l)
	}
	w.runs = append(w.runs, fmt.Sprintf("%s %d", l.workload, p.Users))
	if p.Count > 0 {
		w.inserted = append(w.inserted, fmt.Sprintf("%s %d by %d", l.workload, p.Count, p.Users))
	}
	return run, nil
}

// runOf returns a result with only the required fields.
func runOf(p load) *result.Run {
	transaction, kind := "insert_order", tpox.Insert
	if p.workload == query {
		transaction, kind = "get_order", tpox.Query
	}
	count, measured := cmp.Or(p.Count, 100), cmp.Or(p.Duration.Seconds(), 1)
	row := result.Row{Name: transaction, Kind: kind.String(), Weight: 1, Share: 1, Due: count, Count: count, Good: count}
	return &result.Run{
		Format: result.Format, Tool: result.Tool{Name: "drive", Version: "test"},
		Target: result.Target{Kind: "http", URL: "http://127.0.0.1:1", SameHost: true},
		Workload: result.WorkloadStamp{Name: p.workload, SHA256: strings.Repeat("00", 32), Validate: true,
			Mix: []result.Part{{Transaction: transaction, Weight: 1}}},
		Model: result.Model{Kind: result.Closed, Users: p.Users, Every: 1},
		Ramp:  p.Ramp.Seconds(), Duration: p.Duration.Seconds(), Warmed: p.Ramp.Seconds(), Measured: measured,
		Seed:         p.Seed,
		Ended:        result.Complete,
		Dataset:      result.DatasetStamp{Fingerprint: "test", Scale: "tiny", Profile: "tpox-2"},
		Settings:     p.Settings,
		Machine:      result.Machine{Cores: 2, OS: "linux", Arch: "amd64"},
		Transactions: []result.Row{row}, Kinds: []result.Row{row}, Total: row,
		TPS: float64(count) / measured, TPM: 60 * float64(count) / measured, Goodput: float64(count) / measured,
		Intervals: []result.Interval{}, PerSecond: []int64{}, Validity: result.Validity{Valid: true, Reasons: []string{}},
	}
}

// drawn gets the lines of a terminal. That of a step at its beginning has its number and its name.
func (w *world) drawn(line string) {
	_, name, named := strings.Cut(strings.TrimLeft(line, " "), "  ")
	if !named || strings.HasSuffix(line, " %") {
		return
	}
	w.steps = append(w.steps, name)
	if w.onStep != nil && w.onStep(name) != nil {
		w.stop()
	}
}

// settings returns the settings of a campaign with steps of every kind.
func (w *world) settings() Settings {
	s, err := ReadPreset("full", 1, 1)
	require.NoError(w.t, err)
	s.Scale, s.Users, s.Reference, s.CPUs = "tiny", []int{2, 4}, 4, []int{1}
	s.DB = "null:"
	if w.small {
		s.Users, s.Steps, s.Reference = []int{2}, []string{populationStep, query, mixed, crashStep}, 2
	}
	return s.Resolved()
}

func (w *world) campaign(folder string) *Campaign {
	return &Campaign{
		Settings: w.settings(), Folder: folder,
		Subject: w.engine(), Driver: w.drive, Start: w.start,
		Machine:  Machine{Machine: result.Machine{CPU: "one", Cores: 2, OS: "linux", Arch: "amd64"}, Host: "here"},
		Versions: Versions{Go: "go1", Brokerage: "test", Generator: dataset.Version},
		Progress: &Terminal{Out: io.Discard, Draw: w.drawn}, Now: func() time.Time { return w.now },
	}
}

// run runs a campaign with a context that the world can end.
func (w *world) run(c *Campaign) error {
	ctx, stop := context.WithCancel(w.t.Context())
	defer stop()
	w.stop = stop
	return c.Run(ctx)
}

// completed runs a campaign in a new folder to its end, and returns its record.
func (w *world) completed(change func(c *Campaign)) *Record {
	w.t.Helper()
	c := w.campaign(w.t.TempDir())
	change(c)
	require.NoError(w.t, w.run(c))
	r := read(w.t, c.Folder)
	require.True(w.t, r.Complete)
	return r
}

// stepOf returns the first step for which is reports true.
func stepOf(t testing.TB, r *Record, is func(s Step) bool) Step {
	t.Helper()
	i := slices.IndexFunc(r.Steps, is)
	require.GreaterOrEqual(t, i, 0)
	return r.Steps[i]
}

func read(t testing.TB, folder string) *Record {
	t.Helper()
	r, err := Read(filepath.Join(folder, File))
	require.NoError(t, err)
	return r
}

package campaign

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/dataset"
	"brokerage/internal/drive"
	"brokerage/internal/result"
	"brokerage/internal/store"
	_ "brokerage/internal/store/null"
	"brokerage/internal/testenv"
	"brokerage/internal/tpox"
)

func TestMain(m *testing.M) {
	if how := os.Getenv(asService); how != "" {
		serve(how)
		return
	}
	testenv.Parallel()
	os.Exit(m.Run())
}

// world has everything that a campaign needs: a database whose state is a word, and a driver without load.
type world struct {
	t        testing.TB
	db       string   // the state of the database
	backup   string   // the file of its backup, which holds the state; "" for a database without one
	steps    []string // that began
	runs     []string // workloads that ran to their end, by users, with the number of documents of inserts
	services []ServiceSettings

	onStep func(name string) error               // an error is a Ctrl-C, at the beginning of a step
	onRun  func(p drive.Plan) error              // an error ends the run in its middle
	judge  func(workload string) result.Validity // of a run; nil: it is valid
	stop   context.CancelFunc
}

func newWorld(t testing.TB) *world { return &world{t: t, backup: filepath.Join(t.TempDir(), "backup")} }

// The states of a database.
const (
	isEmpty  = ""
	isLoaded = "loaded"
	isBase   = "with securities alone"
	isDirty  = "written to"
)

// fakeDatabase is the database of a world; it describes itself as null:.
type fakeDatabase struct {
	database

	w *world
}

func (w *world) subject() fakeDatabase {
	found, err := store.Find("null:")
	require.NoError(w.t, err)
	return fakeDatabase{database{found, w.backup}, w}
}

func (e fakeDatabase) Connections(context.Context) (int, error) { return 3, nil }

func (e fakeDatabase) Holds(context.Context) (string, error) { return e.w.db, nil }

func (e fakeDatabase) Load(_ context.Context, d *dataset.Dataset, progress store.Progress) error {
	for _, k := range dataset.Kinds {
		progress(int(d.Count(k)), d.Count(k)*1000)
	}
	if e.w.db = isLoaded; d.Count(dataset.Customer) == 0 {
		e.w.db = isBase
	}
	return nil
}

func (e fakeDatabase) Space(context.Context) (*Space, error) {
	return &Space{Kinds: []KindBytes{{Kind: "order", Documents: 10}}, Indexes: []NamedBytes{}, Total: 1000, Raw: 2000}, nil
}

func (e fakeDatabase) Backup(context.Context) (*Copy, error) {
	return &Copy{Database: 1000, File: 500}, os.WriteFile(e.backup, []byte(e.w.db), 0o600)
}

func (e fakeDatabase) Restore(context.Context) (*Copy, error) {
	state, err := os.ReadFile(e.backup)
	e.w.db = string(state)
	return &Copy{Database: 1000, File: 500}, err
}

func (w *world) drive(ctx context.Context, s ServiceSettings, p drive.Plan) (*result.Run, error) {
	w.services = append(w.services, s)
	name := p.Definition.Name
	if p.Populates != nil {
		require.Contains(w.t, []string{isBase, isDirty}, w.db, "a population by %s", name)
	} else {
		require.Equal(w.t, isLoaded, w.db, "a run of %s", name)
	}
	if p.Ledger != nil { // without a change
		require.NoError(w.t, p.Ledger.Start("null/tpox-2/XXXS/seed-1/v1/20833-5000-50000"))
	}
	if name != query {
		w.db = isDirty
	}
	run := runOf(p)
	if w.onRun != nil {
		if err := w.onRun(p); err != nil {
			run.Ended = result.Interrupted
			return run, err
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if w.judge != nil && p.Ledger == nil {
		run.Validity = w.judge(name)
	}
	did := fmt.Sprintf("%s by %d", name, p.Users)
	if p.Count > 0 {
		did = fmt.Sprintf("%s %d by %d", name, p.Count, p.Users)
	}
	w.runs = append(w.runs, did)
	return run, nil
}

// runOf returns a result with only the required fields.
func runOf(p drive.Plan) *result.Run {
	count, measured := cmp.Or(p.Count, 100), cmp.Or(p.Duration.Seconds(), 1)
	row := result.Row{Name: "insert_order", Kind: tpox.Insert.String(), Weight: 1, Share: 1, Due: count, Count: count,
		Good: count}
	return &result.Run{
		Format: result.Format, Tool: result.Tool{Name: "drive", Version: "test"},
		Target: result.Target{Kind: "http", URL: "http://127.0.0.1:1", SameHost: true},
		Workload: result.WorkloadStamp{Name: p.Definition.Name, SHA256: strings.Repeat("00", 32), Validate: true,
			Mix: []result.Part{{Transaction: row.Name, Weight: 1}}},
		Model: result.Model{Kind: result.Closed, Users: p.Users, Every: 1},
		Ramp:  p.Ramp.Seconds(), Duration: p.Duration.Seconds(), Warmed: p.Ramp.Seconds(), Measured: measured,
		Seed: p.Seed, Ended: result.Complete, Settings: p.Settings,
		Dataset:      result.DatasetStamp{Fingerprint: "test", Scale: "tiny", Profile: "tpox-2"},
		Machine:      result.Machine{Cores: 2, OS: "linux", Arch: "amd64"},
		Transactions: []result.Row{row}, Kinds: []result.Row{row}, Total: row,
		TPS: float64(count) / measured, TPM: 60 * float64(count) / measured, Goodput: float64(count) / measured,
		Intervals: []result.Interval{}, PerSecond: []int64{}, Validity: result.Validity{Valid: true, Reasons: []string{}},
	}
}

// drawn receives each line that a terminal draws. At the beginning of a step, that is its number and name.
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

// campaign returns a campaign with steps of every kind.
func (w *world) campaign(folder string) *Campaign {
	s, err := ReadPreset("full", 1, 1)
	require.NoError(w.t, err)
	s.DB, s.Scale, s.Users, s.Reference, s.CPUs = "null:", "tiny", []int{2, 4}, 4, []int{1}
	return &Campaign{
		Settings: s.Resolved(), Folder: folder, Subject: w.subject(), Drive: w.drive,
		Machine:  Machine{Machine: result.Machine{CPU: "one", Cores: 2, OS: "linux", Arch: "amd64"}, Host: "here"},
		Versions: Versions{Go: "go1", Brokerage: "test", Generator: dataset.Version},
		Progress: &Terminal{Out: io.Discard, Draw: w.drawn},
	}
}

// small returns a campaign with one number of users and few steps.
func (w *world) small(folder string) *Campaign {
	c := w.campaign(folder)
	c.Settings.Users, c.Settings.Reference = []int{2}, 2
	c.Settings.Steps, c.Settings.Cores = []string{populationStep, query, mixed, crashStep}, nil
	return c
}

// run runs a campaign with a context that the world can end, and returns the record in its folder.
func (w *world) run(c *Campaign) (*Record, error) {
	w.t.Helper()
	ctx, stop := context.WithCancel(w.t.Context())
	defer stop()
	w.stop, w.steps = stop, nil
	returned, err := c.Run(ctx)
	if returned == nil {
		return nil, err
	}
	r, readErr := Read(filepath.Join(c.Folder, File))
	require.NoError(w.t, readErr)
	require.Equal(w.t, returned.Complete, r.Complete)
	require.Equal(w.t, err == nil, r.Complete)
	return r, err
}

// stepOf returns the step with a name.
func stepOf(t testing.TB, r *Record, name string) Step {
	t.Helper()
	i := slices.Index(names(r), name)
	require.GreaterOrEqual(t, i, 0, name)
	return r.Steps[i]
}

func names(r *Record) (names []string) {
	for _, s := range r.Steps {
		names = append(names, s.Name)
	}
	return names
}

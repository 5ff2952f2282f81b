package campaign

import (
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/drive"
	"brokerage/internal/testenv"
	"brokerage/internal/workload"
)

// planned returns the plan of settings on a database with a limit of connections, and the dataset's fingerprint.
func planned(t *testing.T, s Settings, connections int) (*Record, string) {
	t.Helper()
	c := newWorld(t).campaign(t.TempDir())
	c.Settings, c.connections = s.Resolved(), connections
	require.NoError(t, c.Settings.Check())
	r, err := c.Plan()
	require.NoError(t, err)
	require.NoFileExists(t, c.file())
	return r, c.dataset.Fingerprint()
}

// Each preset is valid, and has the documents and times of its study. Its steps have names of their own, and each user
// a connection.
func TestReadPreset(t *testing.T) {
	for name, c := range map[string]struct {
		fingerprint string
		duration    time.Duration
		runs        []string // some of them
	}{
		"full":  {"tpox-2/XXXS/seed-1/v1/20833-5000-50000", time.Minute, []string{"query, 100 users", "mixed, 1 user"}},
		"smoke": {"tpox-2/XXXS/seed-1/v1/20833-5000-50000", 8 * time.Second, []string{"query, 8 users", "mixed, 50 users"}},
		"paper-2006": {"tpox-1/S/seed-1/v1/20833-6000000-30000000", time.Hour,
			[]string{"query, 150 users", "classic, 25 users"}},
		"paper-2007": {"tpox-1/3000000-15000000/seed-1/v1/20833-3000000-15000000", time.Hour,
			[]string{"query, 125 users", "classic, 200 users"}},
		"paper-2008": {"tpox-1/M/seed-1/v1/20833-60000000-300000000", 2 * time.Hour, []string{"mixed, 150 users"}},
		"paper-2009": {"tpox-2/M/seed-1/v1/20833-50000000-500000000", time.Hour, []string{"mixed, 300 users"}},
	} {
		t.Run(name, func(t *testing.T) {
			require.Contains(t, PresetNames, name)
			s, err := ReadPreset(name, 1, 1)
			require.NoError(t, err)
			require.Equal(t, name, s.Preset)
			require.Equal(t, name == "smoke", s.smoke())
			require.Equal(t, c.duration, s.Duration.Duration)
			require.Equal(t, workload.SharedDocuments, s.NewDocuments)
			r, fingerprint := planned(t, s, 0)
			require.Equal(t, c.fingerprint, fingerprint)
			steps := names(r)
			require.Equal(t, []string{"population", "load"}, steps[:2])
			require.Subset(t, steps, c.runs)
			for i, step := range r.Steps {
				require.Equal(t, i, slices.Index(steps, step.Name), "a name of its own")
				if step.Plan != nil {
					require.Equal(t, step.Plan.Users, step.Plan.Connections, step.Name)
				}
			}
		})
	}
}

// A file in the form of a preset is read like one. An error of its content is one line.
func TestReadPreset_File(t *testing.T) {
	text, err := presets.ReadFile("presets/full.yaml")
	require.NoError(t, err)
	own := testenv.File(t, "own.json", `{"name": "own", "mix": [{"transaction": "get_order", "weight": 1}]}`)
	mine := strings.Replace(string(text), "steps: [population", "pool: 7\nthink: 100ms\nsteps: ["+own, 1)
	s, err := ReadPreset(testenv.File(t, "mine.yaml", mine), 1, 1)
	require.NoError(t, err)
	require.Equal(t, "mine", s.Preset)
	require.Equal(t, 100*time.Millisecond, s.Think.Duration)
	for connections, want := range map[int]int{0: 7, 3: 3} {
		r, _ := planned(t, s, connections)
		require.Equal(t, []string{"load", "space", "backup", "restore", "own, 1 user", "own, 2 users"}, names(r)[:6])
		require.Equal(t, want, r.Steps[5].Plan.Connections)
	}

	for name, c := range map[string]struct{ text, says string }{
		"Unknown": {"warmup: 3s\nwarm: 3s", `unknown field "warm"`},
		"Time":    {"warmUp: soon", `invalid duration "soon"`},
		"Past":    {"warmUp: -3s", "the time -3s is below 0"},
		"Form":    {"users: [1", "is not YAML"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := ReadPreset(testenv.File(t, "mine.yaml", c.text), 1, 1)
			require.ErrorContains(t, err, c.says)
			require.NotContains(t, err.Error(), "\n")
		})
	}
	_, err = ReadPreset("none", 1, 1)
	require.EqualError(t, err, `there is no preset "none": use full, smoke, paper-2006, paper-2007, paper-2008, `+
		`paper-2009, or the path of a file`)
	_, err = ReadPreset("./none.yaml", 1, 1)
	require.ErrorIs(t, err, os.ErrNotExist)
}

// The factors multiply documents and times, not users; the settings keep both factors.
func TestReadPreset_Scaled(t *testing.T) {
	s, err := ReadPreset("paper-2007", 0.02, 0.02)
	require.NoError(t, err)
	s.CPUs = []int{1, 2}
	r, fingerprint := planned(t, s, 0)
	require.Equal(t, "tpox-1/XXS/seed-1/v1/20833-60000-300000", fingerprint)
	require.Equal(t, []time.Duration{36 * time.Second, 72 * time.Second},
		[]time.Duration{s.WarmUp.Duration, s.Duration.Duration})
	require.Equal(t, []float64{0.02, 0.02}, []float64{s.DataScale, s.TimeScale})
	require.False(t, s.smoke(), "long enough to count")
	require.Equal(t, []Load{{insertOrders, 100, 300_000}, {insertCustomers, 50, 60_000}}, s.Inserts)
	require.Subset(t, names(r), []string{
		"insert-orders, 300,000 documents, 100 users", "insert-customers, 60,000 documents, 50 users",
		"1 core: query, 125 users", "2 cores: query, 125 users",
	})
}

// A study lets its users populate an empty database, loads it, and inserts its numbers of documents into the loaded
// database. A population that was interrupted begins again, and a plan shows which steps are left.
func TestCampaign_Paper(t *testing.T) {
	t.Parallel()
	w, folder := newWorld(t), t.TempDir()
	study := func() *Campaign {
		c := w.campaign(folder)
		s, err := ReadPreset("paper-2007", 0.001, 0.001)
		require.NoError(t, err)
		s.DB, s.Users, s.Reference, s.CPUs = "null:", []int{2, 4}, 4, []int{1}
		c.Settings = s
		return c
	}
	killed := errors.New("killed")
	w.onRun = func(drive.Plan) error {
		if len(w.runs) == 2 {
			return killed
		}
		return nil
	}
	_, err := w.run(study())
	require.ErrorContains(t, err, "population: stage 3, insert-customers: killed")
	w.runs = nil
	w.onRun = func(p drive.Plan) error {
		if p.Definition.Name == "classic" {
			return killed
		}
		return nil
	}
	r, err := w.run(study())
	require.ErrorContains(t, err, "killed")
	require.True(t, r.Smoke)
	require.InDelta(t, 0.001, r.Settings.DataScale, 0)
	last := r.Steps[0].Inserts[3]
	require.Equal(t, []int64{4, 2250, 750}, []int64{int64(last.Stage), last.Before, last.Documents})

	r, err = study().Plan()
	require.NoError(t, err)
	var text strings.Builder
	require.NoError(t, WritePlan(&text, r))
	require.Contains(t, text.String(), "preset paper-2007, scale 3000-15000 of tpox-1\n")
	require.Regexp(t, `(?m)^ 1/12  population: done$`, text.String())
	require.Regexp(t, `(?m)^ 8/12  classic, 2 users: interrupted\n 9/12  classic, 4 users$`, text.String())
	require.Contains(t, text.String(), "12 steps, 5 of them to run: the timed runs take ")
	require.True(t, strings.HasSuffix(text.String(), "\nnothing was started\n"))

	other := study()
	other.Settings.Users = []int{8}
	r, err = other.Plan()
	require.NoError(t, err)
	require.Contains(t, names(r), "classic, 8 users", "the plan of the new settings")
	require.Equal(t, Planned, r.Steps[0].State)

	w.onRun = nil
	_, err = w.run(study())
	require.NoError(t, err)
	require.Equal(t, []string{
		"insert-customers 750 by 50", "insert-customers 750 by 50", "insert-customers 750 by 50",
		"insert-customers 750 by 50",
		"insert-orders 3750 by 100", "insert-orders 3750 by 100", "insert-orders 3750 by 100", "insert-orders 3750 by 100",
		"query by 2", "query by 4", "classic by 2", "classic by 4",
		"insert-orders 15000 by 100", "insert-customers 3000 by 50", "query by 125",
	}, w.runs)
}

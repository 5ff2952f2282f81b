package campaign

import (
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/dataset"
	"brokerage/internal/testenv"
	"brokerage/internal/workload"
)

// planOf returns the steps of valid settings on an embedded database, and their dataset.
func planOf(t *testing.T, s Settings) ([]Step, *dataset.Dataset) {
	t.Helper()
	s = s.Resolved()
	require.NoError(t, s.Verify())
	spec, err := dataset.ParseSpec(s.Scale, s.Profile, s.Seed)
	require.NoError(t, err)
	engine, err := newSQLite("b.db", "")
	require.NoError(t, err)
	return plan(s, engine, 0), dataset.New(spec)
}

func names(steps []Step) (names []string) {
	for _, s := range steps {
		names = append(names, s.Name)
	}
	return names
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
			all, d := planOf(t, s)
			require.Equal(t, c.fingerprint, d.Fingerprint())
			steps := names(all)
			require.Equal(t, []string{"create", "population", "load"}, steps[:3])
			require.Subset(t, steps, c.runs)
			for i, step := range all {
				require.Equal(t, i, slices.Index(steps, step.Name), "a name of its own")
				if step.Plan != nil {
					require.Equal(t, step.Plan.Users, step.Plan.Connections, step.Name)
				}
			}
		})
	}
	require.Len(t, PresetNames, 6)
}

// A file of the form of a preset is one. What is wrong with it is said in one line.
func TestReadPreset_File(t *testing.T) {
	text, err := presets.ReadFile("presets/full.yaml")
	require.NoError(t, err)
	own := strings.Replace(string(text), "steps: [", "pool: 0\nthink: 100ms\nsteps: [./own.json, ", 1)
	s, err := ReadPreset(testenv.File(t, "mine.yaml", own), 1, 1)
	require.NoError(t, err)
	require.Equal(t, "mine", s.Preset)
	require.Equal(t, 100*time.Millisecond, s.Think.Duration)
	steps, _ := planOf(t, s)
	require.Contains(t, names(steps), "own, 2 users")
	require.Zero(t, steps[len(steps)-1].Plan.Connections, "those of the store")

	for name, c := range map[string]struct{ text, says string }{
		"Unknown": {"warmup: 3s\nwarm: 3s", `unknown field "warm"`},
		"Time":    {"warmUp: soon", `invalid duration "soon"`},
		"Number":  {"warmUp: 3", "3 is not a time such as 20s or 1h"},
		"Past":    {"warmUp: -3s", "the time -3s is below 0"},
		"Form":    {"users: [1", "is not YAML"},
		"Scale":   {"scale: huge", "huge"},
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

// The factors multiply documents and times, not users; both are kept in the settings.
func TestReadPreset_Scaled(t *testing.T) {
	s, err := ReadPreset("paper-2007", 0.02, 0.02)
	require.NoError(t, err)
	s.CPUs = []int{1, 2}
	all, d := planOf(t, s)
	require.Equal(t, "tpox-1/XXS/seed-1/v1/20833-60000-300000", d.Fingerprint())
	require.Equal(t, []time.Duration{36 * time.Second, 72 * time.Second},
		[]time.Duration{s.WarmUp.Duration, s.Duration.Duration})
	require.Equal(t, []float64{0.02, 0.02}, []float64{s.DataScale, s.TimeScale})
	require.False(t, s.smoke(), "long enough to count")
	require.Equal(t, []Load{{insertOrders, 100, 300_000}, {insertCustomers, 50, 60_000}}, s.Inserts)
	steps := names(all)
	require.Subset(t, steps, []string{
		"insert-orders, 300,000 documents, 100 users", "insert-customers, 60,000 documents, 50 users",
		"1 core: query, 125 users", "2 cores: query, 125 users",
	})
}

// study is a campaign of a published study in a world, with few documents and users.
func (w *world) study(folder string) *Campaign {
	c := w.campaign(folder)
	s, err := ReadPreset("paper-2007", 0.001, 0.001)
	require.NoError(w.t, err)
	s.DB, s.Users, s.Reference, s.CPUs = "null:", []int{2, 4}, 4, []int{1}
	c.Settings = s
	return c
}

// A study populates an empty database by its users, loads it, and inserts its numbers of documents onto the loaded one.
// A population that was interrupted begins again.
func TestCampaign_Paper(t *testing.T) {
	t.Parallel()
	w, folder := newWorld(t), t.TempDir()
	w.onRun = func(load) error {
		if len(w.inserted) == 2 {
			return errors.New("killed")
		}
		return nil
	}
	require.ErrorContains(t, w.run(w.study(folder)), "population: stage 3, insert-customers: killed")
	require.Equal(t, Interrupted, read(t, folder).Steps[1].State)
	w.onRun, w.inserted = nil, nil
	require.NoError(t, w.run(w.study(folder)))
	r := read(t, folder)
	require.True(t, r.Complete)
	require.True(t, r.Smoke)
	require.InDelta(t, 0.001, r.Settings.DataScale, 0)
	require.Equal(t, []string{
		"insert-customers 750 by 50", "insert-customers 750 by 50", "insert-customers 750 by 50",
		"insert-customers 750 by 50",
		"insert-orders 3750 by 100", "insert-orders 3750 by 100", "insert-orders 3750 by 100", "insert-orders 3750 by 100",
		"insert-orders 15000 by 100", "insert-customers 3000 by 50",
	}, w.inserted)
	require.Equal(t, KindPopulation, r.Steps[1].Kind)
	stages := r.Steps[1].Inserts
	require.Len(t, stages, 8)
	require.Equal(t, []int64{2250, 750}, []int64{stages[3].Before, stages[3].Documents})
	require.Equal(t, 4, stages[3].Stage)
	require.Equal(t, 1, stages[4].Stage)
	require.Zero(t, stages[4].Before)
	require.Contains(t, w.runs, "query 125", "by cores")
	require.Contains(t, w.runs, "classic 2")
}

// A plan shows the steps and changes nothing; that of an interrupted campaign shows what is left.
func TestCampaign_Plan(t *testing.T) {
	w, folder := newWorld(t), t.TempDir()
	c := w.study(folder)
	r, err := c.Plan()
	require.NoError(t, err)
	require.NoFileExists(t, c.Folder+"/"+File)
	require.Empty(t, w.db)
	var text strings.Builder
	require.NoError(t, WritePlan(&text, r))
	require.Contains(t, text.String(),
		"preset paper-2007, scale 3000-15000 of tpox-1, 0.001 times its documents and 0.001 times its times\n")
	require.Regexp(t, `(?m)^ 2/\d+  population$`, text.String())
	require.Contains(t, text.String(), "query, 2 users, 2 connections\n")
	require.Regexp(t, `\d+ steps, \d+ of them to run: the runs of planned length take 27 s, beside load`, text.String())
	require.True(t, strings.HasSuffix(text.String(), "\nnothing was started\n"))

	w.onRun = func(p load) error {
		if p.workload == classic {
			return errors.New("killed")
		}
		return nil
	}
	require.Error(t, w.run(w.study(folder)))
	r, err = w.study(folder).Plan()
	require.NoError(t, err)
	text.Reset()
	require.NoError(t, WritePlan(&text, r))
	require.Regexp(t, `(?m)^ 2/\d+  population: done$`, text.String())
	require.Regexp(t, `classic, 2 users: interrupted|classic, 2 users, 2 conn`, text.String())
}

package campaign

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/format"
)

// Each preset has the documents, users, workloads and times of its study.
func TestPaperPreset(t *testing.T) {
	for name, c := range map[string]struct {
		fingerprint string
		users       []int
		workloads   []string
		duration    float64
	}{
		Paper2006: {"tpox-1/S/seed-1/v1/20833-6000000-30000000", []int{25, 50, 75, 100, 125, 150},
			[]string{query, classic}, 3600},
		Paper2007: {"tpox-1/3000000-15000000/seed-1/v1/20833-3000000-15000000", []int{25, 50, 75, 100, 125, 150, 200},
			[]string{query, classic}, 3600},
		Paper2008: {"tpox-1/M/seed-1/v1/20833-60000000-300000000", []int{25, 50, 75, 100, 150, 200}, []string{mixed}, 7200},
		Paper2009: {"tpox-2/M/seed-1/v1/20833-50000000-500000000", []int{25, 50, 100, 150, 200, 300}, []string{mixed}, 3600},
	} {
		t.Run(name, func(t *testing.T) {
			s, err := Presets(name)
			require.NoError(t, err)
			s.CPUs = []int{1, 2}
			require.False(t, s.smoke())
			all, d := planSQLite(t, s)
			require.Equal(t, c.fingerprint, d.Fingerprint())
			require.Equal(t, c.users, s.Users)
			require.Equal(t, c.workloads, s.Workloads)
			require.InDelta(t, c.duration, s.Duration, 0)
			require.InDelta(t, 1800, s.WarmUp, 0)

			steps := names(all, Planned)
			require.Equal(t, []string{"create", "population", "load"}, steps[:3])
			for _, w := range c.workloads {
				for _, users := range c.users {
					require.Contains(t, steps, w+", "+format.Plural(users, "user"), "the whole list, also of classic")
				}
			}
		})
	}
}

// The factors multiply documents and times, not users; both are kept in the settings.
func TestPaperPreset_Scaled(t *testing.T) {
	s, err := PaperPreset(Paper2007, 0.02, 0.02)
	require.NoError(t, err)
	s.CPUs = []int{1, 2}
	all, d := planSQLite(t, s)
	require.Equal(t, "tpox-1/XXS/seed-1/v1/20833-60000-300000", d.Fingerprint())
	require.Equal(t, []float64{36, 72, 0.02, 0.02}, []float64{s.WarmUp, s.Duration, s.DataScale, s.TimeScale})
	require.False(t, s.smoke(), "long enough to count")
	require.Equal(t, []Insertion{{insertOrders, 100, 300_000}, {insertCustomers, 50, 60_000}}, s.Inserts)
	steps := names(all, Planned)
	for _, name := range []string{
		"insert-orders, 300,000 documents, 100 users", "insert-customers, 60,000 documents, 50 users",
		"1 core: query, 125 users", "2 cores: query, 125 users",
	} {
		require.Contains(t, steps, name)
	}
	whole, err := PaperPreset(Paper2007, 1, 1)
	require.NoError(t, err)
	require.EqualValues(t, 15_000_000, whole.Inserts[0].Documents, "the preset itself is not changed")
}

// study is a campaign of a published study in a world, with few documents and users.
func (w *world) study(folder string) *Campaign {
	c := w.campaign(folder)
	s, err := PaperPreset(Paper2007, 0.001, 0.001)
	require.NoError(w.t, err)
	s.DB, s.Users, s.Reference, s.CPUs = "null:", []int{2, 4}, 4, []int{1}
	c.Settings = s
	return c
}

// A study populates an empty database by its users, loads it, and inserts its numbers of documents onto the loaded one.
func TestCampaign_Paper(t *testing.T) {
	t.Parallel()
	w, folder := newWorld(t), t.TempDir()
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
	require.Contains(t, w.runs, "query 125 on null:", "by cores")
	require.Contains(t, w.runs, "classic 2 on null:")
}

// A population that was interrupted begins again.
func TestCampaign_PaperResumed(t *testing.T) {
	t.Parallel()
	w, folder := newWorld(t), t.TempDir()
	stages := 0
	w.onRun = func(Pressure) error {
		if stages++; stages == 3 {
			return errors.New("killed")
		}
		return nil
	}
	require.ErrorContains(t, w.run(w.study(folder)), "population: stage 3, insert-customers: killed")
	require.Equal(t, Interrupted, read(t, folder).Steps[1].State)
	require.NoError(t, w.run(w.study(folder)))
	r := read(t, folder)
	require.True(t, r.Complete)
	require.Len(t, r.Steps[1].Inserts, 8)
}

// A plan shows the steps and changes nothing; that of an interrupted campaign shows what is left.
func TestCampaign_Plan(t *testing.T) {
	w, folder := newWorld(t), t.TempDir()
	c := w.study(folder)
	r, err := c.Plan()
	require.NoError(t, err)
	require.NoFileExists(t, c.Folder+"/"+File)
	require.Empty(t, w.databases)
	var text strings.Builder
	require.NoError(t, WritePlan(&text, r))
	require.Contains(t, text.String(),
		"preset paper-2007, scale 3000-15000 of tpox-1, 0.001 times its documents and 0.001 times its times\n")
	require.Regexp(t, `(?m)^ 2/\d+  population +1 s +\d`, text.String())
	require.Regexp(t, `steps, about [\d:]+; nothing was started\n$`, text.String())

	w.onRun = func(p Pressure) error {
		if p.Workload == classic {
			return errors.New("killed")
		}
		return nil
	}
	require.Error(t, w.run(w.study(folder)))
	r, err = w.study(folder).Plan()
	require.NoError(t, err)
	text.Reset()
	require.NoError(t, WritePlan(&text, r))
	require.Regexp(t, `(?m)^ 2/\d+  population +done$`, text.String())
	require.Regexp(t, `classic, 2 users +0 s`, text.String())
}

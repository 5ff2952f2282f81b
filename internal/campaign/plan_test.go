package campaign

import (
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/dataset"
)

func planned(t *testing.T, change func(s *Settings)) []Step {
	t.Helper()
	w := newWorld(t)
	s := w.settings()
	change(&s)
	s = s.Resolved()
	require.NoError(t, s.Verify())
	spec, err := dataset.ParseSpec(s.Scale, s.Profile, s.Seed)
	require.NoError(t, err)
	return plan(s, w.engine(), dataset.New(spec), 2)
}

// planSQLite returns the steps of valid settings on an embedded database, and their dataset.
func planSQLite(t *testing.T, s Settings) ([]Step, *dataset.Dataset) {
	t.Helper()
	require.NoError(t, s.Verify())
	spec, err := dataset.ParseSpec(s.Scale, s.Profile, s.Seed)
	require.NoError(t, err)
	engine, err := newSQLite("b.db", "")
	require.NoError(t, err)
	d := dataset.New(spec)
	return plan(s, engine, d, 2), d
}

func names(steps []Step, state State) (names []string) {
	for _, s := range steps {
		if s.State == state {
			names = append(names, s.Name)
		}
	}
	return names
}

// Every step has a unique name and an expected time.
func TestPlan_Steps(t *testing.T) {
	steps := planned(t, func(s *Settings) { s.Workloads = append(s.Workloads, "folder/own.json") })
	seen := make(map[string]bool)
	for _, s := range steps {
		require.False(t, seen[s.Name], s.Name)
		require.Positive(t, s.Expected, s.Name)
		seen[s.Name] = true
	}
	require.True(t, seen["own, 2 users"])
	require.True(t, seen["own, 4 users"])
}

func TestPlan_Choices(t *testing.T) {
	few := planned(t, func(s *Settings) {
		s.Workloads, s.Stages, s.Tuned, s.CPUs, s.Users, s.Reference = []string{query}, 0, false, nil, []int{1}, 5
	})
	require.Equal(t, []string{"create", "load", "statistics", "space", "backup", "restore", "query, 1 user",
		"query, 5 users"}, names(few, Planned))
}

func TestBound(t *testing.T) {
	steps := planned(t, func(*Settings) {})
	all := left(steps)
	require.NoError(t, bound(steps, 0))
	require.NoError(t, bound(steps, all))
	require.Empty(t, names(steps, LeftOut))

	// The first steps are kept; a shorter step may fit where a longer one did not.
	require.NoError(t, bound(steps, all/2))
	require.LessOrEqual(t, left(steps), all/2)
	require.Contains(t, names(steps, Planned), "query, 2 users")
	require.Contains(t, names(steps, LeftOut), "1 core: mixed, 4 users")

	// A variant with a database of its own is kept completely or not at all.
	plain := 0
	for _, s := range steps {
		if s.Variant != nil && s.Variant.Name == "plain" && s.State == Planned {
			plain++
		}
	}
	require.Contains(t, []int{0, 7}, plain)

	require.ErrorContains(t, bound(planned(t, func(*Settings) {}), 20), "no run fits into the rest")
}

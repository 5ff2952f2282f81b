package campaign

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPresets(t *testing.T) {
	for name, c := range map[string]struct {
		seconds float64 // that it may be planned for at XXXS, on two cores
		smoke   bool
	}{Full: {45 * 60, false}, Smoke: {8 * 60, true}} {
		t.Run(name, func(t *testing.T) {
			s, err := Presets(name)
			require.NoError(t, err)
			s.CPUs = Doublings(2)
			s = s.Resolved()
			require.Equal(t, "XXXS", s.Scale)
			require.Equal(t, c.smoke, s.smoke())
			steps, _ := planSQLite(t, s)
			require.LessOrEqual(t, left(steps), c.seconds)
			require.NoError(t, bound(steps, s.Limit))
			for _, step := range steps {
				require.Equal(t, Planned, step.State, step.Name)
			}
		})
	}
	_, err := Presets("none")
	require.EqualError(t, err,
		`there is no preset "none": use full, smoke, paper-2006, paper-2007, paper-2008, paper-2009`)
}

// Times below those of the scenario make any campaign a smoke campaign.
func TestSettings_Smoke(t *testing.T) {
	s, err := Presets(Full)
	require.NoError(t, err)
	s.Duration = 59
	require.True(t, s.smoke())
	s.Duration, s.WarmUp = 60, 19
	require.True(t, s.smoke())
}

func TestSettings_Reference(t *testing.T) {
	for reference, users := range map[int][]int{10: {10}, 20: {30, 10, 20}, 30: {10, 20, 30, 40}} {
		require.Equal(t, reference, Settings{Users: users}.Resolved().Reference)
	}
	require.Equal(t, 7, Settings{Users: []int{1, 2}, Reference: 7}.Resolved().Reference)
}

func TestDoublings(t *testing.T) {
	for cores, list := range map[int][]int{1: {1}, 2: {1, 2}, 6: {1, 2, 4, 6}, 8: {1, 2, 4, 8}} {
		require.Equal(t, list, Doublings(cores))
	}
}

func TestSettings_Verify(t *testing.T) {
	for name, c := range map[string]struct {
		change func(s *Settings)
		says   string
	}{
		"Scale":     {func(s *Settings) { s.Scale = "XXXXL" }, "XXXXL"},
		"Profile":   {func(s *Settings) { s.Profile = "tpox-3" }, "tpox-3"},
		"NoUsers":   {func(s *Settings) { s.Users = nil }, "--users"},
		"SameUsers": {func(s *Settings) { s.Users = []int{5, 6, 5} }, "--users names a number twice"},
		"SameWork":  {func(s *Settings) { s.Workloads = []string{mixed, mixed} }, "--workloads names one twice"},
		"NoWork":    {func(s *Settings) { s.Workloads = nil }, "--workloads"},
		"CPUs":      {func(s *Settings) { s.CPUs = []int{0} }, "--cpus"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newWorld(t).settings()
			require.NoError(t, s.Verify())
			c.change(&s)
			require.ErrorContains(t, s.Verify(), c.says)
		})
	}
}

func TestSettings_Changed(t *testing.T) {
	a := newWorld(t).settings()
	b := a
	require.Empty(t, a.changed(b))
	a.CPUs, b.CPUs = nil, []int{}
	require.Empty(t, a.changed(b), "as a file gives it back")
	b.WarmUp, b.Scale = 3, "XS"
	require.Equal(t, "scale, warmUp", a.changed(b))
}

package campaign

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Times below those of the scenario make any campaign a smoke campaign.
func TestSettings_Smoke(t *testing.T) {
	s := newWorld(t).campaign("").Settings
	require.False(t, s.smoke())
	s.Duration.Duration--
	require.True(t, s.smoke())
	s.Duration.Duration++
	s.WarmUp.Duration--
	require.True(t, s.smoke())
}

func TestSettings_Check(t *testing.T) {
	for name, c := range map[string]struct {
		change func(s *Settings)
		says   string
	}{
		"Scale":     {func(s *Settings) { s.Scale = "XXXXL" }, "XXXXL"},
		"Profile":   {func(s *Settings) { s.Profile = "tpox-3" }, "tpox-3"},
		"NoUsers":   {func(s *Settings) { s.Users = nil }, "--users"},
		"SameUsers": {func(s *Settings) { s.Users = []int{5, 6, 5} }, "--users must be a list of different numbers"},
		"SameSteps": {func(s *Settings) { s.Steps = []string{mixed, mixed} }, "each once"},
		"NoSteps":   {func(s *Settings) { s.Steps = nil }, "--steps"},
		"NoFile":    {func(s *Settings) { s.Steps = []string{"./none.json"} }, "none.json"},
		"Reference": {func(s *Settings) { s.Reference = -1 }, "--reference"},
		"Duration":  {func(s *Settings) { s.Duration.Duration = 0 }, "--duration"},
		"Documents": {func(s *Settings) { s.Users = []int{5000} }, "too small for 5000 users"},
		"Inserts":   {func(s *Settings) { s.Inserts = []Load{{mixed, 1, 1}} }, "mixed inserts no documents"},
		"Few":       {func(s *Settings) { s.Inserts = []Load{{insertOrders, 2, 1}} }, "too few for 2 users"},
		"CPUs":      {func(s *Settings) { s.CPUs = []int{0} }, "--cpus"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newWorld(t).campaign("").Settings
			require.NoError(t, s.Check())
			c.change(&s)
			require.ErrorContains(t, s.Check(), c.says)
		})
	}
}

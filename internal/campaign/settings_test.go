package campaign

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSettings_Check(t *testing.T) {
	for name, c := range map[string]struct {
		change func(s *Settings)
		says   string
	}{
		"Scale":     {func(s *Settings) { s.Scale = "XXXXL" }, "XXXXL"},
		"SameUsers": {func(s *Settings) { s.Users = []int{5, 6, 5} }, "--users must be a list of different numbers"},
		"SameSteps": {func(s *Settings) { s.Steps = []string{mixed, mixed} }, "none of them twice"},
		"NoFile":    {func(s *Settings) { s.Steps = []string{"./none.json"} }, "none.json"},
		"Reference": {func(s *Settings) { s.Reference = -1 }, "--reference"},
		"Duration":  {func(s *Settings) { s.Duration.Duration = 0 }, "--duration"},
		"Documents": {func(s *Settings) { s.Users = []int{5000} }, "too small for 5000 users"},
		"Inserts":   {func(s *Settings) { s.Inserts = []Load{{mixed, 1, 1}} }, "inserts: mixed is neither"},
		"Few":       {func(s *Settings) { s.Inserts = []Load{{insertOrders, 2, 1}} }, "too few for 2 users"},
		"SameInserts": {func(s *Settings) { s.Inserts = []Load{{insertOrders, 1, 1}, {insertOrders, 2, 2}} },
			"inserts: insert-orders is listed twice"},
		"CPUs": {func(s *Settings) { s.CPUs = []int{0} }, "--cpus"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newWorld(t).campaign("").Settings
			require.NoError(t, s.Check())
			c.change(&s)
			require.ErrorContains(t, s.Check(), c.says)
		})
	}
}

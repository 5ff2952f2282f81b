package campaign

import (
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/workload"
)

// Every INVALID run that counts makes a campaign INVALID. A stage of inserts may be unsteady, and a run that was repeated
// does not count.
func TestRecord_Invalid(t *testing.T) {
	run := func(v workload.Validity) workload.Run { return workload.Run{Validity: v} }
	valid, smoke := run(workload.Validity{Valid: true}), run(workload.Validity{Smoke: true})
	unsteady := run(workload.Validity{Unsteady: true, Reasons: []string{"not steady"}})
	dropped := run(workload.Validity{Smoke: true, Reasons: []string{"arrivals were dropped"}})
	for name, c := range map[string]struct {
		step Step
		want []string
	}{
		"Valid": {Step{Runs: []Repeat{{Run: valid}}, Tier: &workload.Tier{Direct: valid, HTTP: smoke},
			Inserts: []Growth{{Run: smoke}}}, nil},
		"Smoke": {Step{Runs: []Repeat{{Run: smoke}}}, nil},
		"SecondRun": {Step{Runs: []Repeat{{Run: valid}, {Run: dropped}, {Run: unsteady}}},
			[]string{"step (arrivals were dropped)"}},
		"Unsteady":  {Step{Runs: []Repeat{{Run: unsteady}}}, []string{"step (not steady)"}},
		"MadeAgain": {Step{Runs: []Repeat{{Run: valid}}, Again: []Repeat{{Run: unsteady}}}, nil},
		"Tier": {Step{Tier: &workload.Tier{Direct: valid, HTTP: dropped}},
			[]string{"step (arrivals were dropped)"}},
		"Inserts":        {Step{Inserts: []Growth{{Run: valid}, {Run: dropped}}}, []string{"step (arrivals were dropped)"}},
		"InsertsSlowing": {Step{Inserts: []Growth{{Run: unsteady}}}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			c.step.Name = "step"
			require.Equal(t, c.want, (&Record{Steps: []Step{c.step}}).Invalid())
		})
	}
}

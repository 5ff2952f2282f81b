package campaign

import (
	"encoding/json"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/drive"
	"brokerage/internal/result"
	"brokerage/internal/testenv"
	"brokerage/internal/testenv/schematest"
)

// Every INVALID run makes a campaign INVALID, also that of a service which loses what it has acknowledged. A stage of
// inserts may be unsteady.
func TestRecord_Invalid(t *testing.T) {
	run := func(v result.Validity) result.Run { return result.Run{Validity: v} }
	valid, smoke := run(result.Validity{Valid: true}), run(result.Validity{Smoke: true})
	unsteady := run(result.Validity{Unsteady: true, Reasons: []string{"not steady"}})
	dropped := run(result.Validity{Smoke: true, Reasons: []string{"arrivals were dropped"}})
	lost := result.Run{Total: result.Row{Count: 10}}
	lost.Prove(result.Proof{Verified: true, Acknowledged: 10, Lost: 1})
	for name, c := range map[string]struct {
		step Step
		want []string
	}{
		"Valid":          {Step{Run: &valid, Inserts: []Growth{{Run: smoke}}}, nil},
		"Smoke":          {Step{Run: &smoke}, nil},
		"Dropped":        {Step{Run: &dropped}, []string{"step (arrivals were dropped)"}},
		"Lost":           {Step{Kind: KindCrash, Run: &lost}, []string{"step (" + lost.Proof.String() + ")"}},
		"Unsteady":       {Step{Run: &unsteady}, []string{"step (not steady)"}},
		"Inserts":        {Step{Inserts: []Growth{{Run: valid}, {Run: dropped}}}, []string{"step (arrivals were dropped)"}},
		"InsertsSlowing": {Step{Inserts: []Growth{{Run: unsteady}}}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			c.step.Name = "step"
			require.Equal(t, c.want, (&Record{Steps: []Step{c.step}}).Invalid())
		})
	}
}

// requireValid checks a file against the schema.
func requireValid(t testing.TB, file string) {
	t.Helper()
	schematest.Require(t, schematest.Compile(t, Schema, result.Schema), []byte(testenv.Text(t, file)))
}

// The file is valid at any time: after planning, after a failed run, at the end. A file with something else is not.
func TestSchema(t *testing.T) {
	w, folder := newWorld(t), t.TempDir()
	file := filepath.Join(folder, File)
	w.onStep = func(string) error {
		requireValid(t, file)
		return nil
	}
	w.onRun = func(p load) error {
		if p.workload == mixed {
			return drive.ErrTargetDied
		}
		return nil
	}
	require.Error(t, w.run(w.campaign(folder)))
	requireValid(t, file)
	w.onRun = nil
	require.NoError(t, w.run(w.campaign(folder)))
	requireValid(t, file)

	for name, change := range map[string]func(r, load map[string]any){
		"Format":     func(r, _ map[string]any) { r["format"] = "brokerage-campaign/2" },
		"MoreFields": func(r, _ map[string]any) { r["more"] = 1 },
		"NoReason":   func(_, load map[string]any) { load["state"] = "left out" },
		"NoLoad":     func(_, load map[string]any) { delete(load, "load") },
	} {
		var r map[string]any
		require.NoError(t, json.Unmarshal([]byte(testenv.Text(t, file)), &r))
		change(r, r["steps"].([]any)[2].(map[string]any))
		require.Error(t, schematest.Compile(t, Schema, result.Schema).Validate(r), name)
	}
}

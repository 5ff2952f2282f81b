package campaign

import (
	"encoding/json"
	"path/filepath"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"

	"brokerage/internal/drive"
	"brokerage/internal/result"
	"brokerage/internal/testenv"
	"brokerage/internal/testenv/schematest"
)

// Every INVALID run makes a campaign INVALID. A stage of inserts may be unsteady.
func TestRecord_Invalid(t *testing.T) {
	run := func(v result.Validity) result.Run { return result.Run{Validity: v} }
	valid, smoke := run(result.Validity{Valid: true}), run(result.Validity{Smoke: true})
	unsteady := run(result.Validity{Unsteady: true, Reasons: []string{"not steady"}})
	dropped := run(result.Validity{Smoke: true, Reasons: []string{"arrivals were dropped"}})
	for name, c := range map[string]struct {
		step Step
		want []string
	}{
		"Valid":          {Step{Run: &valid, Inserts: []Growth{{Run: smoke}}}, nil},
		"Smoke":          {Step{Run: &smoke}, nil},
		"Dropped":        {Step{Run: &dropped}, []string{"step (arrivals were dropped)"}},
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

func schema(t testing.TB) *jsonschema.Schema {
	t.Helper()
	return schematest.Compile(t, Schema, result.Schema)
}

// requireValid checks a file against the schema.
func requireValid(t testing.TB, file string) {
	t.Helper()
	schematest.Require(t, schema(t), []byte(testenv.Text(t, file)))
}

// The file is valid at any time: after planning, after a failed run, at the end.
func TestSchema(t *testing.T) {
	w, folder := newWorld(t), t.TempDir()
	w.onStep = func(string) error {
		requireValid(t, filepath.Join(folder, File))
		return nil
	}
	failed := false
	w.onRun = func(p load) error {
		if p.workload == mixed && !failed {
			failed = true
			return drive.ErrTargetDied
		}
		return nil
	}
	require.Error(t, w.run(w.campaign(folder)))
	requireValid(t, filepath.Join(folder, File))
	w.onRun = nil
	require.NoError(t, w.run(w.campaign(folder)))
	requireValid(t, filepath.Join(folder, File))
}

func TestSchema_Refuses(t *testing.T) {
	w, folder := newWorld(t), t.TempDir()
	require.NoError(t, w.run(w.campaign(folder)))
	text := testenv.Text(t, filepath.Join(folder, File))
	s := schema(t)
	for name, change := range map[string]func(r map[string]any, step map[string]any){
		"Format":     func(r, _ map[string]any) { r["format"] = "brokerage-campaign/2" },
		"MoreFields": func(r, _ map[string]any) { r["more"] = 1 },
		"NoSteps":    func(r, _ map[string]any) { r["steps"] = []any{} },
		"Kind":       func(_, step map[string]any) { step["kind"] = "dance" },
		"State":      func(_, step map[string]any) { step["state"] = "" },
		"NoReason":   func(_, step map[string]any) { step["state"] = "left out" },
		"NoLoad":     func(_, step map[string]any) { delete(step, "load") },
		"Negative":   func(_, step map[string]any) { step["seconds"] = -1 },
	} {
		t.Run(name, func(t *testing.T) {
			var r map[string]any
			require.NoError(t, json.Unmarshal([]byte(text), &r))
			require.NoError(t, s.Validate(r))
			change(r, r["steps"].([]any)[2].(map[string]any)) // the load
			require.Error(t, s.Validate(r))
		})
	}
}

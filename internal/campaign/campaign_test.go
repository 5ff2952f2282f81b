package campaign

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/drive"
	"brokerage/internal/result"
	"brokerage/internal/testenv"
	"brokerage/internal/testenv/schematest"
)

func TestCampaign(t *testing.T) {
	t.Parallel()
	w, folder := newWorld(t), t.TempDir()
	r, err := w.run(w.campaign(folder))
	require.NoError(t, err)
	require.Empty(t, r.Unfinished)
	require.False(t, r.Smoke)
	require.Equal(t, "null/tpox-2/XXXS/seed-1/v1/20833-5000-50000", r.Dataset.Fingerprint)
	require.Equal(t, "null", r.Store.Engine)
	require.Equal(t, []string{
		"population", "load", "space", "backup", "restore",
		"query, 2 users", "query, 4 users", "mixed, 2 users", "mixed, 4 users",
		"insert-orders, 4 users", "insert-customers, 4 users", "insert-customers, not validated, 4 users",
		"1 core: mixed, 4 users", "crash",
	}, w.steps)
	require.Equal(t, w.steps, names(r))
	for _, s := range r.Steps {
		require.Equal(t, Done, s.State, s.Name)
	}
	require.Equal(t, "3", stepOf(t, r, "mixed, 4 users").Run.Settings["pool"], "the database allows no more")
	require.Equal(t, 2, stepOf(t, r, "mixed, 2 users").Plan.Connections, "a user has a connection of its own")
	require.True(t, stepOf(t, r, "crash").Run.Proof.Verified)
	require.NoFileExists(t, filepath.Join(folder, "crash.ledger"))
	require.Contains(t, w.services, ServiceSettings{DB: "null:", Pool: 3, CPUs: 1})
	require.Equal(t, isLoaded, w.db, "at the end")
	require.NoFileExists(t, w.backup)

	_, err = w.run(w.campaign(folder))
	require.NoError(t, err)
	require.Empty(t, w.steps, "nothing to do")
}

// While a campaign runs, another one in its folder changes nothing.
func TestCampaign_RefusesASecond(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux locks the folder")
	}
	t.Parallel()
	w, folder := newWorld(t), t.TempDir()
	refused := 0
	w.onRun = func(drive.Plan) error {
		refused++
		_, err := newWorld(t).run(w.small(folder))
		require.EqualError(t, err, "another campaign runs in "+folder)
		there, err := Read(filepath.Join(folder, File))
		require.NoError(t, err)
		require.Equal(t, "still running, or killed", there.Unfinished)
		return nil
	}
	_, err := w.run(w.small(folder))
	require.NoError(t, err)
	require.Positive(t, refused)
}

// A run that was only unsteady or disturbed by other load is repeated once, from the data as loaded. Other runs are
// not.
func TestCampaign_MakesUnsteadyRunsAgain(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	valid := result.Validity{Valid: true, Reasons: []string{}}
	unsteady := result.Validity{Unsteady: true, Reasons: []string{"not steady"}}
	disturbed := result.Validity{Unsteady: true, Disturbed: true, Reasons: []string{"not steady", "others"}}
	for name, c := range map[string]struct {
		judged       []result.Validity // of the runs of mixed
		again, valid bool
	}{
		"Steady":           {[]result.Validity{valid}, false, true},
		"UnsteadyOnce":     {[]result.Validity{unsteady, valid}, true, true},
		"Never":            {[]result.Validity{unsteady, unsteady, valid}, true, false},
		"Disturbed":        {[]result.Validity{disturbed, valid}, true, true},
		"AndSomethingElse": {[]result.Validity{{Unsteady: true, Reasons: []string{"not steady", "dropped"}}}, false, false},
		"SomethingElse":    {[]result.Validity{{Reasons: []string{"dropped"}}}, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			w, n := newWorld(t), 0
			w.judge = func(workload string) result.Validity {
				if workload != mixed {
					return valid
				}
				n++
				return c.judged[n-1]
			}
			r, err := w.run(w.small(t.TempDir()))
			require.NoError(t, err)
			s := stepOf(t, r, "mixed, 2 users")
			require.Equal(t, c.again, s.Again)
			require.Equal(t, c.valid, s.Run.Validity.Valid)
		})
	}
}

// Wherever a campaign is ended, the same command resumes it: no step is lost, and none that was finished is run again.
func TestCampaign_Resumes(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	whole := newWorld(t)
	_, err := whole.run(whole.small(t.TempDir()))
	require.NoError(t, err)
	for i, at := range whole.steps {
		t.Run(at, func(t *testing.T) {
			w, folder := newWorld(t), t.TempDir()
			var before []byte
			w.onStep = func(step string) (err error) {
				if step == at {
					before, err = os.ReadFile(filepath.Join(folder, File))
					return errors.Join(err, context.Canceled)
				}
				return nil
			}
			r, err := w.run(w.small(folder))
			require.ErrorContains(t, err, "interrupted: the results so far are in ")
			require.ErrorContains(t, err, "the same command, without --replace, continues it")
			require.Equal(t, Interrupted, r.Steps[i].State)
			if i%2 == 1 { // kill -9 leaves the file as it was before the step
				require.NoError(t, os.WriteFile(filepath.Join(folder, File), before, 0o600))
			}
			w.onStep = nil
			_, err = w.run(w.small(folder))
			require.NoError(t, err)
			require.Equal(t, whole.runs, w.runs)
			require.Equal(t, whole.steps[i:], w.steps)
		})
	}
}

// A service that dies ends the campaign, whose file has what was measured until then. The schema accepts the file at
// any time, and refuses it in another form.
func TestCampaign_ServiceDies(t *testing.T) {
	t.Parallel()
	w, folder := newWorld(t), t.TempDir()
	schema := schematest.Compile(t, Schema, result.Schema)
	text := func() []byte { return []byte(testenv.Text(t, filepath.Join(folder, File))) }
	w.onStep = func(string) error { schematest.Require(t, schema, text()); return nil }
	w.onRun = func(p drive.Plan) error {
		if p.Definition.Name == mixed {
			return drive.ErrTargetDied
		}
		return nil
	}
	r, err := w.run(w.campaign(folder))
	require.ErrorContains(t, err, "mixed, 2 users: the target no longer answers: the results so far are in ")
	require.Equal(t, "mixed, 2 users: the target no longer answers", r.Unfinished)
	require.NotNil(t, stepOf(t, r, "mixed, 2 users").Run)
	schematest.Require(t, schema, text())

	w.onRun = nil
	_, err = w.run(w.campaign(folder))
	require.NoError(t, err)
	schematest.Require(t, schema, text())
	for name, change := range map[string]func(r, load map[string]any){
		"Format":     func(r, _ map[string]any) { r["format"] = "brokerage-campaign/2" },
		"MoreFields": func(r, _ map[string]any) { r["more"] = 1 },
		"NoLoad":     func(_, load map[string]any) { delete(load, "load") },
	} {
		var r map[string]any
		require.NoError(t, json.Unmarshal(text(), &r))
		change(r, r["steps"].([]any)[1].(map[string]any))
		require.Error(t, schema.Validate(r), name)
	}
}

// A refusal is one line, and no step is run. Replace overrides it.
func TestCampaign_Refusals(t *testing.T) {
	t.Parallel()
	begin := func(w *world, c *Campaign) {
		w.onStep = func(step string) error {
			if step == "query, 2 users" {
				return context.Canceled
			}
			return nil
		}
		_, err := w.run(w.small(c.Folder))
		require.ErrorContains(w.t, err, "interrupted")
		w.onStep = nil
	}
	write := func(w *world, path, text string) { require.NoError(w.t, os.WriteFile(path, []byte(text), 0o600)) }
	for name, c := range map[string]struct {
		change func(w *world, c *Campaign)
		says   string
	}{
		"DatabaseInUse": {func(w *world, _ *Campaign) { w.db = "tpox-1/XS" },
			"the database holds tpox-1/XS, but a campaign needs an empty one: --replace empties it"},
		"BackupOfOthers": {func(w *world, _ *Campaign) { write(w, w.backup, "") },
			"exists, but a campaign needs the name for its backup: move the file, or overwrite it with --replace"},
		"OtherFile": {func(w *world, c *Campaign) { write(w, c.file(), `{"format":"brokerage-run/1"}`) },
			`is not a campaign: its format is "brokerage-run/1"`},
		"OtherSettings": {func(w *world, c *Campaign) {
			begin(w, c)
			c.Settings.Users, c.Settings.Think = []int{4, 8}, Duration{1}
		}, "was started with other settings (users, think)"},
		"OtherBuild":   {func(w *world, c *Campaign) { begin(w, c); c.Versions.Commit = "abc" }, "by another build (test)"},
		"OtherMachine": {func(w *world, c *Campaign) { begin(w, c); c.Machine.Cores = 64 }, "on another machine (here)"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			campaign := w.small(t.TempDir())
			c.change(w, campaign)
			_, err := w.run(campaign)
			require.ErrorContains(t, err, c.says)
			require.NotContains(t, err.Error(), "\n")
			require.Empty(t, w.steps)

			campaign.Replace = true
			_, err = w.run(campaign)
			require.NoError(t, err)
		})
	}
	t.Run("BackupGone", func(t *testing.T) {
		w := newWorld(t)
		c := w.small(t.TempDir())
		begin(w, c)
		require.NoError(t, os.Remove(w.backup))
		_, err := w.run(c)
		require.ErrorContains(t, err, "the backup of the database is missing: --replace starts again")
	})
}

// A population with fewer documents than stages skips the stages without documents.
func TestCampaign_PopulatesFewDocuments(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	c := w.small(t.TempDir())
	c.Settings.Scale = "2-6"
	c.Settings.Steps = []string{populationStep}
	require.NoError(t, c.Settings.Check())
	_, err := w.run(c)
	require.NoError(t, err)
	require.Equal(t, []string{
		"insert-customers 1 by 1", "insert-customers 1 by 1",
		"insert-orders 1 by 1", "insert-orders 2 by 2", "insert-orders 1 by 1", "insert-orders 2 by 2",
	}, w.runs)
}

// A database without a backup is loaded again before each run that follows a write, and at the end.
func TestCampaign_Reloads(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.backup = ""
	r, err := w.run(w.campaign(t.TempDir())) // the driver requires the loaded state
	require.NoError(t, err)
	require.Equal(t, isLoaded, w.db)
	require.Equal(t, []string{"population", "load", "space", "query, 2 users"}, names(r)[:4])
}

// Every INVALID run makes a campaign INVALID, also one whose service loses what it has acknowledged. A stage of
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

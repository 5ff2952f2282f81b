package campaign

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/drive"
	"brokerage/internal/result"
)

func TestCampaign(t *testing.T) {
	t.Parallel()
	w, folder := newWorld(t), t.TempDir()
	began := w.now
	var reported *Record
	c := w.campaign(folder)
	c.Report = func(r *Record) error { reported = r; return nil }
	require.NoError(t, w.run(c))

	r := read(t, folder)
	require.True(t, r.Complete)
	require.Empty(t, r.Unfinished)
	require.False(t, r.Smoke)
	require.Equal(t, began, r.Started)
	require.Equal(t, "null/tpox-2/XXXS/seed-1/v1/20833-5000-50000", r.Dataset.Fingerprint)
	require.Equal(t, "null", r.Store.Engine)
	require.NotNil(t, reported)
	require.True(t, reported.Complete)

	var names []string
	var seconds float64
	for _, s := range r.Steps {
		require.Equal(t, Done, s.State, s.Name)
		require.NotNil(t, s.Started, s.Name)
		names = append(names, s.Name)
		seconds += s.Seconds
	}
	require.Equal(t, []string{
		"create", "population", "load", "statistics", "space", "backup", "restore",
		"query, 2 users", "query, 4 users", "mixed, 2 users", "mixed, 4 users",
		"insert-orders, 4 users", "insert-customers, 4 users", "insert-customers, not validated, 4 users",
		"1 core: mixed, 4 users", "crash",
	}, names)
	require.Equal(t, names, w.steps)
	require.InDelta(t, seconds, r.Seconds, 1e-6)

	named := func(name string) Step { return stepOf(t, r, func(s Step) bool { return s.Name == name }) }
	reference := named("mixed, 4 users")
	require.Equal(t, r.Store.Durability, reference.Run.Settings["durability"])
	require.Equal(t, "3", reference.Run.Settings["pool"], "the database allows no more")
	require.Equal(t, 2, named("mixed, 2 users").Plan.Connections, "a user has a connection of its own")
	require.True(t, named("crash").Run.Proof.Verified)
	require.NoFileExists(t, filepath.Join(folder, "crash.ledger"))
	require.Contains(t, w.services, ServiceSettings{DB: "null:", Pool: 3, CPUs: 1})

	require.Equal(t, isLoaded, w.db)
	require.NoFileExists(t, w.backup)

	// Again there is nothing to do.
	w.steps = nil
	require.NoError(t, w.run(w.campaign(folder)))
	require.Empty(t, w.steps)
}

// A run whose only fault is that it was unsteady is made once more, from the data as loaded. A run with any other fault
// counts.
func TestCampaign_MakesUnsteadyRunsAgain(t *testing.T) {
	t.Parallel()
	valid := result.Validity{Valid: true, Reasons: []string{}}
	unsteady := result.Validity{Unsteady: true, Reasons: []string{"not steady"}}
	for name, c := range map[string]struct {
		judged       []result.Validity // of the runs of the reference
		again, valid bool
	}{
		"Steady":       {nil, false, true},
		"UnsteadyOnce": {[]result.Validity{unsteady, valid}, true, true},
		"Never":        {[]result.Validity{unsteady, unsteady, valid}, true, false},
		"Disturbed": {[]result.Validity{{Unsteady: true, Disturbed: true, Reasons: []string{"not steady", "others"}}, valid},
			true,
			true},
		"AndSomethingElse": {[]result.Validity{{Unsteady: true, Reasons: []string{"not steady", "arrivals were dropped"}}},
			false, false},
		"SomethingElse": {[]result.Validity{{Reasons: []string{"arrivals were dropped"}}}, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			w, n := newWorld(t), 0
			w.small = true
			w.judge = func(p load) result.Validity {
				if p.workload != mixed || p.Ledger != nil {
					return valid
				}
				if n++; n <= len(c.judged) {
					return c.judged[n-1]
				}
				return valid
			}
			r := w.completed(func(*Campaign) {})
			s := stepOf(t, r, func(s Step) bool {
				return s.Kind == KindRun && s.Plan.Workload == mixed
			})
			require.Equal(t, c.again, s.Again)
			require.Equal(t, c.valid, s.Run.Validity.Valid)
		})
	}
}

// Wherever a campaign is ended, the same command resumes it: no step is lost, and none that was finished is run again.
func TestCampaign_Resumes(t *testing.T) {
	whole := newWorld(t)
	whole.small = true
	require.NoError(t, whole.run(whole.campaign(t.TempDir())))
	for name, end := range map[string]func(w *world, folder string, c *Campaign){
		// The step is canceled as soon as it begins.
		"Interrupted": func(w *world, _ string, c *Campaign) {
			err := w.run(c)
			_, ok := errors.AsType[*Stopped](err)
			require.True(w.t, ok, "%v", err)
			require.ErrorIs(w.t, err, context.Canceled)
			require.Contains(w.t, err.Error(), "and the same command resumes it")
		},
		// The file is what a kill -9 leaves, which is what it was before the step.
		"Killed": func(w *world, folder string, c *Campaign) {
			var before []byte
			ask := w.onStep
			w.onStep = func(step string) (err error) {
				if err = ask(step); err != nil {
					before, _ = os.ReadFile(filepath.Join(folder, File))
				}
				return err
			}
			require.Error(w.t, w.run(c))
			require.NotEmpty(w.t, before)
			require.NoError(w.t, os.WriteFile(filepath.Join(folder, File), before, 0o600))
		},
	} {
		t.Run(name, func(t *testing.T) {
			for _, at := range whole.steps {
				if name == "Killed" && !slices.Contains([]string{"load", "backup", "mixed, 2 users", "crash"}, at) {
					continue // the disk is slow, so the file is unchanged
				}
				t.Run(at, func(t *testing.T) {
					t.Parallel() // they wait for the disk
					w, folder := newWorld(t), t.TempDir()
					w.small = true
					w.onStep = func(step string) error {
						if step == at {
							return context.Canceled
						}
						return nil
					}
					end(w, folder, w.campaign(folder))
					w.onStep = nil
					require.False(t, read(t, folder).Complete)

					require.NoError(t, w.run(w.campaign(folder)))
					require.True(t, read(t, folder).Complete)
					require.Equal(t, whole.runs, w.runs)
					i := slices.Index(whole.steps, at)
					require.Equal(t, slices.Insert(slices.Clone(whole.steps), i, at), w.steps)
				})
			}
		})
	}
}

// A service that dies ends the campaign with what it has, and is the reported reason instead of the errors of requests.
func TestCampaign_ServiceDies(t *testing.T) {
	t.Parallel()
	w, folder := newWorld(t), t.TempDir()
	reports := 0
	w.onRun = func(p load) error {
		if p.populates {
			return nil
		}
		w.onStop = ErrGone
		return drive.ErrTargetDied
	}
	c := w.campaign(folder)
	c.Report = func(r *Record) error { reports++; require.False(t, r.Complete); return nil }
	err := w.run(c)
	require.ErrorIs(t, err, ErrGone)
	require.ErrorContains(t, err, "query, 2 users: the service ended unexpectedly: what was measured is in ")
	require.Equal(t, 1, reports)
	r := read(t, folder)
	require.Contains(t, r.Unfinished, "the service ended unexpectedly")
	require.NotNil(t, stepOf(t, r, func(s Step) bool { return s.State == Interrupted }).Run)

	w.onRun, w.onStop = nil, nil
	require.NoError(t, w.run(w.campaign(folder)))
}

// A refusal is one line, and nothing has been changed.
func TestCampaign_Refusals(t *testing.T) {
	write := func(w *world, text string, path ...string) {
		require.NoError(w.t, os.WriteFile(filepath.Join(path...), []byte(text), 0o600))
	}
	for name, c := range map[string]struct {
		change func(w *world, c *Campaign)
		says   string
	}{
		"Settings": {func(_ *world, c *Campaign) { c.Settings.Users = nil },
			"--users must be a list of different numbers from 1"},
		"DatabaseInUse": {func(w *world, _ *Campaign) { w.db = "tpox-1/XS" },
			"the database holds tpox-1/XS, but a campaign needs an empty one: --replace empties it"},
		"BackupOfOthers": {func(w *world, c *Campaign) {
			write(w, "", c.Folder, "b.zst")
			e := w.engine()
			e.backup = filepath.Join(c.Folder, "b.zst")
			c.Subject = e
		}, "b.zst exists, but a campaign needs the name for its backup: move the file, or overwrite it by --replace"},
		"FileInTheWay": {func(w *world, c *Campaign) {
			write(w, "", c.Folder, "file")
			c.Folder = filepath.Join(c.Folder, "file")
		}, "not a directory"},
		"OtherFile": {func(w *world, c *Campaign) { write(w, `{"format":"brokerage-run/1"}`, c.Folder, File) },
			`is not a campaign: its format is "brokerage-run/1"`},
		"NoFile": {func(w *world, c *Campaign) { write(w, "{", c.Folder, File) }, "unexpected end"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			campaign := w.campaign(t.TempDir())
			c.change(w, campaign)
			err := w.run(campaign)
			require.ErrorContains(t, err, c.says)
			require.NotContains(t, err.Error(), "\n")
			_, stopped := errors.AsType[*Stopped](err)
			require.False(t, stopped)
			require.Empty(t, w.steps)
		})
	}
}

// An interrupted campaign is resumed only with the same settings, build and machine.
func TestCampaign_RefusesOthers(t *testing.T) {
	t.Parallel()
	begin := func(t *testing.T) (*world, string) {
		w, folder := newWorld(t), t.TempDir()
		w.onRun = func(p load) error {
			if p.populates {
				return nil
			}
			return drive.ErrInterrupted
		}
		require.Error(t, w.run(w.campaign(folder)))
		w.onRun, w.steps = nil, nil
		return w, folder
	}
	for name, c := range map[string]struct {
		change func(c *Campaign)
		says   string
	}{
		"Settings": {func(c *Campaign) { c.Settings.Users, c.Settings.Think = []int{4, 8}, Duration{1} },
			"is a campaign with other settings (users, think)"},
		"Build":   {func(c *Campaign) { c.Versions.Commit = "abc" }, "was started by another build (test)"},
		"Machine": {func(c *Campaign) { c.Machine.Cores = 64 }, "was started on another machine (here)"},
	} {
		t.Run(name, func(t *testing.T) {
			w, folder := begin(t)
			campaign := w.campaign(folder)
			c.change(campaign)
			require.ErrorContains(t, w.run(campaign), c.says)
			require.Empty(t, w.steps)

			campaign.Replace = true
			require.NoError(t, w.run(campaign))
			require.True(t, read(t, folder).Complete)
		})
	}
	t.Run("BackupGone", func(t *testing.T) {
		w, folder := begin(t)
		require.NoError(t, os.Remove(w.backup))
		require.ErrorContains(t, w.run(w.campaign(folder)), "the backup of the database is missing: --replace starts again")
	})
}

// A database without a backup is loaded again before each run that follows a write, and at the end.
func TestCampaign_Reloads(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	r := w.completed(func(c *Campaign) { c.Subject = reloadedFake{w.engine()} }) // the driver requires the loaded state
	require.Equal(t, isLoaded, w.db)
	copies := 0
	for _, s := range r.Steps {
		if s.Kind == KindBackup || s.Kind == KindRestore {
			require.Equal(t, LeftOut, s.State)
			require.Equal(t, "it is loaded again", s.Reason)
			copies++
			continue
		}
		require.Equal(t, Done, s.State, s.Name)
	}
	require.Equal(t, 2, copies)
}

// reloadedFake is a fake database that cannot be backed up.
type reloadedFake struct{ fakeEngine }

func (reloadedFake) Lacks(kind StepKind) string {
	if kind == KindBackup || kind == KindRestore {
		return "it is loaded again"
	}
	return ""
}

// A store that keeps nothing has only the steps with runs.
func TestCampaign_Null(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.db = isLoaded
	r := w.completed(func(c *Campaign) {
		c.Subject, c.Settings.Steps = costless, []string{query, crashStep}
	})
	for _, s := range r.Steps {
		if s.Kind == KindRun {
			require.Equal(t, Done, s.State, s.Name)
			continue
		}
		require.Equal(t, LeftOut, s.State, s.Name)
		require.Equal(t, "null: keeps nothing", s.Reason)
	}
	require.Equal(t, "null", r.Store.Engine)
	require.NotEmpty(t, r.Dataset.Fingerprint)
}

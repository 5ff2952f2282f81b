package campaign

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"brokerage/internal/dataset"
	"brokerage/internal/output"
	"brokerage/internal/result"
	"brokerage/internal/store"
)

// Campaign configures a campaign.
type Campaign struct {
	Settings Settings
	Folder   string // for campaign.json, the report and copies of the database
	Replace  bool   // start again, whatever the folder and the database hold

	Subject  Subject
	Driver   Driver
	Start    Starter
	Machine  Machine
	Versions Versions

	Progress *Terminal
	Report   func(*Record) error // may be nil
	Now      func() time.Time
}

// Stopped is the error of a campaign that ended early. All that it measured has been written, and the same command
// resumes it.
type Stopped struct {
	Cause error
	File  string // with what was measured
}

func (e *Stopped) Error() string {
	return fmt.Sprintf("%s: what was measured is in %s, and the same command resumes it", e.why(), e.File)
}

func (e *Stopped) why() string {
	if errors.Is(e.Cause, context.Canceled) {
		return "interrupted"
	}
	return e.Cause.Error()
}

func (e *Stopped) Unwrap() error { return e.Cause }

// File is the name of a campaign's record in its folder.
const File = "campaign.json"

// running is a campaign that runs.
type running struct {
	*Campaign

	dataset *dataset.Dataset
	record  *Record
	file    string
	intact  bool // the database is as it was loaded
	// connections is how many the service may have to the database; 0 is no limit.
	connections int
}

// Run runs a campaign, or the rest of one that was interrupted. An error before anything was changed is returned
// unchanged; a later one as *Stopped.
func (c *Campaign) Run(ctx context.Context) error {
	r, err := c.open()
	if err == nil {
		err = os.MkdirAll(r.Folder, 0o777)
	}
	switch {
	case err != nil:
	case r.record == nil:
		err = r.create(ctx)
	default:
		err = r.resume(ctx)
	}
	if err != nil {
		return err
	}
	if r.record.Complete {
		c.Progress.say("nothing to do: the campaign in " + r.file + " is complete")
		return nil
	}
	c.Progress.say(planText(r.record))
	err = r.steps(ctx)
	if err == nil {
		err = r.finish(ctx)
	}
	r.record.Complete, r.record.Unfinished = err == nil, ""
	if err != nil {
		stopped := &Stopped{err, r.file}
		r.record.Unfinished, err = stopped.why(), stopped
	}
	err = errors.Join(err, r.save())
	if c.Report != nil {
		err = errors.Join(err, c.Report(r.record))
	}
	return err
}

// open checks the settings, and reads the record of the campaign in the folder, if there is one.
func (c *Campaign) open() (*running, error) {
	r := &running{Campaign: c, file: filepath.Join(c.Folder, File)}
	r.Settings = r.Settings.Resolved()
	if err := r.Settings.Verify(); err != nil {
		return nil, err
	}
	spec, err := dataset.ParseSpec(r.Settings.Scale, r.Settings.Profile, r.Settings.Seed)
	if err != nil {
		return nil, err
	}
	r.dataset = dataset.New(spec)
	if r.Replace {
		return r, nil
	}
	if r.record, err = Read(r.file); errors.Is(err, fs.ErrNotExist) {
		return r, nil
	}
	return r, err
}

// Plan returns the record of a campaign before its first step, or that of an interrupted one that Run would continue.
// It changes nothing, and opens no database.
func (c *Campaign) Plan() (*Record, error) {
	r, err := c.open()
	if err == nil && (r.record == nil || r.Settings.changed(r.record.Settings) != "") {
		r.plan()
	}
	if err != nil {
		return nil, err
	}
	return r.record, nil
}

// plan makes the record of a campaign with all of its steps.
func (r *running) plan() {
	r.record = &Record{
		Format: Format, Preset: r.Settings.Preset, Smoke: r.Settings.smoke(), Started: r.Now(),
		Settings: r.Settings, Machine: r.Machine, Versions: r.Versions,
		Steps: plan(r.Settings, r.Subject, r.connections),
	}
}

// resume continues an interrupted campaign, if settings, build and machine are the same.
func (r *running) resume(ctx context.Context) (err error) {
	there, here := r.record, &r.Machine
	refuse := func(why, what string) error {
		return fmt.Errorf("%s "+why+"; --replace starts again", r.file, what)
	}
	switch changed := r.Settings.changed(there.Settings); {
	case changed != "":
		return refuse("is a campaign with other settings (%s): use those, or another folder", changed)
	case there.Complete:
		return nil
	case there.Versions != r.Versions:
		return refuse("was started by another build (%s): resume it with that one, or use another folder",
			there.Versions.Brokerage)
	case there.Machine.Host != here.Host || there.Machine.CPU != here.CPU || there.Machine.Cores != here.Cores:
		return refuse("was started on another machine (%s): use another folder", there.Machine.Host)
	}
	r.connections, err = r.Subject.Connections(ctx)
	return err
}

// create plans a campaign. It returns an error when the database holds data, or a file has the name of its backup,
// unless they may be replaced.
func (r *running) create(ctx context.Context) error {
	holds, err := r.Subject.Holds(ctx)
	if err != nil {
		return err
	}
	if holds != "" && !r.Replace {
		return fmt.Errorf("the database holds %s, but a campaign needs an empty one: --replace empties it", holds)
	}
	backup := r.Subject.BackupFile()
	if _, err := os.Lstat(backup); err == nil && !r.Replace {
		return fmt.Errorf("%s exists, but a campaign needs the name for its backup: move the file, or overwrite it by "+
			"--replace", backup)
	}
	if r.connections, err = r.Subject.Connections(ctx); err != nil {
		return err
	}
	r.plan()
	return r.save()
}

// steps runs the steps that have not been run.
func (r *running) steps(ctx context.Context) error {
	for i := range r.record.Steps {
		if r.record.Steps[i].State.todo() {
			if err := r.step(ctx, i); err != nil {
				return err
			}
		}
	}
	return nil
}

// step runs a step, and writes its measurements even if it fails.
func (r *running) step(ctx context.Context, i int) error {
	s := &r.record.Steps[i]
	began := r.Now()
	if s.Started == nil {
		s.Started = &began
	}
	s.State = Planned
	r.Progress.began(i, r.record)
	err := ctx.Err()
	if err == nil {
		err = r.do(ctx, s)
	}
	s.State = Done
	if err != nil {
		s.State = Interrupted
		err = fmt.Errorf("%s: %w", s.Name, err)
	}
	took := r.Now().Sub(began).Seconds()
	s.Seconds += took
	r.record.Seconds += took
	err = errors.Join(err, r.save())
	r.Progress.ended(i, r.record)
	return err
}

// finish restores the database to the state after the load, and removes the backup.
func (r *running) finish(ctx context.Context) error {
	if err := errors.Join(r.restore(ctx), ctx.Err()); err != nil {
		return err
	}
	return removeFile(r.Subject.BackupFile())
}

func (r *running) save() error {
	file := output.File{Path: r.file, Kind: output.Result, Mode: 0o644}
	return writeJSON(context.Background(), file, r.record) // as a whole, also after a Ctrl-C
}

// contentsOf returns the dataset that a database says it holds.
func contentsOf(ctx context.Context, url string) (stamp result.DatasetStamp, err error) {
	s, err := store.Open(ctx, url, store.Options{})
	if err != nil {
		return stamp, err
	}
	c, err := s.Contents(ctx)
	return result.DatasetStamp(c), errors.Join(err, s.Close())
}

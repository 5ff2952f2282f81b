package campaign

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"brokerage/internal/dataset"
	"brokerage/internal/output"
)

// Campaign configures a campaign.
type Campaign struct {
	Settings Settings // which Check accepts
	Folder   string   // for campaign.json and the backup of the database; it exists
	Replace  bool     // start again, whatever the folder and the database hold

	Subject  Subject
	Drive    Driver
	Machine  Machine
	Versions Versions
	Progress *Terminal

	dataset *dataset.Dataset
	record  *Record
	intact  bool // the database is as it was loaded
	// connections is how many the service may have to the database; 0 is no limit.
	connections int
}

// File is the name of a campaign's record in its folder.
const File = "campaign.json"

func (c *Campaign) file() string { return filepath.Join(c.Folder, File) }

// Run runs a campaign, or the rest of one that was interrupted. It returns the record of what was measured, together
// with an error if the campaign ended early, and no record if it did not begin.
func (c *Campaign) Run(ctx context.Context) (*Record, error) {
	unlock, err := lockFolder(c.Folder)
	if err != nil {
		return nil, err
	}
	defer func() { _ = unlock() }() // nothing was written to it
	err = c.open()
	switch {
	case err != nil:
	case c.changed() != "":
		err = c.refused("with other settings (" + c.changed() + ")")
	case c.record == nil:
		err = c.begin(ctx)
	case c.record.Complete:
		c.Progress.say("nothing to do: the campaign in " + c.file() + " is complete")
		return c.record, nil
	default:
		err = c.resume(ctx)
	}
	if err != nil {
		return nil, err
	}
	c.Progress.say(planText(c.record))
	if err = c.steps(ctx); err == nil {
		err = c.restore(ctx) // the database is left as it was loaded
	}
	if err == nil {
		err = removeFile(c.Subject.BackupFile())
	}
	c.record.Complete, c.record.Unfinished = err == nil, ""
	if err != nil {
		c.record.Unfinished = err.Error()
		if ctx.Err() != nil {
			c.record.Unfinished = "interrupted"
		}
		err = fmt.Errorf("%s: the results so far are in %s; the same command, without --replace, continues it",
			c.record.Unfinished, c.file())
	}
	return c.record, errors.Join(err, c.save())
}

// Plan returns the record of a campaign before its first step, or the record in the folder if it has the same settings.
// It changes nothing, and opens no database.
func (c *Campaign) Plan() (*Record, error) {
	err := c.open()
	if err == nil && (c.record == nil || c.changed() != "") {
		c.plan()
	}
	return c.record, err
}

// open reads the record of the campaign in the folder, if there is one and Replace is not set.
func (c *Campaign) open() error {
	spec, err := dataset.ParseSpec(c.Settings.Scale, c.Settings.Profile, c.Settings.Seed)
	if err != nil {
		return err
	}
	c.dataset, c.record = dataset.New(spec), nil
	if c.Replace {
		return nil
	}
	there, err := Read(c.file())
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	}
	c.record = there
	return nil
}

// changed returns the names of the settings that differ from those of the campaign in the folder.
func (c *Campaign) changed() string {
	if c.record == nil {
		return ""
	}
	return c.Settings.changed(c.record.Settings)
}

func (c *Campaign) refused(why string) error {
	return fmt.Errorf("the campaign %s was started %s: use another folder, or start again with --replace", c.file(), why)
}

// resume checks that an interrupted campaign can be continued by this build on this machine.
func (c *Campaign) resume(ctx context.Context) (err error) {
	there := c.record
	if there.Versions != c.Versions {
		return c.refused("by another build (" + there.Versions.Brokerage + ")")
	}
	if m := there.Machine; m.Host != c.Machine.Host || m.CPU != c.Machine.CPU || m.Cores != c.Machine.Cores {
		return c.refused("on another machine (" + m.Host + ")")
	}
	c.connections, err = c.Subject.Connections(ctx)
	return err
}

// begin plans a campaign. It returns an error when the database holds data, or a file has the name of its backup,
// unless they may be replaced.
func (c *Campaign) begin(ctx context.Context) error {
	holds, err := c.Subject.Holds(ctx)
	if err != nil {
		return err
	}
	if holds != "" && !c.Replace {
		return fmt.Errorf("the database holds %s, but a campaign needs an empty one: --replace empties it", holds)
	}
	backup := c.Subject.BackupFile()
	if _, err := os.Lstat(backup); err == nil && !c.Replace {
		return fmt.Errorf("%s exists, but a campaign needs the name for its backup: move the file, or overwrite it with "+
			"--replace", backup)
	}
	if c.connections, err = c.Subject.Connections(ctx); err != nil {
		return err
	}
	c.plan()
	return c.save()
}

// steps runs the steps that are not done. It writes the measurements of each, even of one that fails.
func (c *Campaign) steps(ctx context.Context) error {
	for i := range c.record.Steps {
		s := &c.record.Steps[i]
		if s.State == Done {
			continue
		}
		*s = Step{Name: s.Name, Kind: s.Kind, Plan: s.Plan, State: Planned} // without what an interrupted one has measured
		c.Progress.began(i, c.record)
		began, err := time.Now(), ctx.Err()
		if err == nil {
			err = c.do(ctx, s)
		}
		s.State = Done
		if err != nil {
			s.State = Interrupted
			err = fmt.Errorf("%s: %w", s.Name, err)
		}
		s.Seconds = time.Since(began).Seconds()
		c.record.Seconds += s.Seconds
		err = errors.Join(err, c.save())
		c.Progress.ended(i, c.record)
		if err != nil {
			return err
		}
	}
	return nil
}

// save replaces the record as a whole, also after a Ctrl-C.
func (c *Campaign) save() error {
	text, err := json.MarshalIndent(c.record, "", "  ")
	if err != nil {
		return err
	}
	file := output.File{Path: c.file(), Kind: output.Result, Mode: 0o644}
	return file.Write(context.Background(), func(f *os.File) error {
		_, err := f.Write(append(text, '\n'))
		return err
	})
}

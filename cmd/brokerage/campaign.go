package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"brokerage/internal/campaign"
	"brokerage/internal/format"
	"brokerage/internal/redact"
	"brokerage/internal/workload"
)

// campaignCmd has the settings of a campaign as flags; those that are nil or empty are set by the preset.
//
//nolint:lll // a help text is one string
type campaignCmd struct {
	Preset string `default:"full" enum:"full,smoke" placeholder:"NAME" help:"Preset of the settings below: full, a valid study of about 35 minutes at XXXS, or smoke, less than ten minutes and marked as such. Default: full."`
	Out    string `default:"campaign" type:"path" placeholder:"DIR" help:"Folder for campaign.json, the report and copies of the database. Default: campaign."`
	DB     string `name:"db" placeholder:"URL" help:"Database: sqlite:PATH, postgres://USER@HOST/DATABASE, db2://USER@HOST/DATABASE, or null:. Default: a new one in DIR."`

	BackupCommand  string `placeholder:"COMMAND" help:"With db2://…: shell command that backs the database up; docs/db2.md has one."`
	RestoreCommand string `placeholder:"COMMAND" help:"With db2://…: shell command that restores the backup, run while no client is connected."`

	AllowInvalid bool `help:"Exit with 0 although a run is INVALID. Default: exit with 4 when all steps are done and written."`

	Replace bool `help:"Delete what DIR and the database hold, and start from the beginning. Default: continue an interrupted campaign."`

	Scale     *scaleFlag     `placeholder:"SCALE" help:"Size of the dataset: ${scales}. Default: by the preset."`
	Profile   *profileFlag   `placeholder:"PROFILE" help:"Profile of the dataset: tpox-2 or tpox-1. Default: by the preset."`
	Seed      *uint64        `placeholder:"N" help:"Seed of the dataset and of random parameters. Default: by the preset."`
	Workloads []string       `placeholder:"NAME" help:"Workloads to run: names, or paths of workload files. Default: by the preset."`
	Users     []int          `placeholder:"N" range:"1..100000" help:"Numbers of users for query, mixed and workload files. Default: by the preset."`
	Reference *int           `placeholder:"N" range:"1..100000" help:"Number of users for what is run with only one. Default: the middle of --users."`
	WarmUp    *time.Duration `placeholder:"TIME" range:"0s..24h" help:"Warm-up before each measurement. Default: by the preset."`
	Duration  *time.Duration `placeholder:"TIME" range:"0s..720h" help:"Measured time of each run. Default: by the preset."`
	Think     *time.Duration `placeholder:"TIME" range:"0s..24h" help:"Pause of each user between two transactions. Default: by the preset."`
	Repeat    *int           `placeholder:"N" range:"1..1000" help:"Number of runs of each kind, from the same data; mixed with --reference users has at least 3. Default: by the preset."`
	CPUs      []int          `name:"cpus" placeholder:"N" range:"0..4096" help:"Numbers of processor cores to limit the service to; 0 skips this step. Default: 1, 2, 4 and so on, up to all."`
	Stages    *int           `placeholder:"N" range:"0..1000" help:"Number of stages of inserts into a growing database; 0 skips this step. Default: by the preset."`
	Stage     *time.Duration `placeholder:"TIME" range:"0s..720h" help:"Time of each stage, for orders and for customers. Default: by the preset."`
	Tier      *time.Duration `placeholder:"TIME" range:"0s..720h" help:"Time of the comparison of the service with its database alone, both together; 0 skips it. Default: by the preset."`
	Tuned     *bool          `negatable:"" help:"Also run with other settings of the database than its defaults. Default: by the preset."`
	Pool      *int           `placeholder:"N" range:"0..10000" help:"Largest number of the service's connections for reading. Default: depends on the database."`
	Limit     *time.Duration `placeholder:"TIME" range:"0s..8760h" help:"Time limit of the campaign: steps that do not fit are left out; 0 is no limit. Default: by the preset."`
}

// Run runs the campaign in this process, which makes the load; the service is another one.
func (c *campaignCmd) Run(ctx context.Context, s streams) (err error) {
	settings, err := c.settings()
	if err != nil {
		return err
	}
	build := campaign.ThisBuild()
	driver := campaign.Workloads{Versions: build, Compare: compareOn}
	if err := settings.Verify(); err != nil {
		return exitError{exitUsage, err}
	}
	if err := driver.Check(settings.Workloads); err != nil {
		return exitError{exitUsage, err}
	}
	engine, err := campaign.Open(c.url(), c.Out, campaign.Commands{Backup: c.BackupCommand, Restore: c.RestoreCommand})
	if err != nil {
		return usagef("--db: %w", err)
	}
	made, err := makeFolder(c.Out)
	defer func() {
		if err != nil { // a campaign that started has left files in it
			removeEmpty(made)
		}
	}()
	if err != nil {
		return err
	}
	machine, err := campaign.ThisMachine(c.Out)
	if err != nil {
		return err
	}
	program, err := os.Executable()
	if err != nil {
		return err
	}
	study := campaign.Campaign{
		Settings: settings, Folder: c.Out, Replace: c.Replace,
		Engine: engine, Driver: driver, Machine: machine, Versions: build, Free: freeBytes,
		Start:    campaign.Children(func(args ...string) *exec.Cmd { return underTest(program, args) }),
		Progress: campaign.Terminal(s.err, columns(s.err)),
		Report:   func(r *campaign.Record) error { return campaignReport(r, c.Out) },
		Now:      time.Now,
	}
	err = study.Run(ctx)
	if _, stopped := errors.AsType[*campaign.Stopped](err); stopped {
		return exitError{exitEnded, err}
	}
	if err != nil {
		return err
	}
	return c.verdict(s)
}

// verdict prints where the report is. A campaign with an INVALID step is an error, unless that is allowed.
func (c *campaignCmd) verdict(s streams) error {
	file := filepath.Join(c.Out, campaign.File)
	if _, err := fmt.Fprintf(s.out, "%s: the report is in %s\n", file, filepath.Join(c.Out, "campaign.html")); err != nil {
		return err
	}
	record, err := campaign.Read(file)
	if err != nil {
		return err
	}
	if steps := record.Invalid(); len(steps) > 0 && !c.AllowInvalid {
		err := fmt.Errorf("%s INVALID: %s", format.Plural(len(steps), "step"), strings.Join(steps, ", "))
		return exitError{exitInvalid, err}
	}
	return nil
}

// makeFolder makes a folder and those above it, and returns the ones that it made, the deepest first.
func makeFolder(path string) (made []string, err error) {
	for dir := path; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(dir); err == nil || dir == filepath.Dir(dir) {
			break
		}
		made = append(made, dir)
	}
	return made, os.MkdirAll(path, 0o777)
}

// removeEmpty removes folders until one is not empty.
func removeEmpty(folders []string) {
	for _, folder := range folders {
		if os.Remove(folder) != nil {
			return
		}
	}
}

// compareOn runs a workload on a database, and through a service on it.
func compareOn(ctx context.Context, url string, config workload.Config, turns int) (tier *workload.Tier, err error) {
	database, opened, err := openExisting(ctx, url)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, opened.Close()) }()
	direct, err := workload.NewDirect(opened, url)
	if err != nil {
		return nil, err
	}
	return compareTier(ctx, database, opened, direct, config, turns)
}

func (c *campaignCmd) url() string {
	if c.DB != "" {
		return c.DB
	}
	return "sqlite:" + filepath.Join(c.Out, "brokerage.db")
}

// settings returns the settings of the preset, overridden by the flags.
func (c *campaignCmd) settings() (campaign.Settings, error) {
	s, err := campaign.Presets(c.Preset)
	if err != nil {
		return s, exitError{exitUsage, err}
	}
	if s.DB = redact.URL(c.DB); c.DB == "" {
		s.DB = "sqlite:brokerage.db" // in the folder of the result
	}
	if c.Scale != nil {
		s.Scale = c.Scale.String()
	}
	if c.Profile != nil {
		s.Profile = c.Profile.String()
	}
	set(&s.Seed, c.Seed)
	set(&s.Reference, c.Reference)
	set(&s.Repeat, c.Repeat)
	set(&s.Stages, c.Stages)
	set(&s.Tuned, c.Tuned)
	set(&s.Pool, c.Pool)
	for to, from := range map[*float64]*time.Duration{
		&s.WarmUp: c.WarmUp, &s.Duration: c.Duration, &s.Think: c.Think, &s.Stage: c.Stage, &s.Tier: c.Tier,
		&s.Limit: c.Limit,
	} {
		if from != nil {
			*to = from.Seconds()
		}
	}
	if len(c.Users) > 0 {
		s.Users = c.Users
	}
	if len(c.Workloads) > 0 {
		s.Workloads = c.Workloads
	}
	switch {
	case len(c.CPUs) == 0:
		s.CPUs = campaign.Doublings(runtime.GOMAXPROCS(0))
	case !slices.Equal(c.CPUs, []int{0}):
		s.CPUs = c.CPUs
	}
	return s.Resolved(), nil
}

func set[T any](to, from *T) {
	if from != nil {
		*to = *from
	}
}

// underTest returns the command of the measured service. It inherits no settings from variables, which would change the
// results.
func underTest(program string, args []string) *exec.Cmd {
	cmd := exec.Command(program, args...) //nolint:noctx // a campaign that is ended stops it in good order
	for _, variable := range os.Environ() {
		if !strings.HasPrefix(variable, "BROKERAGE_") || strings.HasPrefix(variable, "BROKERAGE_TEST_") {
			cmd.Env = append(cmd.Env, variable)
		}
	}
	return cmd
}

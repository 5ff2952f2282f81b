package main

import (
	"cmp"
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
	"brokerage/internal/dataset"
	"brokerage/internal/drive"
	"brokerage/internal/format"
	"brokerage/internal/output"
	"brokerage/internal/report"
	"brokerage/internal/store/db2"
)

// campaignCmd has the settings of a campaign as flags; those that are nil or empty are set by the preset.
//
//nolint:lll // a help text is one string
type campaignCmd struct {
	Preset string `default:"full" enum:"full,smoke,paper-2006,paper-2007,paper-2008,paper-2009" placeholder:"NAME" help:"Preset of the settings below: full, a valid study of about 35 minutes at XXXS on two cores; smoke, less than 10 minutes, whose results are marked SMOKE; or a published study: paper-2006, paper-2007, paper-2008, paper-2009 (docs/campaign.md lists them). Default: full."`
	Out    string `default:"campaign" type:"path" placeholder:"DIR" help:"Folder for campaign.json, the report and copies of the database. Default: campaign."`
	DB     string `name:"db" placeholder:"URL" help:"Database: sqlite:PATH, postgres://USER@HOST/DATABASE, db2://USER@HOST:PORT/DATABASE, or null:, which answers from memory. Default: sqlite:DIR/brokerage.db, a new database."`

	BackupCommand  string `placeholder:"COMMAND" help:"With db2://…: shell command that backs up the database; docs/db2.md has an example. Default: none; the backup step is left out."`
	RestoreCommand string `placeholder:"COMMAND" help:"With db2://…: shell command that restores the backup; it runs while no client is connected. Default: none; the restore step is left out."`

	AllowInvalid bool `help:"Exit with 0 even if a run is INVALID. Default: exit with 4, after all steps are done and written."`

	Replace bool `help:"Discard the campaign in DIR, empty the database (never one made by another program) and start from the beginning; other files in DIR are kept. Default: continue an interrupted campaign."`

	Plan      bool     `help:"Print the steps of the campaign with their estimated times, and exit. Nothing is created, loaded or run."`
	DataScale *float64 `placeholder:"F" range:"0.000001..1000" help:"With a published study: multiply its numbers of customers, orders and inserted documents by F. Default: 1."`
	TimeScale *float64 `placeholder:"F" range:"0.000001..1000" help:"With a published study: multiply its warm-up and measured times by F. Default: 1."`

	Scale     *scaleFlag     `xor:"scale" placeholder:"SCALE" help:"Size of the dataset: ${scales}. Default: XXXS."`
	Customers *int64         `and:"counts" xor:"scale" placeholder:"N" range:"1..60000000000" help:"Number of customers, instead of that of --scale; requires --orders. Default: that of --scale."`
	Orders    *int64         `and:"counts" placeholder:"N" range:"1..500000000000" help:"Number of orders, instead of that of --scale; requires --customers. Default: that of --scale."`
	Profile   *profileFlag   `placeholder:"PROFILE" help:"Profile of the dataset: tpox-2 or tpox-1. Default: tpox-2."`
	Seed      *uint64        `placeholder:"N" help:"Seed of the dataset and of the random parameters; the same seed gives the same documents and parameters. Default: 1."`
	Workloads []string       `placeholder:"NAME" help:"Workloads to run, separated by commas: names, or paths of workload files. Default: query,mixed,classic,insert-orders,insert-customers."`
	Users     []int          `placeholder:"N" range:"1..10000" help:"Numbers of users to run query, mixed and workload files with, separated by commas. Default: 25,50,75,100,150 (full) or 25,50,100 (smoke)."`
	Reference *int           `placeholder:"N" range:"1..10000" help:"Number of users for everything that runs at a single number of users: classic, inserts, settings, cores. Default: the middle of --users."`
	WarmUp    *time.Duration `placeholder:"TIME" range:"0s..24h" help:"Warm-up before each measurement. Default: 20s (full) or 3s (smoke)."`
	Duration  *time.Duration `placeholder:"TIME" range:"1ms..720h" help:"Measured time of each run, at least 1ms. Default: 60s (full) or 8s (smoke)."`
	Think     *time.Duration `placeholder:"TIME" range:"0s..24h" help:"Pause of each user between two transactions. Default: 0s."`
	CPUs      []int          `name:"cpus" placeholder:"N" range:"0..4096" help:"Numbers of processor cores to limit the service to; 0 skips this step. Default: 1, 2, 4 and so on, up to all."`
	Stages    *int           `placeholder:"N" range:"0..1000" help:"Number of stages of inserts into a growing database; 0 skips this step. Default: 4 (full) or 3 (smoke)."`
	Stage     *time.Duration `placeholder:"TIME" range:"1ms..720h" help:"Duration of the order inserts, and of the customer inserts, in each stage; at least 1ms. Default: 10s (full) or 4s (smoke)."`
	Tuned     *bool          `negatable:"" help:"Also run the mixed workload with other database settings than the defaults; --no-tuned skips this step. Default: yes."`
	Pool      *int           `placeholder:"N" range:"0..10000" help:"Maximum number of database connections of the service; with sqlite, of connections for reading. 0 is the default: 2 per processor for sqlite, 16 (or pool_max_conns in the URL) for postgres, 32 (or pool in the URL) for db2."`
	Find      string         `placeholder:"GOAL" help:"Also find the highest rate at which the mixed workload meets a goal such as p99=20ms, with at most --reference transactions running at once; see drive --find. Default: none."`
	Limit     *time.Duration `placeholder:"TIME" range:"0s..8760h" help:"Time limit of the campaign: steps that do not fit are left out; 0s is no limit. Default: 45m (full) or 10m (smoke)."`
}

// Run runs the campaign. This process generates the load; the service under test is another process.
func (c *campaignCmd) Run(ctx context.Context, s streams) (err error) {
	settings, err := c.settings()
	if err != nil {
		return err
	}
	build := campaign.ThisBuild()
	driver := campaign.Workloads{Versions: build}
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
	if c.Plan {
		return c.plan(s, campaign.Campaign{
			Settings: settings, Folder: c.Out, Replace: c.Replace, Subject: engine, Versions: build, Now: time.Now,
			Machine: campaign.Machine{Machine: drive.ThisMachine()},
		})
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
	page := output.File{Path: filepath.Join(c.Out, "campaign.html"), Kind: output.Page, Mode: output.Shared}
	record := output.File{Path: filepath.Join(c.Out, campaign.File), Kind: output.Result}
	if err := cmp.Or(page.Check(), record.Check()); err != nil {
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
		Subject: engine, Driver: driver, Machine: machine, Versions: build, Free: freeBytes,
		Start:    campaign.Children(func(args ...string) *exec.Cmd { return underTest(program, args) }),
		Progress: campaign.Terminal(s.err, columns(s.err), func(line string) { redraw(s.err, line) }),
		Report: func(r *campaign.Record) error {
			return writePage(page, report.FromCampaign(r).WriteHTML)
		},
		Now: time.Now,
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

// plan prints the steps of a campaign that is not run.
func (*campaignCmd) plan(s streams, planned campaign.Campaign) error {
	record, err := planned.Plan()
	if err != nil {
		return err
	}
	return campaign.WritePlan(s.out, record)
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

func (c *campaignCmd) url() string {
	if c.DB != "" {
		return c.DB
	}
	return "sqlite:" + filepath.Join(c.Out, "brokerage.db")
}

// settings returns the settings of the preset, overridden by the flags.
func (c *campaignCmd) settings() (campaign.Settings, error) {
	s, err := c.preset()
	if err != nil {
		return s, exitError{exitUsage, err}
	}
	if s.DB = format.URL(c.DB); c.DB == "" {
		s.DB = "sqlite:brokerage.db" // in the folder of the result
	}
	if c.Scale != nil {
		s.Scale = c.Scale.String()
	}
	if c.Customers != nil && c.Orders != nil {
		s.Scale = countedOr(c.Customers, c.Orders, dataset.Scale{}).String()
	}
	if c.Profile != nil {
		s.Profile = c.Profile.String()
	}
	set(&s.Seed, c.Seed)
	set(&s.Reference, c.Reference)
	set(&s.Stages, c.Stages)
	set(&s.Tuned, c.Tuned)
	set(&s.Pool, c.Pool)
	for to, from := range map[*float64]*time.Duration{
		&s.WarmUp: c.WarmUp, &s.Duration: c.Duration, &s.Think: c.Think, &s.Stage: c.Stage, &s.Limit: c.Limit,
	} {
		if from != nil {
			*to = from.Seconds()
		}
	}
	s.Find = c.Find
	if len(c.Users) > 0 {
		s.Users = c.Users
	}
	if len(c.Workloads) > 0 {
		s.Workloads = c.Workloads
	}
	switch {
	case len(c.CPUs) == 0 && campaign.IsPaper(c.Preset) && len(s.Cores) == 0: // the study did not vary them
	case len(c.CPUs) == 0:
		s.CPUs = campaign.Doublings(runtime.GOMAXPROCS(0))
	case !slices.Equal(c.CPUs, []int{0}):
		s.CPUs = c.CPUs
	}
	return s.Resolved(), nil
}

// preset returns the settings of the preset, with the factors of a published study.
func (c *campaignCmd) preset() (campaign.Settings, error) {
	if campaign.IsPaper(c.Preset) {
		data, times := 1.0, 1.0
		set(&data, c.DataScale)
		set(&times, c.TimeScale)
		return campaign.PaperPreset(c.Preset, data, times)
	}
	if c.DataScale != nil || c.TimeScale != nil {
		return campaign.Settings{}, fmt.Errorf("--data-scale and --time-scale are for the published studies: --preset %s "+
			"takes --scale, --warm-up and --duration", c.Preset)
	}
	return campaign.Presets(c.Preset)
}

func set[T any](to, from *T) {
	if from != nil {
		*to = *from
	}
}

// underTest returns the command of the measured service. It inherits no settings from variables, which would change the
// results, except for the password of the database.
func underTest(program string, args []string) *exec.Cmd {
	cmd := exec.Command(program, args...) //nolint:noctx // a campaign that is ended stops it in good order
	for _, variable := range os.Environ() {
		if !strings.HasPrefix(variable, "BROKERAGE_") || strings.HasPrefix(variable, "BROKERAGE_TEST_") ||
			strings.HasPrefix(variable, db2.PasswordVariable+"=") {
			cmd.Env = append(cmd.Env, variable)
		}
	}
	return cmd
}

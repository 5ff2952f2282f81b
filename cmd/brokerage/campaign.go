package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"brokerage/internal/campaign"
	"brokerage/internal/dataset"
	"brokerage/internal/drive"
	"brokerage/internal/format"
	"brokerage/internal/output"
	"brokerage/internal/report"
	"brokerage/internal/store"
	"brokerage/internal/store/db2"
)

// campaignCmd has the settings of a campaign as flags; those that are nil or empty are set by the preset.
//
//nolint:lll // a help text is one string
type campaignCmd struct {
	Preset string `default:"full" placeholder:"NAME" help:"Preset of the settings below: full, a valid study, whose runs take 25 minutes in all on two cores; smoke, two minutes in all, marked SMOKE; a published study: paper-2006, paper-2007, paper-2008, paper-2009; or the path of a file of the same form (docs/campaign.md). Default: full."`
	Out    string `default:"campaign" type:"path" placeholder:"DIR" help:"Folder for campaign.json, the report and copies of the database. Default: campaign."`
	DB     string `name:"db" placeholder:"URL" help:"Database: sqlite:PATH, postgres://USER@HOST/DATABASE or db2://USER@HOST:PORT/DATABASE. Default: sqlite:DIR/brokerage.db, a new database."`

	BackupCommand  string `and:"commands" placeholder:"COMMAND" help:"With db2://…: shell command that backs up the database, which requires --restore-command; docs/db2.md has an example. Default: none; the database is emptied and loaded again before a run that follows a write."`
	RestoreCommand string `and:"commands" placeholder:"COMMAND" help:"With db2://…: shell command that restores the backup, which requires --backup-command; it runs while no client is connected. Default: none, as for --backup-command."`

	AllowInvalid bool `help:"Exit with 0 even if a run is INVALID. Default: exit with 4, after all steps are done and written."`
	Replace      bool `help:"Discard the campaign in DIR, empty the database (never one made by another program) and start from the beginning; other files in DIR are kept. Default: continue an interrupted campaign."`
	Plan         bool `help:"Print the steps of the campaign, and exit. Nothing is created, loaded or run."`

	Steps     []string `placeholder:"NAME" help:"Steps to run, separated by commas: population (inserts before the load); after it workloads (query, mixed, classic, insert-orders, insert-customers, or paths of files), cores and crash (docs/campaign.md). Default: those of the preset."`
	DataScale float64  `default:"1" placeholder:"F" range:"0.000001..1000" help:"Multiply the preset's numbers of customers, orders and inserted documents by F. Default: 1."`
	TimeScale float64  `default:"1" placeholder:"F" range:"0.000001..1000" help:"Multiply the preset's warm-up and measured times by F. Default: 1."`

	Scale     *scaleFlag     `xor:"scale" placeholder:"SCALE" help:"Size of the dataset: ${scales}. Default: that of the preset."`
	Customers *int64         `and:"counts" xor:"scale" placeholder:"N" range:"1..60000000000" help:"Number of customers, instead of that of --scale; requires --orders. Default: that of --scale."`
	Orders    *int64         `and:"counts" placeholder:"N" range:"1..500000000000" help:"Number of orders, instead of that of --scale; requires --customers. Default: that of --scale."`
	Profile   *profileFlag   `placeholder:"PROFILE" help:"Profile of the dataset: tpox-2 or tpox-1. Default: that of the preset."`
	Seed      *uint64        `placeholder:"N" help:"Seed of the dataset and of the random parameters; the same seed gives the same documents and parameters. Default: 1."`
	Users     []int          `placeholder:"N" range:"1..10000" help:"Numbers of users to run query, mixed, classic and workload files with, separated by commas. Default: 1,2,4,8,16,50,100 (full), or those of the preset."`
	Reference *int           `placeholder:"N" range:"1..10000" help:"Number of users for inserts, population, cores and crash, unless the preset has one for them. Default: the preset's, or with --users the largest."`
	WarmUp    *time.Duration `placeholder:"TIME" range:"0s..24h" help:"Warm-up before each measurement. Default: 20s (full), or that of the preset."`
	Duration  *time.Duration `placeholder:"TIME" range:"1ms..720h" help:"Measured time of each run, at least 1ms. Default: 60s (full), or that of the preset."`
	Think     *time.Duration `placeholder:"TIME" range:"0s..24h" help:"Pause of each user between two transactions. Default: 0s."`
	CPUs      []int          `name:"cpus" placeholder:"N" range:"1..4096" help:"Numbers of processor cores for the step cores. Default: 1, 2, 4 and so on, up to all."`
	Pool      *int           `placeholder:"N" range:"1..10000" help:"Maximum number of database connections of the service; with sqlite, of connections for reading. Default: one for each user, as in the published studies, as far as the server allows."`
}

// Run runs the campaign. This process generates the load; the service under test is another process.
func (c *campaignCmd) Run(ctx context.Context, s streams) (err error) {
	settings, err := c.settings()
	if err != nil {
		return err
	}
	url := cmp.Or(c.DB, "sqlite:"+filepath.Join(c.Out, "brokerage.db"))
	subject, err := campaign.Open(url, c.Out, campaign.Commands{Backup: c.BackupCommand, Restore: c.RestoreCommand})
	if err != nil {
		return usagef("--db: %w", err)
	}
	stamp := buildInfo()
	study := campaign.Campaign{
		Settings: settings, Folder: c.Out, Replace: c.Replace, Subject: subject,
		Machine: campaign.Machine{Machine: drive.ThisMachine()},
		Versions: campaign.Versions{Go: stamp.GoVersion, Brokerage: stamp.Version, Commit: stamp.Revision,
			Generator: dataset.Version},
		Progress: &campaign.Terminal{Out: s.err},
	}
	if c.Plan {
		record, err := study.Plan()
		if err != nil {
			return err
		}
		return campaign.WritePlan(s.out, record)
	}
	_, missing := os.Stat(c.Out)
	if err := os.MkdirAll(c.Out, 0o777); err != nil {
		return usagef("--out: %w", err)
	}
	defer func() {
		if err != nil && missing != nil {
			_ = os.Remove(c.Out) // unless a campaign has left files in it
		}
	}()
	page := output.File{Path: filepath.Join(c.Out, "campaign.html"), Kind: output.Page, Mode: output.Shared}
	file := output.File{Path: filepath.Join(c.Out, campaign.File), Kind: output.Result}
	if err := cmp.Or(page.Check(), file.Check()); err != nil {
		return usagef("--out: %w", err)
	}
	if err := requireRoom(url, settings); err != nil {
		return err
	}
	if study.Machine, err = campaign.ThisMachine(c.Out); err != nil {
		return err
	}
	program, err := os.Executable()
	if err != nil {
		return err
	}
	study.Drive = campaign.Serving(func(args ...string) *exec.Cmd { return underTest(program, args) })
	if isTerminal(s.err) {
		study.Progress.Draw = func(line string) { redraw(s.err, line) }
	}
	record, err := study.Run(ctx)
	if record == nil {
		return err
	}
	results := report.FromCampaign(record)
	err = errors.Join(err, writePage(page, results.WriteHTML))
	switch {
	case err != nil && record.Complete: // only writing the results failed
		return exitError{exitFailed, err}
	case err != nil:
		return exitError{exitEnded, err}
	}
	if err := results.WriteSummary(s.out, page.Path); err != nil {
		return err
	}
	if steps := record.Invalid(); len(steps) > 0 && !c.AllowInvalid {
		err := fmt.Errorf("%s INVALID: %s", format.Plural(len(steps), "step"), strings.Join(steps, ", "))
		return exitError{exitInvalid, err}
	}
	return nil
}

// requireRoom returns an error if the disk is too small for an embedded database, its backup and the copy that a
// restore makes.
func requireRoom(url string, s campaign.Settings) error {
	database, err := store.Find(url)
	if err != nil || database.Path() == "" {
		return err
	}
	spec, err := dataset.ParseSpec(s.Scale, s.Profile, s.Seed)
	if err != nil {
		return err
	}
	_, needed := sizeOf(dataset.New(spec))
	return requireSpace(filepath.Dir(database.Path()), 3*needed+journal)
}

// settings returns the settings of the preset, overridden by the flags.
func (c *campaignCmd) settings() (campaign.Settings, error) {
	s, err := campaign.ReadPreset(c.Preset, c.DataScale, c.TimeScale)
	if err != nil {
		return s, usagef("--preset: %w", err)
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
	set(&s.WarmUp.Duration, c.WarmUp)
	set(&s.Duration.Duration, c.Duration)
	set(&s.Think.Duration, c.Think)
	set(&s.Pool, c.Pool)
	if len(c.Steps) > 0 {
		s.Steps = c.Steps
	}
	if len(c.Users) > 0 {
		s.Users, s.Reference = c.Users, 0
	}
	set(&s.Reference, c.Reference)
	if len(c.CPUs) > 0 {
		s.CPUs = c.CPUs
	}
	s = s.Resolved()
	if err := s.Check(); err != nil {
		return s, exitError{exitUsage, err}
	}
	return s, nil
}

func set[T any](to, from *T) {
	if from != nil {
		*to = *from
	}
}

// underTest returns the command of the measured service. Settings in BROKERAGE_ variables would change the results,
// so it inherits none but the database's password and those of tests, BROKERAGE_TEST_….
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

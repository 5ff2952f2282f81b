package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"brokerage/internal/httpapi"
	"brokerage/internal/report"
	"brokerage/internal/store"
	"brokerage/internal/store/guard"
	"brokerage/internal/telemetry"
	"brokerage/internal/workload"

	domain "brokerage/internal/brokerage"
)

type driveCmd struct {
	DB  string `name:"db" placeholder:"URL" help:"Run against a database, without a service: sqlite:PATH or null:. The database must hold a dataset."`
	URL string `name:"url" placeholder:"URL" help:"Run against a service: http://127.0.0.1:8080."`

	Workload string        `default:"mixed" placeholder:"NAME" help:"mixed, query, insert-orders, insert-customers, classic, or the path of a file of your own. Default: mixed."`
	Users    int           `default:"50" placeholder:"N" help:"Who work at once. Default: 50."`
	Rate     float64       `placeholder:"N" help:"Open model: transactions that are due each second, whatever the answers do; of them, --users are worked on at once. Default: each user waits for an answer and goes on."`
	Duration time.Duration `default:"60s" placeholder:"TIME" help:"To measure. Default: 60s."`
	Ramp     time.Duration `default:"20s" placeholder:"TIME" help:"In which users begin one after the other, or the rate grows; not measured. Default: 20s."`
	Think    time.Duration `default:"0s" placeholder:"TIME" help:"Of a user between an answer and the next request. Default: 0s."`
	Every    time.Duration `default:"60s" placeholder:"TIME" help:"Between reports in the run; 0s is none. Default: 60s."`
	Seed     uint64        `default:"1" placeholder:"N" help:"Another seed, other draws. Default: 1."`
	Validate string        `enum:"yes,no," default:"" placeholder:"yes|no" help:"Are new and replaced documents validated? Default: as the workload says."`

	Tier   bool   `help:"With --db: what the application tier costs. Runs directly and through a service in between, by turns, half of --duration each."`
	Turns  int    `default:"4" placeholder:"N" help:"Of each way, with --tier. Default: 4."`
	Repeat int    `default:"1" placeholder:"N" help:"Runs of the workload, one after the other on the same data, each by draws of its own (--seed and those after it), each printed; then their median and spread. From 3 on, report can tell a difference from noise. Default: 1."`
	JSON   string `name:"json" type:"path" placeholder:"FILE" help:"Write the result there too; with --repeat each, to FILE-1, FILE-2 and so on before the ending: r-1.json."`
	Token  string `env:"BROKERAGE_TOKEN" placeholder:"TOKEN" help:"For the service, see brokerage token. A variable is better than a flag, which others on this computer can see."`
}

// endedEarly is a run that began and did not end as it should. What was
// measured until then has been written.
type endedEarly struct{ error }

func isEnded(err error) bool {
	_, ok := errors.AsType[endedEarly](err)
	return ok
}

// Run drives, and prints the result.
func (c *driveCmd) Run(ctx context.Context, s streams) (err error) {
	definition, err := c.check()
	if err != nil {
		return err
	}
	build := buildInfo()
	config := workload.Config{
		Definition: definition, Users: c.Users, Rate: c.Rate, Ramp: c.Ramp, Duration: c.Duration, Think: c.Think, Every: c.Every, Seed: c.Seed,
		Version: build.Version, Commit: build.Revision,
		Begun: func(r *workload.Run) {
			fmt.Fprintf(s.err, "%s on %s: %s, then %s measured\n", r.Workload.Name, r.Dataset.Fingerprint, c.Ramp, c.Duration)
		},
		Report: func(i workload.Interval) {
			_ = i.WriteShort(s.err) // when not even this can be written, nobody is left to tell
		},
	}
	if err := config.Check(); err != nil {
		return usageError{err}
	}
	if c.URL != "" {
		service, err := workload.NewHTTP(c.URL, c.Token)
		if err != nil {
			return usagef("--url: %w", err)
		}
		return c.drive(ctx, s, service, config)
	}

	opened, err := openExisting(ctx, c.DB)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, opened.Close()) }()
	direct, err := workload.NewDirect(opened, c.DB)
	if err != nil {
		return err
	}
	direct.Stats = storeStats(opened)
	if c.Tier {
		tier, err := compareTier(ctx, opened, direct, config, c.Turns)
		return c.told(s, tier, tier != nil, err)
	}
	return c.drive(ctx, s, direct, config)
}

// drive runs the workload as often as it is asked to. A run that ends early is the last.
func (c *driveCmd) drive(ctx context.Context, s streams, backend workload.Backend, config workload.Config) error {
	var runs []*workload.Run
	var err error
	for ; len(runs) < c.Repeat && err == nil; config.Seed++ {
		one := *c
		if c.Repeat > 1 {
			fmt.Fprintf(s.err, "run %d of %d\n", len(runs)+1, c.Repeat)
			if ending := filepath.Ext(c.JSON); c.JSON != "" {
				one.JSON = fmt.Sprintf("%s-%d%s", strings.TrimSuffix(c.JSON, ending), len(runs)+1, ending)
			}
		}
		var run *workload.Run
		run, err = workload.Drive(ctx, backend, config)
		err = one.told(s, run, run != nil, err)
		if run == nil {
			if len(runs) > 0 {
				err = endedEarly{fmt.Errorf("run %d of %d did not begin: %w", len(runs)+1, c.Repeat, err)}
			}
			break
		}
		runs = append(runs, run)
		if c.Repeat > 1 {
			_, broken := fmt.Fprintln(s.out)
			err = errors.Join(err, broken)
		}
	}
	if len(runs) > 1 {
		err = errors.Join(err, report.WriteRepeats(s.out, runs))
	}
	return err
}

// check refuses what does not go together, and reads the workload.
func (c *driveCmd) check() (*workload.Definition, error) {
	switch {
	case (c.DB == "") == (c.URL == ""):
		return nil, usagef("one of --db and --url says what to run against")
	case c.Tier && c.URL != "":
		return nil, usagef("--tier needs --db: it puts a service of its own before the database")
	case c.Repeat < 1 || c.Repeat > 1000:
		return nil, usagef("--repeat is %d, and must be from 1 to 1000", c.Repeat)
	case c.Tier && c.Repeat > 1:
		return nil, usagef("--repeat is for runs: --tier has --turns")
	case c.Turns < 1:
		return nil, usagef("--turns must be at least 1")
	}
	if c.DB != "" {
		if _, _, err := store.Parse(c.DB); err != nil {
			return nil, usagef("--db: %w", err)
		}
	}
	definition, err := workload.Load(c.Workload)
	if err != nil {
		return nil, usagef("--workload: %w", err)
	}
	if c.Validate != "" {
		definition.Validate = c.Validate == "yes"
	}
	if c.JSON != "" { // before the load, not after an hour of it
		if info, err := os.Stat(filepath.Dir(c.JSON)); err != nil || !info.IsDir() {
			return nil, usagef("--json: there is no folder %s", filepath.Dir(c.JSON))
		}
	}
	return definition, nil
}

// printed is what can be printed and kept.
type printed interface{ Write(io.Writer) error }

// told prints and writes what there is, and makes of a run that ended early its
// error.
func (c *driveCmd) told(s streams, result printed, measured bool, ended error) error {
	if !measured {
		return ended
	}
	err := result.Write(s.out)
	if c.JSON != "" {
		err = errors.Join(err, writeJSON(c.JSON, result))
	}
	if ended != nil {
		return endedEarly{errors.Join(fmt.Errorf("the run ended early: %w", ended), err)}
	}
	return err
}

// writeJSON writes a file as a whole, or not at all.
func writeJSON(file string, v any) error {
	text, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	part := file + ".part"
	if err := os.WriteFile(part, append(text, '\n'), 0o644); err != nil {
		return err
	}
	return os.Rename(part, file)
}

// openExisting opens a database that is there: a load on one that was made by
// a slip of the pen says nothing.
func openExisting(ctx context.Context, url string) (domain.Store, error) {
	scheme, rest, err := store.Parse(url)
	if err != nil {
		return nil, err
	}
	if scheme == store.SQLite {
		if _, err := os.Stat(rest); err != nil {
			return nil, err
		}
	}
	return store.Open(ctx, url, store.Options{Rules: domain.DefaultRules})
}

// compareTier runs with and without a service before the store.
func compareTier(ctx context.Context, opened domain.Store, direct workload.Backend, config workload.Config, turns int) (tier *workload.Tier, err error) {
	url, stop, err := loopback(ctx, opened)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, stop()) }()
	service, err := workload.NewHTTP(url, "")
	if err != nil {
		return nil, err
	}
	return workload.CompareTier(ctx, direct, service, config, turns)
}

// loopback serves a store as brokerage serve does by default, on a port of this
// computer and in this process.
func loopback(ctx context.Context, opened domain.Store) (url string, stop func() error, err error) {
	settings := serveCmd{
		Timeout: 10 * time.Second, HeaderTimeout: 5 * time.Second, ReadTimeout: 15 * time.Second, WriteTimeout: 30 * time.Second, IdleTimeout: 2 * time.Minute,
	}
	log := slog.New(slog.DiscardHandler)
	metrics := telemetry.New(buildInfo())
	if stats := storeStats(opened); stats != nil {
		metrics.Store(stats)
	}
	api, err := httpapi.New(guard.New(opened, guard.Options{Timeout: settings.Timeout}), httpapi.Options{
		Log: log, Version: buildInfo().Version, Metrics: metrics, Timeout: settings.Timeout, InFlight: 256, Queue: 256, QueueWait: 500 * time.Millisecond,
	})
	if err != nil {
		return "", nil, err
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	server := settings.server(api, log)
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(listener) }()
	return "http://" + listener.Addr().String(), func() error {
		err := server.Close()
		if served := <-failed; !errors.Is(served, http.ErrServerClosed) {
			err = errors.Join(err, served)
		}
		return err
	}, nil
}

package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"brokerage/internal/drive"
	"brokerage/internal/format"
	"brokerage/internal/output"
	"brokerage/internal/result"
	"brokerage/internal/store"
	"brokerage/internal/tpox"
	"brokerage/internal/workload"
)

//nolint:lll // a help text is one string
type driveCmd struct {
	DB        string `group:"Target" name:"db" xor:"target" placeholder:"URL" help:"Run directly on a database that holds a dataset, without a service: sqlite:PATH, postgres://USER@HOST/DATABASE, db2://USER@HOST:PORT/DATABASE, or null:, which stores nothing and returns fixed answers. Default: none; see --url."`
	URL       string `group:"Target" name:"url" xor:"target" placeholder:"URL" help:"Run against a service. Default: http://127.0.0.1:8080."`
	clientTLS `group:"TLS" set:"trusted=those of the system"`

	database *store.Database // of --db

	Workload    string            `group:"Load" default:"mixed" placeholder:"NAME" help:"Workload: mixed, query, insert-orders, insert-customers, classic, or the path of a workload file, which may define transactions of its own. Default: mixed."`
	Users       int               `group:"Load" default:"50" placeholder:"N" range:"1..10000" help:"Number of concurrent users. Default: 50."`
	Rate        float64           `group:"Load" placeholder:"N" range:"0..1000000" help:"Open model: transactions started per second, however slow the responses are, with at most --users running at once. 0 selects the closed model, in which each user waits for a response before its next request. Default: 0."`
	Arrivals    drive.Arrivals    `group:"Load" enum:"poisson,even" default:"poisson" placeholder:"poisson|even" help:"With --rate: how the transactions are spread over time: poisson, with exponentially distributed pauses, as those of independent clients; even, with equal pauses. Default: poisson."`
	Weights     string            `group:"Load" placeholder:"NAME=N,…" help:"Weights that replace those of the workload, relative to their sum: get_order=30,buy_security=5. Transactions that are not named do not run. Default: the weights of the workload."`
	Duration    *time.Duration    `group:"Length" xor:"length" placeholder:"TIME" range:"1ms..720h" help:"Measured time after --ramp, at least 1ms. Default: 60s, without --count."`
	Count       int64             `group:"Length" xor:"length" placeholder:"N" range:"0..1000000000000" help:"Number of transactions to measure after --ramp, instead of --duration; those of the ramp are not among them. Default: 0, which measures a time."`
	Ramp        time.Duration     `group:"Length" default:"20s" placeholder:"TIME" range:"0s..720h" help:"Warm-up, not measured, in which users start one after another, or the rate rises. Before it, users insert the documents that they will delete. Default: 20s."`
	Think       drive.Think       `group:"Load" default:"0s" placeholder:"TIME" help:"Pause of a user between a response and the next request: 100ms, or exponential:100ms, which draws it with that mean. Default: 0s."`
	Every       time.Duration     `group:"Output" default:"5s" placeholder:"TIME" range:"0s..720h" help:"Interval of progress lines, which are also part of the result; 0s prints none. Default: 5s."`
	Seed        uint64            `group:"Load" default:"1" placeholder:"N" help:"Seed of the random parameters; the same seed gives the same parameters. Default: 1."`
	Consistency drive.Consistency `group:"Load" placeholder:"primary|token|stale=TIME" help:"With --url, for a service with --replica: how fresh the answers to queries must be. token sends the Consistency-Token of the user's last write; stale=2s accepts answers up to 2 s old; with primary, the primary answers. Default: primary."`
	Validate    string            `group:"Load" enum:"yes,no," default:"" placeholder:"yes|no" help:"Whether new and replaced documents are validated against their schemas. Default: what the workload specifies."`

	WatchDB string `group:"Target" name:"watch-db" placeholder:"URL" help:"With --url: database of the service, postgres://USER@HOST/DATABASE or db2://USER@HOST:PORT/DATABASE. The statistics of its server and, on this machine, of its processes become part of the result. Default: none; with --db, that database."`

	resultFlags `group:"Output"`

	Find   goalFlag      `group:"Load" placeholder:"GOAL" help:"Estimate the highest rate that meets a goal, with its 95 % interval. A goal is one or more limits, separated by commas: p99=20ms (also p50, p90, p95, p99.9), get_order:p99=5ms for one transaction, errors=0.1% for the share that fails (0.5% if not given). Rates are tried in slices of a few seconds; the first is --rate, or else what the users achieve during --ramp. Default: none."`
	Within time.Duration `group:"Length" default:"5m" placeholder:"TIME" range:"1s..24h" help:"With --find: longest time of the search, --ramp included. Default: 5m."`
	Others percentFlag   `group:"Load" default:"5%" placeholder:"N%" help:"With --find: share of the machine that other programs may use during a slice; with more, the slice is repeated. Default: 5%."`

	Part    loadPart  `group:"Load" placeholder:"N/M" help:"Issue part N of M of the load that --users and --rate describe, so that M machines can share it. Each writes its result with --json; brokerage merge adds the results. index/M takes N from the pod of an Indexed Job of Kubernetes. Requires --start-at. Default: the whole load."`
	StartAt startTime `group:"Length" placeholder:"TIME" help:"When --ramp begins, such as 2026-01-31T15:04:05Z; the same on all machines. Until then, users insert the documents that they will delete. Default: at once."`

	proofFlags `group:"Proof"`

	Token string `group:"Target" env:"BROKERAGE_TOKEN" placeholder:"TOKEN" help:"Bearer token for the service, made by brokerage token. Other users of this machine can see flags, so prefer the environment variable BROKERAGE_TOKEN. Default: none."`
}

// resultFlags are the flags of a command that prints the result of a run.
//
//nolint:lll // a help text is one string
type resultFlags struct {
	JSON         string `name:"json" type:"path" placeholder:"FILE" help:"File to write the result to as well. Default: none."`
	Verbose      bool   `help:"Print all percentiles and expected refusals. Default: the most important percentiles; --json has all."`
	AllowInvalid bool   `help:"Exit with 0 even if the run is INVALID. Default: exit with 4."`
}

// defaultService is the URL of a service with default settings.
const defaultService = "http://127.0.0.1:8080"

// Run runs the workload, and prints the result.
func (c *driveCmd) Run(ctx context.Context, s streams) error {
	definition, err := c.definition()
	if err != nil {
		return err
	}
	config := c.config(s, definition)
	defer clearLine(s.err) // before an error is printed
	if err := config.Check(); err != nil {
		return exitError{exitUsage, err}
	}
	if time.Until(c.StartAt.Time) > 0 {
		s.notice("the users start at " + c.StartAt.Format(time.RFC3339))
	}
	if c.DB != "" {
		return c.direct(ctx, s, config)
	}
	return c.remote(ctx, s, config)
}

// config returns the settings of a run, which prints its progress to standard error.
func (c *driveCmd) config(s streams, definition *workload.Definition) drive.Plan {
	build, duration := buildInfo(), time.Duration(0)
	if c.Count == 0 {
		duration = time.Minute
	}
	set(&duration, c.Duration)
	config := drive.Plan{
		Definition: definition, Users: c.Users, Rate: c.Rate, Arrivals: c.Arrivals,
		Ramp: c.Ramp, Think: c.Think, Count: c.Count,
		Duration: duration, Every: c.Every, Seed: c.Seed, Consistency: c.Consistency,
		Share: c.Part.Share, StartAt: c.StartAt.Time,
		Version: build.Version, Commit: build.Revision,
		Begun: func(r *result.Run) {
			took := func(seconds float64) time.Duration { return time.Duration(seconds * float64(time.Second)) }
			length := took(r.Duration).String()
			if c.Count > 0 {
				length = format.Plural(c.Count, "transaction")
			}
			clearLine(s.err)
			fmt.Fprintf(s.err, "%s on %s: %s of warm-up, then %s measured\n", r.Workload.Name, r.Dataset.Fingerprint,
				took(r.Ramp), length)
		},
		Report: func(i result.Interval) {
			clearLine(s.err)
			_ = i.WriteShort(s.err) // when even this cannot be written, nobody is left to report it to
		},
	}
	if isTerminal(s.err) || c.Every > 0 {
		config.Progress = s.progress()
	}
	if c.Break != "" {
		config.Break = drive.Break{Do: drive.Command(c.Break), At: c.At}
	}
	return config
}

// remote runs the workload against a service.
func (c *driveCmd) remote(ctx context.Context, s streams, config drive.Plan) error {
	security, err := c.clientTLS.config()
	if err != nil {
		return err
	}
	if _, err := drive.ServiceURL(c.URL); err != nil {
		return usagef("--url: %w", err)
	}
	target, err := drive.NewHTTP(c.URL, c.Token, security)
	if err != nil {
		return usagef("%w", err)
	}
	if c.WatchDB != "" {
		database, err := store.Find(c.WatchDB)
		if err != nil {
			return usagef("--watch-db: %w", err)
		}
		if config.Observer, err = database.Watch(ctx); err != nil {
			return fmt.Errorf("--watch-db: %w", err)
		}
		if config.Observer == nil {
			return usagef("--watch-db: %s has no server to watch", database.Name())
		}
		defer func() { _ = config.Observer.Close() }() // nothing was written
	}
	return c.drive(ctx, s, target, config, nil)
}

// direct runs the workload on a database, without a service.
func (c *driveCmd) direct(ctx context.Context, s streams, config drive.Plan) (err error) {
	if err := c.database.RequireExisting(); err != nil { // a mistyped path must not make a new one
		return err
	}
	opened, err := c.database.Open(ctx, store.Options{Rules: tpox.DefaultRules})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, opened.Close()) }()
	target, err := drive.NewDirect(opened, c.DB)
	if err != nil {
		return err
	}
	target.Stats = store.StatsOf(opened)
	if config.Observer, err = c.database.Watch(ctx); err != nil {
		return err
	}
	if config.Observer != nil {
		defer func() { err = errors.Join(err, config.Observer.Close()) }()
	}
	return c.drive(ctx, s, target, config, opened)
}

// drive runs the workload on an open store or, if that is nil, on a service. With --find, it searches for the
// highest rate, and returns an error if it finds none.
func (c *driveCmd) drive(
	ctx context.Context, s streams, target drive.Target, plan drive.Plan, opened tpox.Store,
) (err error) {
	var run *result.Run
	if c.Find.String() == "" {
		run, err = c.run(ctx, s, target, plan, opened)
	} else {
		show := s.progress()
		run, err = drive.Find(ctx, plan, target, drive.RateSearch{
			Goal: c.Find.Goal, Within: c.Within, Others: float64(c.Others),
			Progress: func(curve *result.Curve) { show(curve.Progress()) },
		})
	}
	if run == nil {
		return err
	}
	err = c.report(s, run, c.inputs(), err)
	if err == nil && run.Curve != nil && run.Curve.Found == 0 {
		return exitError{exitFailed, errAnswered}
	}
	return err
}

// inputs returns the files that the command reads.
func (c *driveCmd) inputs() []string {
	inputs := []string{c.Workload, c.TLSCA, c.TLSCert, c.TLSKey}
	if c.database != nil {
		inputs = append(inputs, c.database.Path())
	}
	return inputs
}

// definition refuses flags that contradict each other and files that cannot be written, and reads the workload.
func (c *driveCmd) definition() (*workload.Definition, error) {
	if c.Consistency == "primary" {
		c.Consistency = drive.Primary
	}
	if err := c.contradiction(); err != nil {
		return nil, err
	}
	scheme := ""
	if c.DB != "" {
		database, err := store.Find(c.DB)
		if err != nil {
			return nil, usagef("--db: %w", err)
		}
		c.database, scheme = &database, database.Scheme
	}
	c.URL = cmp.Or(c.URL, defaultService)
	definition, err := workload.Load(c.Workload)
	if err != nil {
		return nil, exitError{exitUsage, err}
	}
	if c.Weights != "" {
		if err := definition.SetWeights(c.Weights); err != nil {
			return nil, usagef("--weights: %w", err)
		}
	}
	if err := definition.Fits(scheme); err != nil {
		return nil, usagef("--workload: %w", err)
	}
	if c.Validate != "" {
		definition.Validate = c.Validate == "yes"
	}
	if err := c.Find.Check(definition); err != nil {
		return nil, usagef("--find: %w", err)
	}
	if err := requireWritable(c.ledgerFile()); err != nil {
		return nil, usagef("--ledger: %w", err)
	}
	return definition, c.check(c.inputs())
}

// contradiction returns an error if flags contradict each other.
func (c *driveCmd) contradiction() error {
	switch {
	case c.DB != "" && c.clientTLS != (clientTLS{}):
		return usagef("--tls-ca, --tls-client-cert and --tls-client-key are for a service: --db uses none")
	case c.DB != "" && c.WatchDB != "":
		return usagef("--watch-db is for a service: --db watches its own database")
	case c.DB != "" && c.Consistency != drive.Primary:
		return usagef("--consistency is for a service: a load with --db uses no replica")
	case c.Count > 0 && (c.Find.String() != "" || c.Part != loadPart{}):
		return usagef("--count cannot be used with --find or --part: use --within or --duration instead")
	case c.Find.String() != "" && !c.StartAt.IsZero():
		return usagef("--find is for one load generator: it cannot be used with --part or --start-at")
	case c.Find.String() != "" && (c.Think != drive.Think{} || c.Duration != nil):
		return usagef("--find cannot be used with --think or --duration: rates are tried in slices, for --within at most")
	case c.Part != loadPart{} && c.StartAt.IsZero():
		return usagef("--part requires --start-at: all parts of a load start at the same time")
	case c.Ledger != "" && (c.Part != loadPart{} || c.Find.String() != ""):
		return usagef("--ledger cannot be used with --part or --find")
	case c.Break != "" && c.Find.String() != "":
		return usagef("--break cannot be used with --find")
	}
	return nil
}

// file returns the file of --json.
func (f resultFlags) file(inputs []string) output.File {
	return output.File{Path: f.JSON, Kind: output.Result, Mode: output.Shared, Inputs: inputs}
}

// check returns an error if --json cannot be written: before the load, not after an hour of it.
func (f resultFlags) check(inputs []string) error {
	if err := requireWritable(f.file(inputs)); err != nil {
		return usagef("--json: %w", err)
	}
	return nil
}

// report prints a result and writes it to --json. It returns an error for a run that ended early and, without
// --allow-invalid, for an INVALID one.
func (f resultFlags) report(s streams, run *result.Run, inputs []string, ended error) error {
	clearLine(s.err)
	err := run.Write(s.out, f.Verbose)
	if f.JSON != "" {
		err = errors.Join(err, writeJSON(f.file(inputs), run))
	}
	if ended != nil {
		return exitError{exitEnded, errors.Join(fmt.Errorf("the run ended early: %w", ended), err)}
	}
	if v := run.Validity; err == nil && v.Invalid() && !f.AllowInvalid {
		return exitError{exitInvalid, fmt.Errorf("the run is INVALID: %s", strings.Join(v.Reasons, "; "))}
	}
	return err
}

// requireWritable returns an error if a file cannot be written, before a run whose result would be lost. A file
// without a name passes.
func requireWritable(file output.File) error {
	if file.Path == "" {
		return nil
	}
	if err := file.Check(); err != nil {
		return err
	}
	probe, err := os.CreateTemp(filepath.Dir(file.Path), ".brokerage-*")
	if err != nil {
		return fmt.Errorf("cannot write to the folder %s: %w", filepath.Dir(file.Path), err)
	}
	return errors.Join(probe.Close(), os.Remove(probe.Name()))
}

// writeJSON writes a value to a file.
func writeJSON(file output.File, v any) error {
	text, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	return writeFile(file, append(text, '\n'))
}

// writeFile writes a file.
func writeFile(file output.File, content []byte) error {
	return file.Write(context.Background(), func(f *os.File) error { // also after a Ctrl-C
		_, err := f.Write(content)
		return err
	})
}

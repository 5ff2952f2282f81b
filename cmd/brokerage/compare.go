package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"brokerage/internal/compare"
	"brokerage/internal/output"
	"brokerage/internal/report"
	"brokerage/internal/store"
	"brokerage/internal/workload"
)

//nolint:lll // a help text is one string
type compareCmd struct {
	A string `arg:"" help:"First side: the URL of a service, http://HOST:PORT; the URL of a database that holds a dataset, as for --db of drive, such as sqlite:PATH?synchronous=normal; or exec:COMMAND, a command that starts a service, which is stopped afterwards. Its address is read from its output, in the form that serve prints, or {port} in COMMAND is replaced by a free port, at which it must listen on 127.0.0.1."`
	B string `arg:"" help:"Second side. It is compared with the first."`

	Workload string  `default:"mixed" placeholder:"NAME" help:"Workload: mixed, query, insert-orders, insert-customers, classic, or the path of a workload file. Default: mixed."`
	Weights  string  `placeholder:"NAME=N,…" help:"Weights that replace those of the workload, as in drive. Default: the weights of the workload."`
	Users    int     `default:"16" placeholder:"N" range:"1..10000" help:"Number of users of each side; those of one side work while those of the other wait. Default: 16."`
	Rate     float64 `placeholder:"N" range:"0..1000000" help:"Open model: transactions started per second on each side, with at most --users running at once; latencies are compared then. 0 selects the closed model, in which throughput is compared. Default: 0."`
	Seed     uint64  `default:"1" placeholder:"N" help:"Seed of the random parameters and of the order of slices. Default: 1."`

	Detect    percentFlag   `default:"3%" placeholder:"N%" help:"Difference to find, from 0.1% to 100%: the comparison ends when the 95 % interval is all inside or all outside ±--tolerance, or is at most this wide without 0 and its estimate is outside. Default: 3%."`
	Tolerance percentFlag   `default:"2%" placeholder:"N%" help:"Largest difference that counts as equal, from 0.1% to 100%. Default: 2%."`
	Others    percentFlag   `default:"5%" placeholder:"N%" help:"Share of the machine that other programs may use during a slice; a slice with more is repeated, and so is one in which the load generator's clock stalled. 100% accepts any share, which makes the intervals wider. Default: 5%."`
	Within    time.Duration `default:"20m" placeholder:"TIME" range:"1m..720h" help:"Longest time; most comparisons are decided earlier. Default: 20m."`

	BeforeA string `placeholder:"COMMAND" help:"Command to run before each slice of the first side, such as one that reloads settings. Default: none."`
	BeforeB string `placeholder:"COMMAND" help:"Command to run before each slice of the second side. Default: none."`

	JSON         string `name:"json" type:"path" placeholder:"FILE" help:"File to write the result to as JSON. Default: none."`
	Out          string `type:"path" placeholder:"FILE" help:"HTML page to write, with a chart of all blocks of slices. Default: none."`
	AllowInvalid bool   `help:"Exit with 0 even if the comparison is INVALID. Default: exit with 4."`

	clientTLS `set:"trusted=those of the system"`

	Token string `env:"BROKERAGE_TOKEN" placeholder:"TOKEN" help:"Bearer token for the services, made by brokerage token. Other users of this machine can see flags, so prefer the environment variable BROKERAGE_TOKEN. Default: none."`
}

// percentFlag is a share, written as a percentage: 3%.
type percentFlag float64

func (f *percentFlag) UnmarshalText(text []byte) error {
	number, isPercent := strings.CutSuffix(string(text), "%")
	percent, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if err != nil || !isPercent || !(percent >= 0.1 && percent <= 100) {
		return fmt.Errorf("%q is not a percentage such as 3%%, from 0.1%% to 100%%", text)
	}
	*f = percentFlag(percent / 100)
	return nil
}

// errAnswered is the error of a command whose output already says why it does not exit with 0.
var errAnswered = errors.New("")

// Run compares the sides, and prints the result.
func (c *compareCmd) Run(ctx context.Context, s streams) error {
	definition, err := workload.Load(c.Workload)
	if err == nil && c.Weights != "" {
		err = definition.SetWeights(c.Weights)
	}
	if err != nil {
		return exitError{exitUsage, err}
	}
	security, err := c.clientTLS.config()
	if err != nil {
		return err
	}
	file := output.File{
		Path: c.JSON, Kind: output.Result, Mode: output.Shared, Inputs: c.inputs(), Others: []string{c.Out},
	}
	page := output.File{
		Path: c.Out, Kind: output.Page, Mode: output.Shared, Inputs: file.Inputs, Others: []string{c.JSON},
	}
	if err := cmp.Or(requireWritable(file), requireWritable(page)); err != nil {
		return exitError{exitUsage, err}
	}
	build := buildInfo()
	result, ended := compare.Run(ctx, compare.Config{
		Definition: definition, Users: c.Users, Rate: c.Rate, Seed: c.Seed, Token: c.Token, TLS: security,
		Detect: float64(c.Detect), Tolerance: float64(c.Tolerance), Others: float64(c.Others), Within: c.Within,
		Before: [2]string{c.BeforeA, c.BeforeB}, Version: build.Version, Commit: build.Revision, Progress: s.progress(),
	}, c.A, c.B)
	clearLine(s.err)
	switch {
	case errors.Is(ended, compare.ErrSides):
		return exitError{exitUsage, ended}
	case result == nil && ctx.Err() == nil:
		return exitError{exitEnded, ended} // a side that does not start, or does not answer
	case result == nil:
		return ended
	}
	err = result.Write(s.out)
	if c.JSON != "" {
		err = errors.Join(err, writeJSON(file, result))
	}
	if c.Out != "" {
		err = errors.Join(err, writePage(page, func(w io.Writer) error { return report.WriteCompared(w, result) }))
	}
	if ended != nil {
		return exitError{exitEnded, errors.Join(fmt.Errorf("the comparison ended early: %w", ended), err)}
	}
	codes := map[compare.Verdict]int{
		compare.Slower: exitWorse, compare.Undecided: exitUndecided, compare.Invalid: exitInvalid,
	}
	if code := codes[result.Verdict]; err == nil && code != 0 && !(code == exitInvalid && c.AllowInvalid) {
		return exitError{code, errAnswered}
	}
	return err
}

// inputs returns the files that the command reads.
func (c *compareCmd) inputs() []string {
	inputs := []string{c.Workload, c.TLSCA, c.TLSCert, c.TLSKey}
	for _, side := range []string{c.A, c.B} {
		if database, err := store.Find(side); err == nil {
			inputs = append(inputs, database.Path())
		}
	}
	return inputs
}

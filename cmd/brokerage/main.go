// Brokerage serves the TPoX online brokerage over HTTP, and creates and maintains its databases.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"reflect"
	"strings"
	"syscall"
	"time"

	"github.com/alecthomas/kong"

	"brokerage/internal/dataset"
	"brokerage/internal/drive"
	"brokerage/internal/format"
	"brokerage/internal/output"
	"brokerage/internal/service"
	_ "brokerage/internal/store/db2" // the engines, which register themselves
	_ "brokerage/internal/store/null"
	_ "brokerage/internal/store/postgres"
	_ "brokerage/internal/store/sqlite"
)

// streams are the outputs of a command, which tests replace.
type streams struct {
	out, err io.Writer
}

// notice writes a sentence about what a command does.
func (s streams) notice(text string) { fmt.Fprintln(s.err, text) }

//nolint:lll // a help text is one string
type commands struct {
	Serve    serveCmd    `cmd:"" help:"Serve a database over HTTP."`
	Token    tokenCmd    `cmd:"" help:"Create an access token for a client."`
	Generate generateCmd `cmd:"" help:"Write a dataset, or one part of it, to files with one document a line."`
	Dataset  datasetCmd  `cmd:"" help:"Print what a dataset contains and how much space it needs, without generating it."`
	Migrate  migrateCmd  `cmd:"" help:"Create the schema in an empty database, and do nothing else."`
	Load     loadCmd     `cmd:"" help:"Fill a database with a dataset, generated or from files."`
	Verify   verifyCmd   `cmd:"" help:"Read a whole database and print one line for each fault."`
	Backup   backupCmd   `cmd:"" help:"Copy a database, which may be in use, to a checksummed file."`
	Restore  restoreCmd  `cmd:"" help:"Restore a database from a backup."`
	Drive    driveCmd    `cmd:"" help:"Run a workload against a database or a service, and print the results."`
	Compare  compareCmd  `cmd:"" help:"Find the faster of two services or databases, in short runs (slices) in random order."`
	Merge    mergeCmd    `cmd:"" help:"Merge the results of a load that several load generators have issued."`
	Campaign campaignCmd `cmd:"" help:"Study a database: load it, measure it, and run all workloads against it."`
	Report   reportCmd   `cmd:"" help:"Write an HTML report of a campaign or a load test, or compare two results."`
	Health   healthCmd   `cmd:"" help:"Check whether a service is alive, for container health checks."`
	Version  versionCmd  `cmd:"" help:"Print the version of this program."`

	VersionFlag versionFlag `name:"version" help:"Print the version of this program."`
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // the second signal ends the process at once
	code := run(ctx, os.Args[1:], streams{os.Stdout, os.Stderr})
	stop()
	os.Exit(code)
}

// Exit codes.
const (
	exitOK          = 0
	exitFailed      = 1
	exitUsage       = 2
	exitEnded       = 3 // ended early; the results until then, if any, have been written
	exitInvalid     = 4 // results that were written may not be quoted, or a ledger shows lost or repeated changes
	exitWorse       = 5 // of two compared sides, the second is worse
	exitUndecided   = 6 // it is undecided whether one of two compared sides is better
	exitInterrupted = 130
)

// run runs the command that args name, and returns the exit code of the process. An error is one line.
func run(ctx context.Context, args []string, s streams) int {
	s = streams{printable{s.out}, printable{s.err}}
	var cli commands
	done := false
	parser, err := kong.New(&cli,
		kong.Name("brokerage"),
		kong.Description("The TPoX online brokerage: the service, its databases, and documents for it at any scale. "+
			"Exit codes: 0 done, 1 failed, 2 wrong usage, 3 a load test, comparison or campaign ended early or by Ctrl-C, "+
			"4 its results are INVALID or verify --ledger found lost changes, "+
			"5 a comparison shows B to be worse, 6 it is undecided, 130 interrupted without results."),
		kong.Writers(s.out, s.err),
		kong.Exit(func(int) { done = true }), // only --help and --version exit
		kong.UsageOnError(),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}),
		kong.Vars{"scales": scaleNames()},
		kong.TypeMapper(reflect.TypeFor[time.Duration](), kong.MapperFunc(decodeDuration)),
		environment("serve", "BROKERAGE_"),
		kong.BindTo(ctx, (*context.Context)(nil)),
		kong.Bind(s),
	)
	if err != nil {
		fmt.Fprintln(s.err, "brokerage:", err)
		return exitFailed
	}
	if len(args) == 0 {
		args = []string{"--help"}
	}
	shown := func(err error) string { return format.Arguments(err.Error(), args) }
	command, err := service.Await(ctx, func(context.Context) (*kong.Context, error) { return parser.Parse(args) })
	if err == nil && !done {
		err = checkRanges(command.Flags())
	}
	switch {
	case errors.Is(err, context.Canceled): // while a settings file was read
		fmt.Fprintln(s.err, "brokerage: interrupted")
		return exitInterrupted
	case done:
		return exitOK
	case err != nil:
		named := "brokerage"
		if failed, ok := errors.AsType[*kong.ParseError](err); ok {
			command = failed.Context
		}
		if command != nil && command.Selected() != nil {
			named += " " + command.Selected().Name
		}
		fmt.Fprintf(s.err, "brokerage: %s (see %s --help)\n", shown(err), named)
		return exitUsage
	}

	if err := command.Run(); err != nil {
		code, err := exitCodeOf(err)
		if !errors.Is(err, errAnswered) {
			fmt.Fprintf(s.err, "brokerage %s: %s\n", command.Selected().Name, shown(err))
		}
		return code
	}
	return exitOK
}

// exitError is an error with an exit code of its own.
type exitError struct {
	code int
	error
}

func (e exitError) Unwrap() error { return e.error }

// exitCodeOf returns the exit code for the error of a command, and the error to print.
func exitCodeOf(err error) (int, error) {
	coded, ok := errors.AsType[exitError](err)
	_, config := errors.AsType[*service.ConfigError](err)
	_, refused := errors.AsType[*output.Refused](err)
	switch {
	case ok && coded.code != exitUsage:
		return coded.code, err
	case errors.Is(err, context.Canceled), errors.Is(err, drive.ErrInterrupted):
		return exitInterrupted, errors.New("interrupted")
	case ok || config || refused:
		return exitUsage, err
	default:
		return exitFailed, err
	}
}

func usagef(format string, args ...any) error {
	return exitError{exitUsage, fmt.Errorf(format, args...)}
}

func scaleNames() string {
	var names []string
	for _, scale := range dataset.Scales() {
		names = append(names, scale.Name)
	}
	return strings.Join(names, ", ")
}

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"brokerage/internal/drive"
	"brokerage/internal/format"
	"brokerage/internal/ledger"
	"brokerage/internal/output"
	"brokerage/internal/result"
	"brokerage/internal/tpox"
)

// proofFlags are the flags of drive to keep a ledger and to break the target.
//
//nolint:lll // a help text is one string
type proofFlags struct {
	Ledger string        `type:"path" placeholder:"FILE" help:"New file that records each change before it is sent and again when it is answered, to find acknowledged changes that the database has lost. With --db, the check runs at the end; for a service, run brokerage verify --ledger afterwards. Each change waits for the file, so rates and times of such a run are not measurements. Default: none."`
	Break  string        `and:"break" placeholder:"COMMAND" help:"Shell command that breaks the target in the middle of the run, such as 'kill -9 …'; requires --at. It must also start the target again, unless something else does. The result says how long it took until the target answered again. Default: none."`
	At     time.Duration `and:"break" placeholder:"TIME" range:"0s..720h" help:"Time from the start of measuring until the command of --break runs; required by --break. Default: none."`
}

// ledgerFile returns the file of --ledger, which is always a new one.
func (c *driveCmd) ledgerFile() output.File {
	return output.File{Path: c.Ledger, Inputs: c.inputs(), Others: []string{c.JSON}}
}

// run runs the workload once. With a ledger, it also verifies the opened store, which is nil for a service.
func (c *driveCmd) run(
	ctx context.Context, s streams, target drive.Target, config drive.Plan, opened tpox.Store,
) (*result.Run, error) {
	if c.Ledger == "" {
		return drive.Run(ctx, config, target)
	}
	w, err := ledger.Create(c.ledgerFile())
	if err != nil {
		return nil, err
	}
	config.Ledger = w
	run, err := drive.Run(ctx, config, target)
	closed := w.Close()
	if run == nil {
		return nil, errors.Join(err, os.Remove(c.Ledger)) // it did not begin
	}
	err = errors.Join(err, closed)
	if err != nil || opened == nil {
		s.notice("run brokerage verify --db URL --ledger " + c.Ledger + " to find out what the database has kept")
		return run, err
	}
	proof, err := verifyLedger(ctx, s, opened, c.Ledger)
	if err == nil {
		run.Prove(proof)
	}
	return run, err
}

// mostFindings is the largest number of findings that are printed.
const mostFindings = 20

// verifyLedger compares a ledger with a store, and prints what is wrong.
func verifyLedger(ctx context.Context, s streams, db tpox.Store, path string) (result.Proof, error) {
	proof, findings, err := ledger.Verify(ctx, db, path) // findings are printed even with an error
	if more := len(findings) - mostFindings; more > 0 {
		findings = append(findings[:mostFindings:mostFindings], "and "+format.Count(int64(more))+" more like these")
	}
	for _, finding := range findings {
		if _, failed := fmt.Fprintln(s.out, finding); failed != nil {
			return proof, errors.Join(err, failed)
		}
	}
	return proof, err
}

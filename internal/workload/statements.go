package workload

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"brokerage/internal/result"
	"brokerage/internal/store"
	"brokerage/internal/tpox"
)

// SetUp runs the statements that make what own transactions need, and has a database of a scheme check those of the
// transactions. The runner is nil for a store that runs none.
func (d *Definition) SetUp(ctx context.Context, runner store.ScriptRunner, scheme string) error {
	if err := d.Fits(scheme); err != nil || !d.has(func(t *Transaction) bool { return t.own }) {
		return err
	}
	if runner == nil {
		return fmt.Errorf("a database of %s: runs no statements of a workload file", scheme)
	}
	for _, text := range d.Setup[scheme] {
		if _, err := runner.RunScript(ctx, false, []store.ScriptStatement{{Text: text}}); err != nil {
			return fmt.Errorf("setup: %w: %.60q", err, text)
		}
	}
	for t := range d.running() {
		for _, s := range t.scripts[scheme] {
			if err := runner.CheckScript(ctx, s.text); err != nil {
				return fmt.Errorf("the transaction %s: %w: %.60q", t.Name, err, s.text)
			}
		}
	}
	return nil
}

// Own reports whether the call is of a transaction of a workload file, which Statements runs and Execute does not.
func (c *Call) Own() bool { return c.Transaction.own }

// Statements runs the statements of own transactions. It is for one goroutine.
type Statements struct {
	Runner store.ScriptRunner
	Scheme string

	list []store.ScriptStatement
}

// Run runs the statements of a call, and checks how many rows they returned or changed.
func (s *Statements) Run(ctx context.Context, c *Call) result.Outcome {
	t := c.Transaction
	own := t.scripts[s.Scheme]
	s.list = s.list[:0]
	for _, statement := range own {
		args := make([]any, len(statement.values))
		for i, v := range statement.values {
			args[i] = v.parameter(c.values[v.index])
		}
		s.list = append(s.list, store.ScriptStatement{Text: statement.text, Args: args})
	}
	rows, err := s.Runner.RunScript(ctx, t.Kind == tpox.Query, s.list)
	if err != nil {
		if refused, ok := errors.AsType[*store.ScriptRefused](err); ok {
			return result.Outcome{Class: result.Unexpected, Reason: refused.Code}
		}
		return c.refused(err)
	}
	for i, statement := range own {
		if own := statement.rows; own != nil && (rows[i] < own[0] || rows[i] > own[1]) {
			return WrongAnswer
		}
	}
	return result.Done
}

// parameter returns a value as a statement gets it.
func (v *Value) parameter(text []byte) any {
	if v.isNumber() {
		if n, err := strconv.ParseInt(string(text), 10, 64); err == nil {
			return n
		}
	}
	return string(text)
}

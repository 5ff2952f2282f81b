package workload

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"brokerage/internal/result"
	"brokerage/internal/store"
	"brokerage/internal/tpox"
)

// Fits returns an error if a transaction of the mix cannot run on an engine of a scheme; "" stands for HTTP.
func (d *Definition) Fits(scheme string) error {
	parts, err := d.parts()
	for _, t := range parts {
		if t.statements != nil && len(t.statements[scheme]) == 0 {
			return fmt.Errorf("the transaction %s has no statements for %s", t.Name, cmp.Or(scheme, "a service, only for --db"))
		}
	}
	return err
}

// SetUp prepares a database of a scheme for own transactions: it runs their setup statements, and lets the database
// check the statements of the transactions. The runner is nil for a store that runs none.
func (d *Definition) SetUp(ctx context.Context, runner store.ScriptRunner, scheme string) error {
	if err := d.Fits(scheme); err != nil || !d.has(func(t *Transaction) bool { return t.statements != nil }) {
		return err
	}
	if runner == nil {
		return fmt.Errorf("a %s: database cannot run the statements of a workload file", scheme)
	}
	for _, text := range d.Setup[scheme] {
		if _, err := runner.RunScript(ctx, false, []store.ScriptStatement{{Text: text}}); err != nil {
			return fmt.Errorf("setup: %w: %.60q", err, text)
		}
	}
	parts, err := d.parts()
	for _, t := range parts {
		for _, s := range t.statements[scheme] {
			if err := runner.CheckScript(ctx, s.Text); err != nil {
				return fmt.Errorf("the transaction %s: %w: %.60q", t.Name, err, s.Text)
			}
		}
	}
	return err
}

// Own reports whether the call is of a transaction that a workload file defines: RunStatements runs it, not Execute.
func (c *Call) Own() bool { return c.Transaction.statements != nil }

// RunStatements runs the statements of an own transaction, and checks how many rows they returned or changed.
func (c *Call) RunStatements(ctx context.Context, runner store.ScriptRunner, scheme string) result.Outcome {
	own := c.Transaction.statements[scheme]
	script := make([]store.ScriptStatement, len(own))
	for i, s := range own {
		script[i].Text = s.Text
		for _, v := range s.values {
			script[i].Args = append(script[i].Args, c.values[v])
		}
	}
	rows, err := runner.RunScript(ctx, c.Transaction.Kind == tpox.Query, script)
	if refused, ok := errors.AsType[*store.ScriptRefused](err); ok {
		return result.Outcome{Class: result.Unexpected, Reason: refused.Code}
	}
	if err != nil {
		return c.failed(err)
	}
	for i, s := range own {
		if s.Rows != nil && (rows[i] < s.Rows[0] || rows[i] > s.Rows[1]) {
			return WrongAnswer
		}
	}
	return result.Done
}

package workload

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"brokerage/internal/store"
	"brokerage/internal/tpox"
)

// setUp runs the statements that make what own transactions need, and has the database check those of the transactions.
func (d *Direct) setUp(ctx context.Context, w *Definition) error {
	if err := w.Fits(d.scheme); err != nil || !w.has(func(t *Transaction) bool { return t.own }) {
		return err
	}
	if d.runner == nil {
		return fmt.Errorf("%s runs no statements of a workload file", d.name)
	}
	for _, text := range w.Setup[d.scheme] {
		if err := d.runner.RunScript(ctx, false, []store.ScriptStatement{{Text: text}}, &store.ScriptResult{}); err != nil {
			return fmt.Errorf("setup: %w: %.60q", err, text)
		}
	}
	for _, p := range w.Mix {
		t := w.named(p.Transaction)
		for _, s := range t.scripts[d.scheme] {
			if err := d.runner.CheckScript(ctx, s.text); err != nil {
				return fmt.Errorf("the transaction %s: %w: %.60q", t.Name, err, s.text)
			}
		}
	}
	return nil
}

// runOwn runs the statements of a call, and checks what they returned.
func (s *directSession) runOwn(ctx context.Context, c *call) outcome {
	t := c.transaction
	list := t.scripts[s.scheme]
	s.statements = s.statements[:0]
	s.result.Reset()
	for _, own := range list {
		args := make([]any, len(own.values))
		for i, v := range own.values {
			args[i] = v.parameter(c.values[v.index])
		}
		s.statements = append(s.statements, store.ScriptStatement{Text: own.text, Args: args})
	}
	if err := s.runner.RunScript(ctx, t.Kind == tpox.Query, s.statements, &s.result); err != nil {
		if refused, ok := errors.AsType[*store.ScriptRefused](err); ok {
			return outcome{unexpected, refused.Code}
		}
		return refusalOf(c, err)
	}
	for i, own := range list {
		if n := s.result.Rows[i]; own.rows != nil && (n < own.rows[0] || n > own.rows[1]) {
			return wrongAnswer
		}
	}
	return s.check(c, s.result.Text)
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

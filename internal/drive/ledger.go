package drive

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/shopspring/decimal"

	"brokerage/internal/ledger"
	"brokerage/internal/result"
	"brokerage/internal/tpox"
	"brokerage/internal/workload"
)

// startLedger begins the ledger of the plan. It returns an error if users would make changes that no ledger records.
func (c *Crew) startLedger(dataset string) error {
	l := c.plan.Ledger
	if l == nil {
		return nil
	}
	for _, part := range c.Mix() {
		// A transaction that writes back the document that it has read changes nothing.
		if part.Kind != tpox.Query && !part.Replaces && !ledger.Records(part.Name) {
			return fmt.Errorf("a ledger cannot record %s: choose a workload without it", part.Name)
		}
	}
	return l.Start(dataset)
}

// call makes the user's call, and records it in the ledger of the plan if it changes something.
func (u *user) call(ctx context.Context) result.Outcome {
	c, l := &u.Call, u.crew.plan.Ledger
	if l == nil || !ledger.Records(c.Transaction.Name) {
		return u.session.do(ctx, c)
	}
	change := ledger.Change{Do: c.Transaction.Name, ID: c.ID}
	switch change.Do {
	case "open_account", "close_account":
		change.Account = c.Account
	case "update_order_status":
		change.Value = c.Status
	case "update_security_price":
		change.ID, change.Symbol, change.Value = 0, c.Symbol, decimal.New(c.Cents, -2).String()
	case "buy_security", "sell_security":
		change.Symbol, change.Quantity = c.Symbol, decimal.NewFromInt(c.Quantity)
		if change.Do == "sell_security" {
			change.Quantity = change.Quantity.Neg()
		}
		if err := l.Holds(c.ID, func() ([]byte, error) { return u.crew.target.account(ctx, c.ID) }); err != nil {
			if r, ok := errors.AsType[*refusedError](err); ok && r.status < http.StatusInternalServerError {
				u.crew.die(err) // it will be refused again
			}
			return workload.Unanswered
		}
	}
	number, err := l.Begin(change)
	if err != nil {
		u.crew.stop(fmt.Errorf("the ledger cannot be written: %w", err))
		return workload.Unanswered
	}
	outcome := u.session.do(ctx, c)
	fate := fateOf(outcome)
	var movement decimal.Decimal
	if change.IsTrade() && fate == ledger.Acknowledged {
		if movement, err = ledger.Movement(c.Answer); err != nil {
			outcome, fate = workload.WrongAnswer, ledger.Unknown
		}
	}
	l.End(number, fate, movement)
	return outcome
}

// fateOf returns whether a change with an outcome was applied. A service that answers 500 or more, or with a wrong
// document, may have applied it.
func fateOf(o result.Outcome) ledger.Fate {
	switch {
	case o.Class == result.Good:
		return ledger.Acknowledged
	case o.Class == result.Expected,
		o.Class == result.Unexpected && !strings.HasPrefix(o.Reason, "5") && o != workload.WrongAnswer:
		return ledger.Refused
	default:
		return ledger.Unknown
	}
}

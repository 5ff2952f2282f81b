package db2

import (
	"context"
	"time"

	"brokerage/internal/brokerage"
)

// Trade is buy_security and sell_security: three statements, of which the second
// does and decides everything. See sql/buy_security.sql.
func (s *Store) Trade(ctx context.Context, w brokerage.Write, account brokerage.ID, trade brokerage.Trade) ([]byte, error) {
	if err := trade.Validate(); err != nil {
		return nil, err
	}
	if !listed(trade.Symbol) {
		return nil, orElse(ctx.Err(), brokerage.NoSecurity(trade.Symbol))
	}
	return s.write(ctx, w, false, func(t *tx) ([]byte, error) {
		quote := brokerage.Quote{Symbol: trade.Symbol}
		found, err := row(t.ctx, t, "trade_quote", []any{trade.Symbol}, []any{&quote.LastTrade, &quote.Name, &quote.Type})
		if err != nil || !found {
			return nil, orElse(err, brokerage.NoSecurity(trade.Symbol))
		}
		terms, err := trade.Terms(quote)
		if err != nil {
			return nil, err
		}
		all := "no"
		var done bool
		if trade.Side == brokerage.Buy {
			done, err = t.buy(account, quote, terms, trade.Now, s.settings.Rules)
		} else if done, err = t.sell(account, quote, terms, trade.Now, all); err == nil && !done {
			all = "yes"
			done, err = t.sell(account, quote, terms, trade.Now, all)
		}
		switch {
		case err != nil:
			return nil, err
		case done:
			id := account.String()
			return t.document("trade_outcome", id, string(trade.Side), quote.Symbol, terms.Quantity, quote.LastTrade, terms.Amount, all, id)
		}
		return nil, t.why("get_customer_of_account", account.String(), brokerage.NoAccount(account), func(doc []byte) error {
			_, _, err := trade.Apply(s.settings.Rules, doc, account, quote)
			return orElse(err, errNoReason)
		})
	})
}

func (t *tx) buy(account brokerage.ID, quote brokerage.Quote, terms brokerage.Terms, now time.Time, rules brokerage.Rules) (bool, error) {
	covered := "no"
	if rules.Covered {
		covered = "yes"
	}
	id := account.String()
	return t.exec("buy_security",
		id, quote.Symbol, terms.Quantity, terms.Movement, stamp(now), day(now), quote.Name, quote.Type,
		id,
		id, quote.Symbol, terms.Quantity, terms.Movement, covered, int64(rules.MaxHoldings))
}

func (t *tx) sell(account brokerage.ID, quote brokerage.Quote, terms brokerage.Terms, now time.Time, all string) (bool, error) {
	id := account.String()
	return t.exec("sell_security",
		id, quote.Symbol, terms.Quantity, terms.Movement, stamp(now), day(now), all,
		id,
		id, quote.Symbol, terms.Quantity, terms.Movement, all)
}

func stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05") }

func day(t time.Time) string { return t.UTC().Format(time.DateOnly) }

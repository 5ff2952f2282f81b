package db2

import (
	"cmp"
	"context"
	"time"

	"brokerage/internal/brokerage"
)

// Trade runs buy_security or sell_security, as trade.Side says. Each is three statements, of which the second decides
// and changes everything: see sql/buy_security.sql.
func (s *Store) Trade(
	ctx context.Context, w brokerage.Write, account brokerage.ID, trade brokerage.Trade,
) ([]byte, error) {
	if err := trade.Validate(); err != nil {
		return nil, err
	}
	noSecurity := brokerage.NoSecurity(trade.Symbol)
	if !listed(trade.Symbol) {
		return nil, cmp.Or[error](ctx.Err(), noSecurity)
	}
	return s.write(ctx, w, failUnknown, func(t *tx) ([]byte, error) {
		quote := brokerage.Quote{Symbol: trade.Symbol}
		args, into := []any{trade.Symbol}, []any{&quote.LastTrade, &quote.Name, &quote.Type}
		found, err := row(t.ctx, t, "trade_quote", args, into)
		if err != nil || !found {
			return nil, cmp.Or[error](err, noSecurity)
		}
		terms, err := trade.Terms(quote)
		if err != nil {
			return nil, err
		}
		now := trade.Now.UTC()
		d := deal{account.String(), quote, terms, now.Format("2006-01-02T15:04:05"), now.Format(time.DateOnly)}
		var done bool
		all := "no"
		if trade.Side == brokerage.Buy {
			done, err = t.buy(d, s.settings.Rules)
		} else {
			done, all, err = t.sell(d)
		}
		switch {
		case err != nil:
			return nil, err
		case done:
			return t.document("trade_outcome", d.account, string(trade.Side), quote.Symbol, terms.Quantity, quote.LastTrade,
				terms.Amount, all, d.account)
		}
		none := brokerage.NoAccount(account)
		return nil, t.explain("get_customer_of_account", d.account, none, errNoReason, func(doc []byte) error {
			_, _, err := trade.Apply(s.settings.Rules, doc, account, quote)
			return err
		})
	})
}

// A deal is a trade with its price, and when it is done.
type deal struct {
	account    string
	quote      brokerage.Quote
	terms      brokerage.Terms
	stamp, day string
}

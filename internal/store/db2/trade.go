package db2

import (
	"cmp"
	"context"
	"time"

	"brokerage/internal/tpox"
)

// Trade runs buy_security or sell_security, as trade.Side says. Each is three statements, of which the second decides
// and changes everything: see sql/buy_security.sql.
func (s *Store) Trade(
	ctx context.Context, w tpox.Write, account tpox.ID, trade tpox.Trade,
) ([]byte, error) {
	if err := trade.Validate(); err != nil {
		return nil, err
	}
	return s.write(ctx, w, failUnknown, func(t *tx) ([]byte, error) {
		quote := tpox.Quote{Symbol: trade.Symbol}
		args, into := []any{trade.Symbol}, []any{&quote.LastTrade, &quote.Name, &quote.Type}
		refusal := func(err error) error { // a missing account is refused before the security
			return t.explain("get_customer_of_account", account.String(), tpox.NoAccount(account),
				func([]byte) error { return err })
		}
		if !listed(trade.Symbol) {
			return nil, refusal(tpox.NoSecurity(trade.Symbol))
		}
		found, err := row(t.ctx, t, "trade_quote", args, into)
		switch {
		case err != nil:
			return nil, err
		case !found:
			return nil, refusal(tpox.NoSecurity(trade.Symbol))
		}
		terms, err := trade.TermsAt(quote)
		if err != nil {
			return nil, refusal(err)
		}
		d := deal{account.String(), quote, terms, trade.Now}
		var done bool
		all := "no"
		if trade.Side == tpox.Buy {
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
		return nil, t.explain("get_customer_of_account", d.account, tpox.NoAccount(account), func(doc []byte) error {
			_, _, err := trade.Apply(s.settings.Rules, doc, account, quote)
			return cmp.Or(err, errNoReason)
		})
	})
}

// A deal is a trade with its price.
type deal struct {
	account string
	quote   tpox.Quote
	terms   tpox.Terms
	now     time.Time
}

func (d deal) stamp() string { return d.now.UTC().Format("2006-01-02T15:04:05") }

func (d deal) day() string { return d.now.UTC().Format(time.DateOnly) }

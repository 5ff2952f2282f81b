package db2

import (
	"cmp"
	"context"
	"time"

	"brokerage/internal/tpox"
)

// Trade runs buy_security or sell_security: see sql/buy_security.sql. Each is four statements. The third, which a sale
// may run twice, decides and changes everything. Before it, Go code checks a customer above half the size limit.
func (s *Store) Trade(
	ctx context.Context, w tpox.Write, account tpox.ID, trade tpox.Trade,
) ([]byte, error) {
	if err := trade.Validate(); err != nil {
		return nil, err
	}
	rules, id := s.settings.Rules, account.String()
	return s.write(ctx, w, failUnknown, func(t *tx) ([]byte, error) {
		var size int64
		found, err := row(t.ctx, t, "customer_size", []any{id}, []any{&size})
		if err != nil || !found {
			return nil, cmp.Or[error](err, tpox.NoAccount(account))
		}
		quote := tpox.Quote{Symbol: trade.Symbol}
		if found = listed(trade.Symbol); found {
			into := []any{&quote.LastTrade, &quote.Name, &quote.Type}
			found, err = row(t.ctx, t, "trade_quote", []any{trade.Symbol}, into)
		}
		if err != nil || !found {
			return nil, cmp.Or[error](err, tpox.NoSecurity(trade.Symbol))
		}
		terms, err := trade.TermsAt(quote)
		if err != nil {
			return nil, err
		}
		refusal := func() error {
			return t.explain("get_customer_of_account", id, tpox.NoAccount(account), func(doc []byte) error {
				_, _, err := trade.Apply(rules, doc, account, quote)
				return err
			})
		}
		if size > int64(rules.MaxCustomer/2) {
			if err := refusal(); err != nil {
				return nil, err
			}
		}
		d := deal{account: id, quote: quote, terms: terms,
			stamp: trade.Now.UTC().Format("2006-01-02T15:04:05"), day: trade.Now.UTC().Format(time.DateOnly)}
		var done bool
		all := "no"
		if trade.Side == tpox.Buy {
			done, err = t.buy(d, rules)
		} else {
			done, all, err = t.sell(d)
		}
		if err != nil {
			return nil, err
		}
		if !done {
			return nil, cmp.Or(refusal(), errNoReason)
		}
		return t.document("trade_outcome", id, string(trade.Side), quote.Symbol, terms.Quantity, quote.LastTrade,
			terms.Amount, all, id)
	})
}

// A deal is a trade with its price and its time: stamp and day are the time as the customer's document contains it.
type deal struct {
	account    string
	quote      tpox.Quote
	terms      tpox.Terms
	stamp, day string
}

package sqlite

import (
	"context"

	"brokerage/internal/tpox"
)

var (
	customerOfAccount = &statement{name: "customer_of_account", kind: customers, depends: dependsOnCustomerFound}
	getQuote          = &statement{name: "get_quote", kind: securities}
)

// Trade carries out buy_security and sell_security: it changes the account and returns the Trade_Confirmation.
func (s *Store) Trade(
	ctx context.Context, w tpox.Write, account tpox.ID, trade tpox.Trade,
) ([]byte, error) {
	if err := trade.Validate(); err != nil {
		return nil, err
	}
	return s.revise(ctx, w, func(r *revision) error {
		customer, doc, err := r.customerOf(ctx, account)
		if err != nil {
			return err
		}
		quote, err := r.quote(ctx, trade.Symbol)
		if err != nil {
			return err
		}
		changed, answer, err := trade.Apply(s.options.Rules, doc, account, quote)
		if err != nil {
			return err
		}
		r.answer = answer
		r.write(replaceCustomer, customer, s.pack(customers, changed))
		return nil
	})
}

// customerOf reads the id and the document of the customer that an account belongs to.
func (r *revision) customerOf(ctx context.Context, account tpox.ID) (id int64, doc []byte, err error) {
	var b []byte
	if err := r.find(ctx, customerOfAccount, int64(account), &id, &b); err != nil {
		return 0, nil, missing("account", account, err)
	}
	r.note(documentKey{kind: customers, id: id}, len(b))
	doc, err = r.unpack(customers, id, b)
	return id, doc, err
}

func (r *revision) quote(ctx context.Context, symbol string) (tpox.Quote, error) {
	r.note(documentKey{kind: securities, symbol: symbol}, 0)
	quote := tpox.Quote{Symbol: symbol}
	err := r.find(ctx, getQuote, symbol, &quote.Name, &quote.Type, &quote.LastTrade)
	return quote, missing(securities, symbol, err)
}

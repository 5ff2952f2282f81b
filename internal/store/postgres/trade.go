package postgres

import (
	"context"
	"errors"

	"brokerage/internal/tpox"
)

// Trade carries out buy_security and sell_security, and returns the Trade_Confirmation. The security is read after the
// customer is locked, so that a trade that had to wait uses the price of the moment when it runs.
func (s single) Trade(
	ctx context.Context, w tpox.Write, account tpox.ID, trade tpox.Trade,
) ([]byte, error) {
	var customer tpox.ID
	var doc []byte
	lock := query{"lock_customer_of_account", []any{account}, []any{&customer, &doc}, nil, tpox.NoAccount(account)}
	return s.trade(ctx, w, account, trade, lock, &customer, &doc)
}

// Trade looks up the customer of the account. If the account belongs to another one when the customer is locked, Trade
// looks it up again.
func (s spread) Trade(
	ctx context.Context, w tpox.Write, account tpox.ID, trade tpox.Trade,
) (answer []byte, err error) {
	err = s.again(ctx, func(ctx context.Context) error {
		missing := tpox.NoAccount(account)
		var customer tpox.ID
		err := s.queryRow(ctx, "customer_of", missing, []any{account}, []any{&customer})
		if err != nil && (w.Once == nil || !errors.Is(err, missing)) { // see atOrder
			return err
		}
		var doc []byte
		lock := query{"lock_customer", []any{customer}, []any{&doc}, nil, missing}
		answer, err = s.trade(ctx, w, account, trade, lock, &customer, &doc)
		if e, notFound := errors.AsType[*tpox.NotFound](err); notFound && e.What == missing.What {
			return s.moved(ctx, "customer_of", account, customer, missing)
		}
		return err
	}, isMoved)
	return answer, domainError(ctx, err, false)
}

// trade runs a trade on the document that lock locks and reads.
func (s *Store) trade(
	ctx context.Context, w tpox.Write, account tpox.ID, trade tpox.Trade, lock query,
	customer *tpox.ID, doc *[]byte,
) ([]byte, error) {
	if err := trade.Validate(); err != nil {
		return nil, err
	}
	var security []byte
	symbol := trade.Symbol
	if !storable(symbol) {
		symbol = "" // no security has it
	}
	queries := []query{lock, {"get_security", []any{symbol}, []any{&security}, nil, tpox.NoSecurity(trade.Symbol)}}
	return s.write(ctx, w, queries, func() (change, error) {
		changed, answer, err := trade.Apply(s.options.Rules, *doc, account, tpox.QuoteOf(security))
		return change{statement: "replace_customer", args: []any{*customer, changed}, answer: answer}, err
	})
}

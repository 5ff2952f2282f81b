package postgres

import (
	"context"

	"brokerage/internal/brokerage"
)

// Trade is buy_security and sell_security: it returns the Trade_Confirmation. The security is read after the customer
// is locked, so that a trade that had to wait uses the price of the moment when it runs.
func (s *Store) Trade(
	ctx context.Context, w brokerage.Write, account brokerage.ID, trade brokerage.Trade,
) ([]byte, error) {
	if err := trade.Validate(); err != nil {
		return nil, err
	}
	var customer brokerage.ID
	var doc, security []byte
	symbol := trade.Symbol
	if !storable(symbol) {
		symbol = "" // no security has it
	}
	queries := []query{
		{"lock_customer_of_account", []any{account}, []any{&customer, &doc}, nil, brokerage.NoAccount(account)},
		{"get_security", []any{symbol}, []any{&security}, nil, brokerage.NoSecurity(trade.Symbol)},
	}
	return s.write(ctx, w, queries, func() (change, error) {
		changed, answer, err := trade.Apply(s.options.Rules, doc, account, brokerage.QuoteOf(security))
		return change{statement: "replace_customer", args: []any{customer, changed}, answer: answer}, err
	})
}

package null

import (
	"context"
	"slices"

	"brokerage/internal/dataset"
	"brokerage/internal/tpox"
)

// newStatus is FIX's "filled".
const newStatus = "2"

// makeAnswers makes the answers of all transactions and other reads that return a document.
func (s *Store) makeAnswers(d *dataset.Dataset) {
	order := typical(d, dataset.Order, tpox.Order)
	customer := typical(d, dataset.Customer, tpox.CustomerProfile, tpox.AccountSummary)
	security := typical(d, dataset.Security, tpox.SecurityPrice)
	keys := must(tpox.CustomerKeysOf(customer))
	account := keys.Accounts[0]
	s.account = must(tpox.AccountOf(customer, account))
	s.account.Document = slices.Clip(s.account.Document)
	// The first position of an account follows from the account's id.
	s.quote = tpox.QuoteOf(d.Append(nil, dataset.Security, int64(account)%d.Count(dataset.Security)))
	trade := func(side tpox.Side) []byte {
		t := tpox.Trade{Side: side, Symbol: s.quote.Symbol, Quantity: "5"}
		_, confirmation, err := t.Apply(tpox.DefaultRules, customer, account, s.quote)
		return must(confirmation, err)
	}
	_, status, err := tpox.SetOrderStatus(order, newStatus)
	s.answers = map[string][]byte{
		"get_order":             tpox.Order(order),
		"customer_max_order":    tpox.MaxOrder(keys.ID, order),
		"update_order_status":   must(status, err),
		"get_customer":          customer,
		"customer_profile":      tpox.CustomerProfile(customer),
		"account_summary":       tpox.AccountSummary(customer),
		"get_security":          security,
		"get_security_price":    tpox.SecurityPrice(security),
		"update_security_price": tpox.SecurityPrice(security),
		"search_securities":     search(d),
		"buy_security":          trade(tpox.Buy),
		"sell_security":         trade(tpox.Sell),
	}
	for name, answer := range s.answers {
		s.answers[name] = slices.Clip(answer) // so that not even an append by a caller reaches another's bytes
	}
}

func (s *Store) GetOrder(ctx context.Context, _ tpox.ID) ([]byte, error) {
	return s.answer(ctx, "get_order")
}

func (s *Store) CustomerMaxOrder(ctx context.Context, _ tpox.ID) ([]byte, error) {
	return s.answer(ctx, "customer_max_order")
}

func (s *Store) UpdateOrderStatus(ctx context.Context, _ tpox.Write, _ tpox.ID, _ string) ([]byte, error) {
	return s.answer(ctx, "update_order_status")
}

func (s *Store) DeleteOrder(ctx context.Context, _ tpox.Write, _ tpox.ID) error { return ctx.Err() }

func (s *Store) CustomerProfile(ctx context.Context, _ tpox.ID) ([]byte, error) {
	return s.answer(ctx, "customer_profile")
}

func (s *Store) AccountSummary(ctx context.Context, _ tpox.ID) ([]byte, error) {
	return s.answer(ctx, "account_summary")
}

func (s *Store) DeleteCustomer(ctx context.Context, _ tpox.Write, _ tpox.ID) error { return ctx.Err() }

func (s *Store) CloseAccount(ctx context.Context, _ tpox.Write, _, _ tpox.ID) error { return ctx.Err() }

func (s *Store) GetSecurity(ctx context.Context, _ string) ([]byte, error) {
	return s.answer(ctx, "get_security")
}

func (s *Store) SecurityPrice(ctx context.Context, _ string) ([]byte, error) {
	return s.answer(ctx, "get_security_price")
}

func (s *Store) GetCustomer(ctx context.Context, _ tpox.ID) ([]byte, error) {
	return s.answer(ctx, "get_customer")
}

// GetAccount returns the first account of the only customer.
func (s *Store) GetAccount(ctx context.Context, _ tpox.ID) (tpox.Account, error) {
	return s.account, ctx.Err()
}

// SearchSecurities finds the same hits for every search, but none for a search after a symbol.
func (s *Store) SearchSecurities(ctx context.Context, search tpox.Search) ([]byte, error) {
	if search.After != "" {
		return tpox.SearchAnswer(0, nil), ctx.Err()
	}
	return s.answer(ctx, "search_securities")
}

func (s *Store) OpenAccount(
	ctx context.Context, _ tpox.Write, _ tpox.ID, account []byte,
) (tpox.ID, error) {
	return keys(ctx, account, tpox.AccountKeyOf)
}

func (s *Store) UpdateSecurityPrice(
	ctx context.Context, _ tpox.Write, _ string, p tpox.Price,
) ([]byte, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	return s.answer(ctx, "update_security_price")
}

// Trade checks the trade, and returns the fixed answer of buy_security or sell_security.
func (s *Store) Trade(ctx context.Context, _ tpox.Write, _ tpox.ID, t tpox.Trade) ([]byte, error) {
	if err := t.Validate(); err != nil {
		return nil, err
	}
	if _, err := t.TermsAt(s.quote); err != nil {
		return nil, err
	}
	if t.Side == tpox.Sell {
		return s.answer(ctx, "sell_security")
	}
	return s.answer(ctx, "buy_security")
}

func (s *Store) InsertOrder(ctx context.Context, _ tpox.Write, doc []byte) (tpox.ID, error) {
	k, err := keys(ctx, doc, tpox.OrderKeysOf)
	return k.ID, err
}

func (s *Store) InsertCustomer(ctx context.Context, _ tpox.Write, doc []byte, _ bool) (tpox.ID, error) {
	k, err := keys(ctx, doc, tpox.CustomerKeysOf)
	return k.ID, err
}

// ReplaceCustomer accepts a customer with any id.
func (s *Store) ReplaceCustomer(
	ctx context.Context, _ tpox.Write, _ tpox.ID, doc []byte, _ bool, _ tpox.Match,
) error {
	_, err := keys(ctx, doc, tpox.CustomerKeysOf)
	return err
}

// ReplaceSecurity accepts a security with any symbol.
func (s *Store) ReplaceSecurity(
	ctx context.Context, _ tpox.Write, _ string, doc []byte, _ bool, _ tpox.Match,
) error {
	_, err := keys(ctx, doc, tpox.SecurityKeysOf)
	return err
}

// answer returns what was made at Open, unless the caller has given up.
func (s *Store) answer(ctx context.Context, name string) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return s.answers[name], nil
}

// keys reads the keys of a document, unless the caller has given up.
func keys[K any](ctx context.Context, doc []byte, of func([]byte) (K, error)) (k K, err error) {
	if err := ctx.Err(); err != nil {
		return k, err
	}
	return of(doc)
}

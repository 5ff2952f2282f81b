package null

import (
	"context"

	"brokerage/internal/tpox"
)

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

// SearchSecurities finds the same hits for every search, and none after them.
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

// Trade is buy_security and sell_security.
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

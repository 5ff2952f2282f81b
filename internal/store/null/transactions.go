package null

import (
	"context"
	"slices"

	"brokerage/internal/brokerage"
	"brokerage/internal/dataset"
)

// All that the store answers, and each transaction, are in this file: a new transaction is one method, and one answer
// where it has one.

type answers struct {
	order, maxOrder, status             []byte
	customer, profile, summary          []byte
	security, price, hits, bought, sold []byte
	owner                               brokerage.ID // of every account
}

// newStatus is FIX's "filled".
const newStatus = "2"

func makeAnswers(d *dataset.Dataset) (a answers, err error) {
	order := typical(d, dataset.Order, brokerage.Order)
	customer := typical(d, dataset.Customer, brokerage.CustomerProfile, brokerage.AccountSummary)
	security := typical(d, dataset.Security, brokerage.SecurityPrice)
	keys, err := brokerage.CustomerKeysOf(customer)
	if err != nil {
		return a, err
	}
	a = answers{
		order:    brokerage.Order(order),
		maxOrder: brokerage.MaxOrder(keys.ID, order),
		customer: customer,
		profile:  brokerage.CustomerProfile(customer),
		summary:  brokerage.AccountSummary(customer),
		security: security,
		price:    brokerage.SecurityPrice(security),
		owner:    keys.ID,
	}
	if _, a.status, err = brokerage.SetOrderStatus(order, newStatus); err != nil {
		return a, err
	}
	if a.hits, err = search(d); err != nil {
		return a, err
	}
	if a.bought, err = trade(d, brokerage.Buy, customer, keys.Accounts[0]); err != nil {
		return a, err
	}
	if a.sold, err = trade(d, brokerage.Sell, customer, keys.Accounts[0]); err != nil {
		return a, err
	}
	// Clipped, so that not even an append by a caller reaches another's bytes.
	for _, b := range []*[]byte{
		&a.order, &a.maxOrder, &a.status, &a.customer, &a.profile, &a.summary, &a.security, &a.price, &a.hits,
		&a.bought, &a.sold,
	} {
		*b = slices.Clip(*b)
	}
	return a, nil
}

func (s *Store) GetOrder(ctx context.Context, _ brokerage.ID) ([]byte, error) {
	return answer(ctx, s.order)
}

func (s *Store) GetSecurity(ctx context.Context, _ string) ([]byte, error) {
	return answer(ctx, s.security)
}

func (s *Store) GetCustomer(ctx context.Context, _ brokerage.ID) ([]byte, error) {
	return answer(ctx, s.customer)
}

func (s *Store) CustomerProfile(ctx context.Context, _ brokerage.ID) ([]byte, error) {
	return answer(ctx, s.profile)
}

func (s *Store) SearchSecurities(ctx context.Context, _ brokerage.Search) ([]byte, error) {
	return answer(ctx, s.hits)
}

func (s *Store) AccountSummary(ctx context.Context, _ brokerage.ID) ([]byte, error) {
	return answer(ctx, s.summary)
}

func (s *Store) SecurityPrice(ctx context.Context, _ string) ([]byte, error) {
	return answer(ctx, s.price)
}

func (s *Store) CustomerMaxOrder(ctx context.Context, _ brokerage.ID) ([]byte, error) {
	return answer(ctx, s.maxOrder)
}

// CustomerOf returns the one customer there is.
func (s *Store) CustomerOf(ctx context.Context, _ brokerage.ID) (brokerage.ID, error) {
	return s.owner, ctx.Err()
}

func (s *Store) CloseAccount(ctx context.Context, _ brokerage.Write, _, _ brokerage.ID) error {
	return ctx.Err()
}

func (s *Store) OpenAccount(
	ctx context.Context, _ brokerage.Write, _ brokerage.ID, account []byte,
) (brokerage.ID, error) {
	return keys(ctx, account, brokerage.AccountKeyOf)
}

func (s *Store) UpdateSecurityPrice(
	ctx context.Context, _ brokerage.Write, _ string, p brokerage.Price,
) ([]byte, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	return answer(ctx, s.price)
}

func (s *Store) UpdateOrderStatus(ctx context.Context, _ brokerage.Write, _ brokerage.ID, _ string) ([]byte, error) {
	return answer(ctx, s.status)
}

// Trade is buy_security and sell_security.
func (s *Store) Trade(ctx context.Context, _ brokerage.Write, _ brokerage.ID, t brokerage.Trade) ([]byte, error) {
	if err := t.Validate(); err != nil {
		return nil, err
	}
	if t.Side == brokerage.Sell {
		return answer(ctx, s.sold)
	}
	return answer(ctx, s.bought)
}

func (s *Store) InsertOrder(ctx context.Context, _ brokerage.Write, doc []byte) (brokerage.ID, error) {
	k, err := keys(ctx, doc, brokerage.OrderKeysOf)
	return k.ID, err
}

func (s *Store) InsertCustomer(ctx context.Context, _ brokerage.Write, doc []byte, _ bool) (brokerage.ID, error) {
	k, err := keys(ctx, doc, brokerage.CustomerKeysOf)
	return k.ID, err
}

// ReplaceCustomer accepts a customer with any id.
func (s *Store) ReplaceCustomer(
	ctx context.Context, _ brokerage.Write, _ brokerage.ID, doc []byte, _ bool, _ brokerage.Match,
) error {
	_, err := keys(ctx, doc, brokerage.CustomerKeysOf)
	return err
}

// ReplaceSecurity accepts a security with any symbol.
func (s *Store) ReplaceSecurity(
	ctx context.Context, _ brokerage.Write, _ string, doc []byte, _ bool, _ brokerage.Match,
) error {
	_, err := keys(ctx, doc, brokerage.SecurityKeysOf)
	return err
}

func (s *Store) DeleteOrder(ctx context.Context, _ brokerage.Write, _ brokerage.ID) error {
	return ctx.Err()
}

func (s *Store) DeleteCustomer(ctx context.Context, _ brokerage.Write, _ brokerage.ID) error {
	return ctx.Err()
}

// answer returns what was made at Open, unless the caller has given up.
func answer(ctx context.Context, made []byte) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return made, nil
}

// keys reads the keys of a document, unless the caller has given up.
func keys[K any](ctx context.Context, doc []byte, of func([]byte) (K, error)) (k K, err error) {
	if err := ctx.Err(); err != nil {
		return k, err
	}
	return of(doc)
}

package null

import (
	"context"

	"brokerage/internal/brokerage"
)

// InsertOrder is insert_order.
func (s *Store) InsertOrder(ctx context.Context, _ brokerage.Write, doc []byte) (brokerage.ID, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	keys, err := brokerage.OrderKeysOf(doc)
	if err != nil {
		return 0, err
	}
	return keys.ID, nil
}

// UpdateOrderStatus is update_order_status.
func (s *Store) UpdateOrderStatus(ctx context.Context, _ brokerage.Write, _ brokerage.ID, _ string) ([]byte, error) {
	return given(ctx, s.status)
}

// DeleteOrder is delete_order.
func (s *Store) DeleteOrder(ctx context.Context, _ brokerage.Write, _ brokerage.ID) error {
	return ctx.Err()
}

// InsertCustomer is insert_customer.
func (s *Store) InsertCustomer(ctx context.Context, _ brokerage.Write, doc []byte, _ bool) (brokerage.ID, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	keys, err := brokerage.CustomerKeysOf(doc)
	if err != nil {
		return 0, err
	}
	return keys.ID, nil
}

// ReplaceCustomer takes a customer with any id.
func (s *Store) ReplaceCustomer(ctx context.Context, _ brokerage.Write, _ brokerage.ID, doc []byte, _ bool, _ brokerage.Match) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	_, err := brokerage.CustomerKeysOf(doc)
	return err
}

// DeleteCustomer is delete_customer.
func (s *Store) DeleteCustomer(ctx context.Context, _ brokerage.Write, _ brokerage.ID) error {
	return ctx.Err()
}

// OpenAccount is open_account.
func (s *Store) OpenAccount(ctx context.Context, _ brokerage.Write, _ brokerage.ID, account []byte) (brokerage.ID, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	return brokerage.AccountKeyOf(account)
}

// CloseAccount is close_account.
func (s *Store) CloseAccount(ctx context.Context, _ brokerage.Write, _, _ brokerage.ID) error {
	return ctx.Err()
}

// Trade is buy_security and sell_security.
func (s *Store) Trade(ctx context.Context, _ brokerage.Write, _ brokerage.ID, t brokerage.Trade) ([]byte, error) {
	if err := t.Validate(); err != nil {
		return nil, err
	}
	if t.Side == brokerage.Sell {
		return given(ctx, s.sold)
	}
	return given(ctx, s.bought)
}

// UpdateSecurityPrice is update_security_price.
func (s *Store) UpdateSecurityPrice(ctx context.Context, _ brokerage.Write, _ string, p brokerage.Price) ([]byte, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	return given(ctx, s.price)
}

// ReplaceSecurity takes a security with any symbol.
func (s *Store) ReplaceSecurity(ctx context.Context, _ brokerage.Write, _ string, doc []byte, _ bool, _ brokerage.Match) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	_, err := brokerage.SecurityKeysOf(doc)
	return err
}

package null

import (
	"context"

	"brokerage/internal/brokerage"
)

// GetOrder is get_order.
func (s *Store) GetOrder(ctx context.Context, _ brokerage.ID) ([]byte, error) {
	return given(ctx, s.order)
}

// CustomerMaxOrder is customer_max_order.
func (s *Store) CustomerMaxOrder(ctx context.Context, _ brokerage.ID) ([]byte, error) {
	return given(ctx, s.maxOrder)
}

// GetCustomer gives the whole document.
func (s *Store) GetCustomer(ctx context.Context, _ brokerage.ID) ([]byte, error) {
	return given(ctx, s.customer)
}

// CustomerProfile is customer_profile.
func (s *Store) CustomerProfile(ctx context.Context, _ brokerage.ID) ([]byte, error) {
	return given(ctx, s.profile)
}

// AccountSummary is account_summary.
func (s *Store) AccountSummary(ctx context.Context, _ brokerage.ID) ([]byte, error) {
	return given(ctx, s.summary)
}

// CustomerOf gives the one customer there is.
func (s *Store) CustomerOf(ctx context.Context, _ brokerage.ID) (brokerage.ID, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	return s.owner, nil
}

// GetSecurity is get_security.
func (s *Store) GetSecurity(ctx context.Context, _ string) ([]byte, error) {
	return given(ctx, s.security)
}

// SecurityPrice is get_security_price.
func (s *Store) SecurityPrice(ctx context.Context, _ string) ([]byte, error) {
	return given(ctx, s.price)
}

// SearchSecurities is search_securities.
func (s *Store) SearchSecurities(ctx context.Context, _ brokerage.Search) ([]byte, error) {
	return given(ctx, s.hits)
}

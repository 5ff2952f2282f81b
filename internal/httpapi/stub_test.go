package httpapi

import (
	"context"

	"brokerage/internal/brokerage"
)

// stub is a store before which something happens: do is called by every method, and what it gives is the end of it.
type stub struct {
	brokerage.Store

	do func(ctx context.Context) error
}

// failing is a store of which every method fails.
func failing(err error) *stub {
	return &stub{do: func(context.Context) error { return err }}
}

// after does what a stub does, and then what the store beneath does.
func after[T any](ctx context.Context, s *stub, then func() (T, error)) (T, error) {
	if err := s.do(ctx); err != nil {
		var none T
		return none, err
	}
	return then()
}

func (s *stub) run(ctx context.Context, then func() error) error {
	_, err := after(ctx, s, func() (struct{}, error) { return struct{}{}, then() })
	return err
}

func (s *stub) GetOrder(ctx context.Context, id brokerage.ID) ([]byte, error) {
	return after(ctx, s, func() ([]byte, error) { return s.Store.GetOrder(ctx, id) })
}

func (s *stub) CustomerMaxOrder(ctx context.Context, id brokerage.ID) ([]byte, error) {
	return after(ctx, s, func() ([]byte, error) { return s.Store.CustomerMaxOrder(ctx, id) })
}

func (s *stub) InsertOrder(ctx context.Context, w brokerage.Write, doc []byte) (brokerage.ID, error) {
	return after(ctx, s, func() (brokerage.ID, error) { return s.Store.InsertOrder(ctx, w, doc) })
}

func (s *stub) UpdateOrderStatus(ctx context.Context, w brokerage.Write, id brokerage.ID, stat string) ([]byte, error) {
	return after(ctx, s, func() ([]byte, error) { return s.Store.UpdateOrderStatus(ctx, w, id, stat) })
}

func (s *stub) DeleteOrder(ctx context.Context, w brokerage.Write, id brokerage.ID) error {
	return s.run(ctx, func() error { return s.Store.DeleteOrder(ctx, w, id) })
}

func (s *stub) GetCustomer(ctx context.Context, id brokerage.ID) ([]byte, error) {
	return after(ctx, s, func() ([]byte, error) { return s.Store.GetCustomer(ctx, id) })
}

func (s *stub) CustomerProfile(ctx context.Context, id brokerage.ID) ([]byte, error) {
	return after(ctx, s, func() ([]byte, error) { return s.Store.CustomerProfile(ctx, id) })
}

func (s *stub) AccountSummary(ctx context.Context, id brokerage.ID) ([]byte, error) {
	return after(ctx, s, func() ([]byte, error) { return s.Store.AccountSummary(ctx, id) })
}

func (s *stub) CustomerOf(ctx context.Context, account brokerage.ID) (brokerage.ID, error) {
	return after(ctx, s, func() (brokerage.ID, error) { return s.Store.CustomerOf(ctx, account) })
}

func (s *stub) InsertCustomer(ctx context.Context, w brokerage.Write, doc []byte, validate bool) (brokerage.ID, error) {
	return after(ctx, s, func() (brokerage.ID, error) { return s.Store.InsertCustomer(ctx, w, doc, validate) })
}

func (s *stub) ReplaceCustomer(
	ctx context.Context, w brokerage.Write, id brokerage.ID, doc []byte, validate bool, match brokerage.Match,
) error {
	return s.run(ctx, func() error { return s.Store.ReplaceCustomer(ctx, w, id, doc, validate, match) })
}

func (s *stub) DeleteCustomer(ctx context.Context, w brokerage.Write, id brokerage.ID) error {
	return s.run(ctx, func() error { return s.Store.DeleteCustomer(ctx, w, id) })
}

func (s *stub) OpenAccount(
	ctx context.Context, w brokerage.Write, customer brokerage.ID, account []byte,
) (brokerage.ID, error) {
	return after(ctx, s, func() (brokerage.ID, error) { return s.Store.OpenAccount(ctx, w, customer, account) })
}

func (s *stub) CloseAccount(ctx context.Context, w brokerage.Write, customer, account brokerage.ID) error {
	return s.run(ctx, func() error { return s.Store.CloseAccount(ctx, w, customer, account) })
}

func (s *stub) Trade(ctx context.Context, w brokerage.Write, account brokerage.ID, t brokerage.Trade) ([]byte, error) {
	return after(ctx, s, func() ([]byte, error) { return s.Store.Trade(ctx, w, account, t) })
}

func (s *stub) GetSecurity(ctx context.Context, symbol string) ([]byte, error) {
	return after(ctx, s, func() ([]byte, error) { return s.Store.GetSecurity(ctx, symbol) })
}

func (s *stub) SecurityPrice(ctx context.Context, symbol string) ([]byte, error) {
	return after(ctx, s, func() ([]byte, error) { return s.Store.SecurityPrice(ctx, symbol) })
}

func (s *stub) SearchSecurities(ctx context.Context, search brokerage.Search) ([]byte, error) {
	return after(ctx, s, func() ([]byte, error) { return s.Store.SearchSecurities(ctx, search) })
}

func (s *stub) UpdateSecurityPrice(
	ctx context.Context, w brokerage.Write, symbol string, p brokerage.Price,
) ([]byte, error) {
	return after(ctx, s, func() ([]byte, error) { return s.Store.UpdateSecurityPrice(ctx, w, symbol, p) })
}

func (s *stub) ReplaceSecurity(
	ctx context.Context, w brokerage.Write, symbol string, doc []byte, validate bool, match brokerage.Match,
) error {
	return s.run(ctx, func() error { return s.Store.ReplaceSecurity(ctx, w, symbol, doc, validate, match) })
}

func (s *stub) Contents(ctx context.Context) (brokerage.Contents, error) {
	return after(ctx, s, func() (brokerage.Contents, error) { return s.Store.Contents(ctx) })
}

func (s *stub) Lease(ctx context.Context, kind string, count int64) (brokerage.Range, error) {
	return after(ctx, s, func() (brokerage.Range, error) { return s.Store.Lease(ctx, kind, count) })
}

func (s *stub) Ready(ctx context.Context) error {
	return s.run(ctx, func() error { return s.Store.Ready(ctx) })
}

// holding is a store that only says what it holds.
type holding struct {
	brokerage.Store

	contents brokerage.Contents
}

func (s *holding) Describe() brokerage.Engine {
	return brokerage.Engine{Name: "test", Version: "1", Durability: brokerage.Forgetful}
}

func (s *holding) Contents(context.Context) (brokerage.Contents, error) { return s.contents, nil }

package guard_test

import (
	"context"
	"fmt"

	"brokerage/internal/brokerage"
)

// stub returns one error, or an answer, from every method, and keeps its last call.
type stub struct {
	err  error
	ctx  context.Context //nolint:containedctx // for the tests
	call string          // the method and its arguments
}

var _ brokerage.Store = (*stub)(nil)

const answer = "answer"

func (s *stub) note(ctx context.Context, method string, args ...any) error {
	s.ctx, s.call = ctx, fmt.Sprintf("%s %+v", method, args)
	return s.err
}

// Answers come with errors too: no caller of the guard may get both.

func (s *stub) doc(ctx context.Context, method string, args ...any) ([]byte, error) {
	return []byte(answer), s.note(ctx, method, args...)
}

func (s *stub) id(ctx context.Context, method string, args ...any) (brokerage.ID, error) {
	return 42, s.note(ctx, method, args...)
}

func (s *stub) GetOrder(ctx context.Context, id brokerage.ID) ([]byte, error) {
	return s.doc(ctx, "GetOrder", id)
}

func (s *stub) CustomerMaxOrder(ctx context.Context, customer brokerage.ID) ([]byte, error) {
	return s.doc(ctx, "CustomerMaxOrder", customer)
}

func (s *stub) InsertOrder(ctx context.Context, w brokerage.Write, doc []byte) (brokerage.ID, error) {
	return s.id(ctx, "InsertOrder", w, doc)
}

func (s *stub) UpdateOrderStatus(
	ctx context.Context, w brokerage.Write, id brokerage.ID, stat string,
) ([]byte, error) {
	return s.doc(ctx, "UpdateOrderStatus", w, id, stat)
}

func (s *stub) DeleteOrder(ctx context.Context, w brokerage.Write, id brokerage.ID) error {
	return s.note(ctx, "DeleteOrder", w, id)
}

func (s *stub) GetCustomer(ctx context.Context, id brokerage.ID) ([]byte, error) {
	return s.doc(ctx, "GetCustomer", id)
}

func (s *stub) CustomerProfile(ctx context.Context, id brokerage.ID) ([]byte, error) {
	return s.doc(ctx, "CustomerProfile", id)
}

func (s *stub) AccountSummary(ctx context.Context, id brokerage.ID) ([]byte, error) {
	return s.doc(ctx, "AccountSummary", id)
}

func (s *stub) CustomerOf(ctx context.Context, account brokerage.ID) (brokerage.ID, error) {
	return s.id(ctx, "CustomerOf", account)
}

func (s *stub) InsertCustomer(
	ctx context.Context, w brokerage.Write, doc []byte, validate bool,
) (brokerage.ID, error) {
	return s.id(ctx, "InsertCustomer", w, doc, validate)
}

func (s *stub) ReplaceCustomer(
	ctx context.Context, w brokerage.Write, id brokerage.ID, doc []byte, validate bool, match brokerage.Match,
) error {
	return s.note(ctx, "ReplaceCustomer", w, id, doc, validate, match)
}

func (s *stub) DeleteCustomer(ctx context.Context, w brokerage.Write, id brokerage.ID) error {
	return s.note(ctx, "DeleteCustomer", w, id)
}

func (s *stub) OpenAccount(
	ctx context.Context, w brokerage.Write, customer brokerage.ID, account []byte,
) (brokerage.ID, error) {
	return s.id(ctx, "OpenAccount", w, customer, account)
}

func (s *stub) CloseAccount(ctx context.Context, w brokerage.Write, customer, account brokerage.ID) error {
	return s.note(ctx, "CloseAccount", w, customer, account)
}

func (s *stub) Trade(ctx context.Context, w brokerage.Write, account brokerage.ID, t brokerage.Trade) ([]byte, error) {
	return s.doc(ctx, "Trade", w, account, t)
}

func (s *stub) GetSecurity(ctx context.Context, symbol string) ([]byte, error) {
	return s.doc(ctx, "GetSecurity", symbol)
}

func (s *stub) SecurityPrice(ctx context.Context, symbol string) ([]byte, error) {
	return s.doc(ctx, "SecurityPrice", symbol)
}

func (s *stub) SearchSecurities(ctx context.Context, search brokerage.Search) ([]byte, error) {
	return s.doc(ctx, "SearchSecurities", search)
}

func (s *stub) UpdateSecurityPrice(
	ctx context.Context, w brokerage.Write, symbol string, p brokerage.Price,
) ([]byte, error) {
	return s.doc(ctx, "UpdateSecurityPrice", w, symbol, p)
}

func (s *stub) ReplaceSecurity(
	ctx context.Context, w brokerage.Write, symbol string, doc []byte, validate bool, match brokerage.Match,
) error {
	return s.note(ctx, "ReplaceSecurity", w, symbol, doc, validate, match)
}

func (s *stub) Describe() brokerage.Engine { return brokerage.Engine{Name: answer} }

func (s *stub) Contents(ctx context.Context) (brokerage.Contents, error) {
	return brokerage.Contents{Fingerprint: answer}, s.note(ctx, "Contents")
}

func (s *stub) Lease(ctx context.Context, kind string, count int64) (brokerage.Range, error) {
	return brokerage.Range{First: 42, Count: count}, s.note(ctx, "Lease", kind, count)
}

func (s *stub) Ready(ctx context.Context) error { return s.note(ctx, "Ready") }

func (s *stub) Close() error { return s.note(context.Background(), "Close") }

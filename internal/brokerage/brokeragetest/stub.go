// Package brokeragetest contains a store for the tests of code that calls one.
package brokeragetest

import (
	"context"
	"reflect"

	"brokerage/internal/brokerage"
)

// A Stub is a store that does something before each method but Describe and Close.
type Stub struct {
	// Inner answers unless Do returns an error. If it is nil, each method returns a fixed answer, even beside an error.
	Inner brokerage.Store
	// Do is called before each method; nil does nothing.
	Do func(ctx context.Context) error
	// Called is called before Do with the method and its arguments; nil does nothing.
	Called func(method string, args ...any)
}

var _ brokerage.Store = (*Stub)(nil)

// fixed are the answers without a store inside, by their type.
var fixed = map[reflect.Type]any{
	reflect.TypeFor[[]byte]():             []byte("answer"),
	reflect.TypeFor[brokerage.ID]():       brokerage.ID(42),
	reflect.TypeFor[brokerage.Contents](): brokerage.Contents{Fingerprint: "answer"},
	reflect.TypeFor[brokerage.Range]():    brokerage.Range{First: 42, Count: 7},
	reflect.TypeFor[none]():               none{},
}

type none struct{}

func call[T any](ctx context.Context, s *Stub, method string, args ...any) (answer T, err error) {
	if s.Called != nil {
		s.Called(method, args...)
	}
	if s.Do != nil {
		err = s.Do(ctx)
	}
	switch {
	case s.Inner == nil:
		return fixed[reflect.TypeFor[T]()].(T), err
	case err != nil:
		return answer, err
	}
	in := []reflect.Value{reflect.ValueOf(ctx)}
	for _, arg := range args {
		in = append(in, reflect.ValueOf(arg))
	}
	out := reflect.ValueOf(s.Inner).MethodByName(method).Call(in)
	if len(out) == 2 {
		answer = out[0].Interface().(T)
	}
	err, _ = reflect.TypeAssert[error](out[len(out)-1])
	return answer, err
}

func run(ctx context.Context, s *Stub, method string, args ...any) error {
	_, err := call[none](ctx, s, method, args...)
	return err
}

func (s *Stub) GetOrder(ctx context.Context, id brokerage.ID) ([]byte, error) {
	return call[[]byte](ctx, s, "GetOrder", id)
}

func (s *Stub) CustomerMaxOrder(ctx context.Context, customer brokerage.ID) ([]byte, error) {
	return call[[]byte](ctx, s, "CustomerMaxOrder", customer)
}

func (s *Stub) InsertOrder(ctx context.Context, w brokerage.Write, doc []byte) (brokerage.ID, error) {
	return call[brokerage.ID](ctx, s, "InsertOrder", w, doc)
}

func (s *Stub) UpdateOrderStatus(ctx context.Context, w brokerage.Write, id brokerage.ID, stat string) ([]byte, error) {
	return call[[]byte](ctx, s, "UpdateOrderStatus", w, id, stat)
}

func (s *Stub) DeleteOrder(ctx context.Context, w brokerage.Write, id brokerage.ID) error {
	return run(ctx, s, "DeleteOrder", w, id)
}

func (s *Stub) GetCustomer(ctx context.Context, id brokerage.ID) ([]byte, error) {
	return call[[]byte](ctx, s, "GetCustomer", id)
}

func (s *Stub) CustomerProfile(ctx context.Context, id brokerage.ID) ([]byte, error) {
	return call[[]byte](ctx, s, "CustomerProfile", id)
}

func (s *Stub) AccountSummary(ctx context.Context, id brokerage.ID) ([]byte, error) {
	return call[[]byte](ctx, s, "AccountSummary", id)
}

func (s *Stub) CustomerOf(ctx context.Context, account brokerage.ID) (brokerage.ID, error) {
	return call[brokerage.ID](ctx, s, "CustomerOf", account)
}

func (s *Stub) InsertCustomer(ctx context.Context, w brokerage.Write, doc []byte, validate bool) (brokerage.ID, error) {
	return call[brokerage.ID](ctx, s, "InsertCustomer", w, doc, validate)
}

func (s *Stub) ReplaceCustomer(
	ctx context.Context, w brokerage.Write, id brokerage.ID, doc []byte, validate bool, match brokerage.Match,
) error {
	return run(ctx, s, "ReplaceCustomer", w, id, doc, validate, match)
}

func (s *Stub) DeleteCustomer(ctx context.Context, w brokerage.Write, id brokerage.ID) error {
	return run(ctx, s, "DeleteCustomer", w, id)
}

func (s *Stub) OpenAccount(
	ctx context.Context, w brokerage.Write, customer brokerage.ID, account []byte,
) (brokerage.ID, error) {
	return call[brokerage.ID](ctx, s, "OpenAccount", w, customer, account)
}

func (s *Stub) CloseAccount(ctx context.Context, w brokerage.Write, customer, account brokerage.ID) error {
	return run(ctx, s, "CloseAccount", w, customer, account)
}

func (s *Stub) Trade(ctx context.Context, w brokerage.Write, account brokerage.ID, t brokerage.Trade) ([]byte, error) {
	return call[[]byte](ctx, s, "Trade", w, account, t)
}

func (s *Stub) GetSecurity(ctx context.Context, symbol string) ([]byte, error) {
	return call[[]byte](ctx, s, "GetSecurity", symbol)
}

func (s *Stub) SecurityPrice(ctx context.Context, symbol string) ([]byte, error) {
	return call[[]byte](ctx, s, "SecurityPrice", symbol)
}

func (s *Stub) SearchSecurities(ctx context.Context, search brokerage.Search) ([]byte, error) {
	return call[[]byte](ctx, s, "SearchSecurities", search)
}

func (s *Stub) UpdateSecurityPrice(
	ctx context.Context, w brokerage.Write, symbol string, p brokerage.Price,
) ([]byte, error) {
	return call[[]byte](ctx, s, "UpdateSecurityPrice", w, symbol, p)
}

func (s *Stub) ReplaceSecurity(
	ctx context.Context, w brokerage.Write, symbol string, doc []byte, validate bool, match brokerage.Match,
) error {
	return run(ctx, s, "ReplaceSecurity", w, symbol, doc, validate, match)
}

func (s *Stub) Contents(ctx context.Context) (brokerage.Contents, error) {
	return call[brokerage.Contents](ctx, s, "Contents")
}

func (s *Stub) Lease(ctx context.Context, kind string, count int64) (brokerage.Range, error) {
	return call[brokerage.Range](ctx, s, "Lease", kind, count)
}

func (s *Stub) Ready(ctx context.Context) error {
	return run(ctx, s, "Ready")
}

// Describe returns the description of the store inside, or a fixed one.
func (s *Stub) Describe() brokerage.Engine {
	if s.Inner == nil {
		return brokerage.Engine{Name: "answer"}
	}
	return s.Inner.Describe()
}

// Close closes the store inside.
func (s *Stub) Close() error {
	if s.Inner == nil {
		return nil
	}
	return s.Inner.Close()
}

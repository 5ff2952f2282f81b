// Package tpoxtest contains a store for the tests of code that calls one.
package tpoxtest

import (
	"context"
	"reflect"

	"brokerage/internal/tpox"
)

//go:generate go run brokerage/internal/tpox/lists methods.tmpl

// A Stub is a store that does something before each method but Describe and Close.
type Stub struct {
	// Inner answers unless Do returns an error. If it is nil, each method returns a fixed answer, even beside an error.
	Inner tpox.Store
	// Do is called before each method; nil does nothing.
	Do func(ctx context.Context) error
	// Called is called before Do with the method and its arguments; nil does nothing.
	Called func(method string, args ...any)
	// Around makes the call of Inner, whose context, arguments and result it may change; nil changes nothing.
	Around func(ctx context.Context, method string, args []any, do func(context.Context) (any, error)) (any, error)
}

var _ tpox.Store = (*Stub)(nil)

// fixed are the answers without a store inside, by their type.
var fixed = map[reflect.Type]any{
	reflect.TypeFor[[]byte]():        []byte("answer"),
	reflect.TypeFor[tpox.ID]():       tpox.ID(42),
	reflect.TypeFor[tpox.Account]():  tpox.Account{Customer: 42, Document: []byte("answer")},
	reflect.TypeFor[tpox.Contents](): tpox.Contents{Fingerprint: "answer"},
	reflect.TypeFor[tpox.Range]():    tpox.Range{First: 42, Count: 7},
	reflect.TypeFor[none]():          none{},
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
	do := func(ctx context.Context) (answer any, err error) {
		in := []reflect.Value{reflect.ValueOf(ctx)}
		for _, arg := range args {
			in = append(in, reflect.ValueOf(arg))
		}
		out := reflect.ValueOf(s.Inner).MethodByName(method).Call(in)
		err, _ = reflect.TypeAssert[error](out[len(out)-1])
		return out[0].Interface(), err
	}
	var result any
	if s.Around != nil {
		result, err = s.Around(ctx, method, args, do)
	} else {
		result, err = do(ctx)
	}
	answer, _ = result.(T) // a method that returns only an error has no answer
	return answer, err
}

func run(ctx context.Context, s *Stub, method string, args ...any) error {
	_, err := call[none](ctx, s, method, args...)
	return err
}

// Describe returns the description of the store inside, or a fixed one.
func (s *Stub) Describe() tpox.EngineInfo {
	if s.Inner == nil {
		return tpox.EngineInfo{Name: "answer"}
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

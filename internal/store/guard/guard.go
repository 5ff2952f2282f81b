package guard

import (
	"context"
	"errors"
	"fmt"
	"time"

	"brokerage/internal/brokerage"
)

// Options say what a guard does.
type Options struct {
	// Observe is told of every call but Close when it is over: with the caller's
	// context, the name of the transaction as in brokerage.Transactions (beside
	// the 17: get_customer, customer_of, replace_customer, replace_security,
	// contents, lease, ready), and the error as the caller gets it. It is called
	// by many goroutines, and its time is the caller's. Nil: nobody is told.
	Observe func(ctx context.Context, name string, took time.Duration, err error)

	// Timeout is how long a call may take whose context has no deadline; 0 is
	// without end.
	Timeout time.Duration

	// Strict makes an undeclared error a panic, for tests.
	Strict bool
}

// Undeclared is the cause of the *Unavailable that stands for an error which
// the contract does not declare. It keeps that error for the log and does not
// unwrap to it: errors.As would find in it the very kind that was not declared.
type Undeclared struct {
	Operation string
	Err       error
}

func (e *Undeclared) Error() string {
	return fmt.Sprintf("%s gave an error that is not of its contract: %v (%T)", e.Operation, e.Err, e.Err)
}

// call does what every method does. It is a function with a closure, which does
// not escape, rather than a beginning and an end: so no method can forget one.
func call[T any](ctx context.Context, s *Store, op *operation, do func(context.Context) (T, error)) (answer T, err error) {
	if absent := s.absent.Load(); absent != nil {
		do = func(context.Context) (none T, err error) { return none, absent }
	}
	if observe := s.options.Observe; observe != nil {
		start := time.Now()
		answer, err = bounded(ctx, s.options.Timeout, do)
		err = s.declared(op, err)
		observe(ctx, op.name, time.Since(start), err)
	} else {
		answer, err = bounded(ctx, s.options.Timeout, do)
		err = s.declared(op, err)
	}
	if err != nil {
		var none T
		return none, err
	}
	return answer, nil
}

// run is call without an answer.
func run(ctx context.Context, s *Store, op *operation, do func(context.Context) error) error {
	_, err := call(ctx, s, op, func(ctx context.Context) (struct{}, error) { return struct{}{}, do(ctx) })
	return err
}

// bounded calls with a deadline.
func bounded[T any](ctx context.Context, timeout time.Duration, do func(context.Context) (T, error)) (T, error) {
	if timeout <= 0 {
		return do(ctx)
	}
	if _, has := ctx.Deadline(); has {
		return do(ctx)
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	return do(ctx)
}

// declared lets an error pass if the contract declares it.
func (s *Store) declared(op *operation, err error) error {
	if err == nil || brokerage.KindOf(err)&op.declared != 0 {
		return err
	}
	fault := &Undeclared{Operation: op.name, Err: err}
	if s.options.Strict {
		panic(fault)
	}
	_, rolledBack := errors.AsType[*brokerage.RolledBack](err)
	return &brokerage.Unavailable{Cause: fault, Unknown: op.writes && !rolledBack}
}

package guard

import (
	"context"
	"fmt"
	"time"

	"brokerage/internal/tpox"
)

// Options configure a guard.
type Options struct {
	Timeout time.Duration // for calls whose context has no deadline; 0: none
	Strict  bool          // panic on an undeclared error; for tests
}

// Undeclared is the cause of the *tpox.Unavailable that replaces an error which the contract does not declare. It
// does not unwrap to that error, in which errors.As would find the very kind that was not declared.
type Undeclared struct {
	Operation string
	Err       error
}

func (e *Undeclared) Error() string {
	return fmt.Sprintf("%s returned an error that its contract does not declare: %v (%T)", e.Operation, e.Err, e.Err)
}

// call makes one call of the store inside. It takes a closure, which does not escape, so that no method can leave out a
// step.
func call[T any](ctx context.Context, s *Store, op *operation, do func(context.Context) (T, error)) (T, error) {
	var none T
	if absent := s.absent.Load(); absent != nil {
		return none, absent
	}
	answer, err := withDeadline(ctx, s.options.Timeout, do)
	if err != nil {
		return none, s.declared(op, err)
	}
	return answer, nil
}

// run is call for methods that return no answer.
func run(ctx context.Context, s *Store, op *operation, do func(context.Context) error) error {
	_, err := call(ctx, s, op, func(ctx context.Context) (struct{}, error) { return struct{}{}, do(ctx) })
	return err
}

func withDeadline[T any](ctx context.Context, timeout time.Duration, do func(context.Context) (T, error)) (T, error) {
	if _, has := ctx.Deadline(); has || timeout <= 0 {
		return do(ctx)
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	return do(ctx)
}

// declared returns err if the contract declares its kind, and otherwise what replaces it.
func (s *Store) declared(op *operation, err error) error {
	if tpox.KindOf(err)&op.declared != 0 {
		return err
	}
	fault := &Undeclared{Operation: op.name, Err: err}
	if s.options.Strict {
		panic(fault)
	}
	return &tpox.Unavailable{Cause: fault, Unknown: op.writes && !tpox.Is[*tpox.RolledBack](err)}
}

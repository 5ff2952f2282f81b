package guard

import (
	"context"
	"sync/atomic"

	"brokerage/internal/tpox"
)

//go:generate go run brokerage/internal/tpox/lists methods.tmpl

// A Store guards another store; see the package's comment.
type Store struct {
	inner   tpox.Store
	options Options
	absent  atomic.Pointer[tpox.Unavailable] // what each call returns until Open; nil after it
}

var _ tpox.Store = (*Store)(nil)

// New guards a store that is open.
func New(inner tpox.Store, options Options) *Store {
	return &Store{inner: inner, options: options}
}

// Later guards a store that is still to be opened: until Open, each call returns *tpox.Unavailable with the cause
// that was given last.
func Later(options Options, cause error) *Store {
	s := &Store{options: options}
	s.Absent(cause)
	return s
}

// Absent sets the reason why there is no store yet. It must not be called after Open.
func (s *Store) Absent(cause error) { s.absent.Store(&tpox.Unavailable{Cause: cause}) }

// Open sets the store inside. It must be called once at most.
func (s *Store) Open(inner tpox.Store) {
	s.inner = inner
	s.absent.Store(nil) // publishes inner to other goroutines
}

// Trade counts a trade without a proper side, which stores refuse, as buy_security.
func (s *Store) Trade(
	ctx context.Context, w tpox.Write, account tpox.ID, t tpox.Trade,
) ([]byte, error) {
	op := opBuySecurity
	if t.Side == tpox.Sell {
		op = opSellSecurity
	}
	return call(ctx, s, op, func(ctx context.Context) ([]byte, error) { return s.inner.Trade(ctx, w, account, t) })
}

// Describe returns the description of the store inside, and the zero EngineInfo before Open.
func (s *Store) Describe() tpox.EngineInfo {
	if s.absent.Load() != nil {
		return tpox.EngineInfo{}
	}
	return s.inner.Describe()
}

// Close closes the store inside, if there is one. It must not run at the same time as Open.
func (s *Store) Close() error {
	if s.inner == nil {
		return nil
	}
	return s.inner.Close()
}

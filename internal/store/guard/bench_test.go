package guard_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/store/guard"
	"brokerage/internal/tpox"
)

// quiet answers at once, so that the benchmark measures the guard.
type quiet struct {
	stub
	doc []byte
	err error
}

func (q *quiet) GetOrder(context.Context, tpox.ID) ([]byte, error) { return q.doc, q.err }

func (q *quiet) Trade(context.Context, tpox.Write, tpox.ID, tpox.Trade) ([]byte, error) {
	return q.doc, q.err
}

func (q *quiet) DeleteOrder(context.Context, tpox.Write, tpox.ID) error { return q.err }

func TestStore_AllocatesNothing(t *testing.T) {
	ctx := t.Context()
	for name, err := range map[string]error{"Answer": nil, "NotFound": &tpox.NotFound{}} {
		t.Run(name, func(t *testing.T) {
			s := guard.New(&quiet{err: err}, guard.Options{})
			require.Zero(t, testing.AllocsPerRun(200, func() {
				_, _ = s.GetOrder(ctx, 5)
				_, _ = s.Trade(ctx, tpox.Write{}, 5, tpox.Trade{})
				_ = s.DeleteOrder(ctx, tpox.Write{}, 5)
			}))
		})
	}
}

func BenchmarkStore(b *testing.B) {
	bounded, cancel := context.WithTimeout(b.Context(), time.Hour)
	defer cancel()
	for _, c := range []struct {
		name  string
		ctx   context.Context //nolint:containedctx // a case of the table
		store tpox.Store
	}{
		{"Bare", b.Context(), &quiet{}},
		{"Guarded", b.Context(), guard.New(&quiet{}, guard.Options{})},
		{"NotFound", b.Context(), guard.New(&quiet{err: &tpox.NotFound{}}, guard.Options{})},
		{"Undeclared", b.Context(), guard.New(&quiet{err: errors.New("driver")}, guard.Options{})},
		{"HasDeadline", bounded, guard.New(&quiet{}, guard.Options{Timeout: time.Minute})},
		{"GetsDeadline", b.Context(), guard.New(&quiet{}, guard.Options{Timeout: time.Minute})},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_, _ = c.store.GetOrder(c.ctx, 5)
			}
		})
	}
}

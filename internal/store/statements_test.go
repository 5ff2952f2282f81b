package store_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/store"
)

type key struct{}

func TestTrace(t *testing.T) {
	var told []any
	begin := store.Trace(func(ctx context.Context, name string) func(error) {
		told = append(told, ctx.Value(key{}), name)
		return func(err error) { told = append(told, err) }
	})
	fault := errors.New("x")
	begin.Statement(context.WithValue(t.Context(), key{}, "mine"), "get_order")(fault)
	require.Equal(t, []any{"mine", "get_order", fault}, told)
}

// Without tracing it costs nothing.
func TestTrace_Nil(t *testing.T) {
	var begin store.Trace
	require.Zero(t, testing.AllocsPerRun(100, func() { begin.Statement(t.Context(), "get_order")(nil) }))
}

func BenchmarkTrace_Nil(b *testing.B) {
	var begin store.Trace
	for b.Loop() {
		begin.Statement(b.Context(), "get_order")(nil)
	}
}

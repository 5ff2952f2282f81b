package trace_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/store/trace"
)

type key struct{}

func TestBegin(t *testing.T) {
	var told []any
	begin := trace.Begin(func(ctx context.Context, name string) func(error) {
		told = append(told, ctx.Value(key{}), name)
		return func(err error) { told = append(told, err) }
	})
	fault := errors.New("x")
	begin.Statement(context.WithValue(t.Context(), key{}, "mine"), "get_order")(fault)
	require.Equal(t, []any{"mine", "get_order", fault}, told)
}

// Without tracing it costs nothing.
func TestBegin_Nil(t *testing.T) {
	var begin trace.Begin
	require.Zero(t, testing.AllocsPerRun(100, func() { begin.Statement(t.Context(), "get_order")(nil) }))
}

func BenchmarkBegin_Nil(b *testing.B) {
	var begin trace.Begin
	for b.Loop() {
		begin.Statement(b.Context(), "get_order")(nil)
	}
}

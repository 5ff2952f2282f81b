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

package store_test

import (
	"context"
	"errors"
	"net"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/store"
)

type key struct{}

func TestTrace(t *testing.T) {
	var told []any
	server := &net.TCPAddr{Port: 5432}
	begin := store.Trace(func(ctx context.Context, name string, at net.Addr) func(error) {
		told = append(told, ctx.Value(key{}), name, at)
		return func(err error) { told = append(told, err) }
	})
	fault := errors.New("x")
	begin.Statement(context.WithValue(t.Context(), key{}, "mine"), "get_order", server)(fault)
	require.Equal(t, []any{"mine", "get_order", server, fault}, told)
}

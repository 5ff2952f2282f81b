package db2

import (
	"context"
	"database/sql/driver"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Each statement of a transaction is traced once, by its name, in the context of the transaction; a repeated statement
// is traced again.
func TestStore_Trace(t *testing.T) {
	type key struct{}
	doc := "<a>" + strings.Repeat("x", 9000) + "</a>"
	var refusing error
	f := &fake{answer: func(query string, _ []driver.Value) (answer, error) {
		switch {
		case strings.HasPrefix(nameOf(query), "get_"):
			return documentOf(query, doc), nil
		case refusing != nil:
			return answer{}, refusing
		}
		return answer{changed: 1}, nil
	}}
	var told []string
	begin := func(ctx context.Context, name string) func(error) {
		require.NotEmpty(t, name)
		if ctx.Value(key{}) == nil {
			return func(error) {}
		}
		return func(err error) {
			if err != nil {
				name += " failed"
			}
			told = append(told, name)
		}
	}
	s := openTraced(t, f, begin)
	ctx := context.WithValue(t.Context(), key{}, true)
	traced := func(do func() error) string {
		told = nil
		_ = do() // the trace is what counts
		return strings.Join(told, " ")
	}
	remove := func() error { return s.DeleteOrder(ctx, atNoon, 1) }
	get := func() error { _, err := s.GetOrder(ctx, 1); return err }
	require.Equal(t, "get_order get_order", traced(get), "it is longer than declared")
	require.Equal(t, "delete_order", traced(remove))
	refusing = failure(-204, "42704")
	require.Equal(t, "delete_order failed", traced(remove))
}

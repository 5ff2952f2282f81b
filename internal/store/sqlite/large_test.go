package sqlite

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/dataset"
	"brokerage/internal/store"
)

// Five transactions on a large document wait for their turn until the context ends. A small insert does not wait.
func TestLarge_Turns(t *testing.T) {
	s := tinyStore(t)
	const id = 900_000
	large := func(doc []byte, mark, more string) []byte {
		return []byte(strings.Replace(string(doc), mark, mark+strings.Repeat(more, store.SmallBytes/len(more)), 1))
	}
	customer := func(id int64) []byte {
		doc := tiny.AppendNewCustomer(nil, 1, dataset.NewCustomer{ID: id, Accounts: []int64{id + 1, id + 2}})
		return large(doc, "<Languages>", "<Language>Portuguese</Language>")
	}
	security := large(tiny.Append(nil, dataset.Security, 1), "<Name>", "x")
	require.NoError(t, errOf(s.InsertCustomer(t.Context(), now(), customer(id), true)))
	writes := []func(context.Context) error{
		func(ctx context.Context) error { return errOf(s.InsertCustomer(ctx, now(), customer(id+10), true)) },
		func(ctx context.Context) error {
			return errOf(s.InsertOrder(ctx, now(), large(order(id), ` Txt="`, "x")))
		},
		func(ctx context.Context) error {
			return s.ReplaceSecurity(ctx, now(), tiny.Symbol(1), security, false, nil)
		},
		func(ctx context.Context) error { return s.ReplaceCustomer(ctx, now(), id, customer(id), true, nil) },
		func(ctx context.Context) error { return errOf(s.Trade(ctx, now(), id+1, buyOne(id+1))) },
	}
	leave, err := s.large.Enter(t.Context(), store.LargeBytes)
	require.NoError(t, err)
	for i, write := range writes {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
		require.ErrorIs(t, write(ctx), context.DeadlineExceeded, "write %d", i)
		cancel()
	}
	insert(t, s, 1000)
	leave()
	for i, write := range writes {
		require.NoError(t, write(t.Context()), "write %d", i)
	}
	requireClean(t, s)
}

package sqlite

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/dataset"
	"brokerage/internal/store"
	"brokerage/internal/tpox"
)

// A write of a large document waits for its turn until its context ends, by whichever transaction. Others do not wait.
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
	text := func(id int64) []byte { return large(order(id), ` Txt="`, "x") }
	security := large(tiny.Append(nil, dataset.Security, 1), "<Name>", "x")
	symbol, trade := tiny.Symbol(1), buyOne(id+1)
	insertCustomer := func(ctx context.Context, id int64) error {
		_, err := s.InsertCustomer(ctx, now(), customer(id), true)
		return err
	}
	insertOrder := func(ctx context.Context, id int64) error {
		_, err := s.InsertOrder(ctx, now(), text(id))
		return err
	}
	replaceSecurity := func(ctx context.Context) error {
		return s.ReplaceSecurity(ctx, now(), symbol, security, false, nil)
	}
	require.NoError(t, insertCustomer(t.Context(), id))
	require.NoError(t, insertOrder(t.Context(), id))
	require.NoError(t, replaceSecurity(t.Context()))

	writes := []func(context.Context) error{
		func(ctx context.Context) error { return insertCustomer(ctx, id+10) },
		func(ctx context.Context) error { return insertOrder(ctx, id+10) },
		replaceSecurity,
		func(ctx context.Context) error { return s.ReplaceCustomer(ctx, now(), id, customer(id), true, nil) },
		func(ctx context.Context) error { return s.CloseAccount(ctx, now(), id, id+2) },
		func(ctx context.Context) error {
			account := tiny.AppendNewAccount(nil, 1, dataset.NewAccount{ID: id + 3})
			_, err := s.OpenAccount(ctx, now(), id, account)
			return err
		},
		func(ctx context.Context) error { _, err := s.Trade(ctx, now(), id+1, trade); return err },
		func(ctx context.Context) error { _, err := s.UpdateOrderStatus(ctx, now(), id, "2"); return err },
		func(ctx context.Context) error {
			_, err := s.UpdateSecurityPrice(ctx, now(), symbol, tpox.Price{LastTrade: "5.5"})
			return err
		},
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

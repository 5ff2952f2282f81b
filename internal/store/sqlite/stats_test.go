package sqlite

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/dataset"
	"brokerage/internal/store"
	"brokerage/internal/tpox"
)

func TestStore_Stats(t *testing.T) {
	s := opened(t, t.TempDir()+"/b.db", store.Options{Pool: 3})
	before := s.Stats()
	require.Equal(t, 3, before.Connections)
	require.Zero(t, before.InUse)
	require.Zero(t, before.Writes)

	require.InDelta(t, 1e15-1002, before.IDsLeft["customer"], 0)
	_, err := s.Lease(t.Context(), "customer", 10)
	require.NoError(t, err)
	require.InDelta(t, 1e15-1012, s.Stats().IDsLeft["customer"], 0)
	before = s.Stats()

	// A write that waits is counted while it waits.
	release := hold(t, s)
	defer func() { _ = release() }()
	require.EqualValues(t, 1, s.Stats().Writes)
	require.Equal(t, before.Commits, s.Stats().Commits)
	require.NoError(t, release())
	require.Equal(t, before.Commits+1, s.Stats().Commits)
	require.Eventually(t, func() bool { return s.Stats().Writes == 0 }, 10*time.Second, time.Millisecond)
}

// The wait of a read for a connection is counted, with its duration, by a clock that stands still while anything runs,
// so that a busy machine makes no difference.
func TestStore_Stats_Waits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, err := Open(t.Context(), t.TempDir()+"/b.db", store.Options{Pool: 1})
		require.NoError(t, err)
		defer func() { require.NoError(t, s.Close()) }()
		release := occupy(func(wait func()) error {
			err := s.readers.acquire(context.Background())
			wait()
			<-s.readers.running
			return err
		})
		defer func() { _ = release() }()
		before := s.Stats()
		require.Equal(t, 1, before.InUse)
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Millisecond)
		defer cancel()
		_, err = s.GetOrder(ctx, 1)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.Equal(t, before.Waits+1, s.Stats().Waits)
		require.Equal(t, before.Waited+5*time.Millisecond, s.Stats().Waited)
		require.NoError(t, release())
		require.Zero(t, s.Stats().InUse)
	})
}

// The figures of groups, commits, packing and pages.
func TestStore_Stats_Figures(t *testing.T) {
	s := tinyStore(t)
	before := s.Stats()
	require.Equal(t, before.Commits, int64(before.Groups.Count())) //nolint:gosec // a count of few
	require.Equal(t, before.Groups.Count(), before.Flushes.Count())
	require.Positive(t, before.File)

	insert(t, s, 990003)
	for i := range int64(200) {
		_, err := s.GetOrder(t.Context(), orderID(i))
		require.NoError(t, err)
	}
	// A write is answered before its group is counted as ended.
	require.Eventually(t, func() bool { return s.Stats().Busy > before.Busy }, time.Minute, time.Millisecond)
	after := s.Stats()
	require.Equal(t, before.Groups.Count()+1, after.Groups.Count())
	require.InDelta(t, before.Groups.Sum+1, after.Groups.Sum, 1e-9) // of one write
	require.Greater(t, after.Flushes.Sum, before.Flushes.Sum)
	require.GreaterOrEqual(t, after.Busy.Seconds(), after.Flushes.Sum)
	require.Positive(t, after.Journal)
	require.Greater(t, after.PageHits, before.PageHits)
	require.Greater(t, after.PageMisses, before.PageMisses)

	were, are := before.Kinds[indexOf(orders)], after.Kinds[indexOf(orders)]
	require.Equal(t, were.Packed+1, are.Packed)
	require.EqualValues(t, len(order(990003)), are.PackedFrom-were.PackedFrom)
	require.Positive(t, are.PackedTo-were.PackedTo)
	require.Less(t, are.PackedTo-were.PackedTo, are.PackedFrom-were.PackedFrom)
}

// A revision is repeated if another write has changed its document, and the repetition is counted.
func TestStore_Stats_Redone(t *testing.T) {
	s := tinyStore(t)
	const order = 103282
	release := occupy(func(wait func()) error {
		return s.writer.write(context.Background(), func(tx *transaction) error {
			wait()
			tx.w.changes.note(documentKey{kind: orders, id: order})
			return nil
		})
	})
	defer func() { _ = release() }()
	ended := make(chan error, 1)
	go func() {
		_, err := s.UpdateOrderStatus(context.Background(), now(), order, "4")
		ended <- err
	}()
	require.Eventually(t, func() bool { return s.Stats().Writes == 2 }, 10*time.Second, time.Millisecond)
	require.NoError(t, release())
	require.NoError(t, <-ended)
	require.Equal(t, map[string]int64{"changed": 1}, s.Stats().Retries)
}

// kindsOf returns the part of Stats that needs a census.
func kindsOf(t testing.TB, s *Store) map[string][2]int64 {
	t.Helper()
	all := make(map[string][2]int64)
	for _, k := range s.Stats().Kinds {
		require.True(t, k.Known)
		all[k.Kind] = [2]int64{k.Documents, k.Stored}
	}
	return all
}

// The updated figures equal those of a new count, after every kind of change and after refused changes.
func TestCensus_Follows(t *testing.T) {
	s := tinyStore(t)
	d, ctx := tiny, t.Context()
	require.False(t, s.Stats().Kinds[0].Known)
	require.NoError(t, s.Census(ctx))
	before := kindsOf(t, s)
	for _, k := range dataset.Kinds {
		require.Equal(t, d.Count(k), before[k.String()][0])
		require.Positive(t, before[k.String()][1])
	}

	const customer, newCustomer, newAccount, newOrder = 1002, 900001, 990000001, 990001
	account := func(id int64) []byte { return d.AppendNewAccount(nil, 1, dataset.NewAccount{ID: id}) }
	symbol := d.Symbol(3)
	longer := changed(t, d.Append(nil, dataset.Customer, 0), "</LastName>", strings.Repeat("x", 50)+"</LastName>")
	refused := func(_ tpox.ID, err error) { require.ErrorAs(t, err, new(*tpox.Conflict)) }
	for _, change := range []struct {
		name      string
		kind      kind
		documents int64
		do        func() error
	}{
		{"InsertOrder", orders, 1, func() error { insert(t, s, newOrder); return nil }},
		{"InsertOrder/Refused", orders, 0, func() error { refused(s.InsertOrder(ctx, now(), order(newOrder))); return nil }},
		{"UpdateOrderStatus", orders, 0, func() error {
			_, err := s.UpdateOrderStatus(ctx, now(), newOrder, "4")
			return err
		}},
		{"DeleteOrder", orders, -1, func() error { return s.DeleteOrder(ctx, now(), newOrder) }},
		{"InsertCustomer", customers, 1, func() error {
			doc := d.AppendNewCustomer(nil, 5, dataset.NewCustomer{ID: newCustomer, Accounts: []int64{newAccount}})
			_, err := s.InsertCustomer(ctx, now(), doc, true)
			return err
		}},
		{"InsertCustomer/Refused", customers, 0, func() error {
			accounts := []int64{newAccount + 7, newAccount}
			doc := d.AppendNewCustomer(nil, 5, dataset.NewCustomer{ID: newCustomer + 1, Accounts: accounts})
			refused(s.InsertCustomer(ctx, now(), doc, true))
			return nil
		}},
		{"ReplaceCustomer", customers, 0, func() error {
			return s.ReplaceCustomer(ctx, now(), customer, longer, true, nil)
		}},
		{"OpenAccount", customers, 0, func() error {
			_, err := s.OpenAccount(ctx, now(), customer, account(newAccount+1))
			return err
		}},
		{"OpenAccount/Refused", customers, 0, func() error {
			refused(s.OpenAccount(ctx, now(), customer, account(newAccount)))
			return nil
		}},
		{"DeleteCustomer", customers, -1, func() error { return s.DeleteCustomer(ctx, now(), newCustomer) }},
		{"UpdateSecurityPrice", securities, 0, func() error {
			_, err := s.UpdateSecurityPrice(ctx, now(), symbol, tpox.Price{LastTrade: "12345.25"})
			return err
		}},
		{"ReplaceSecurity", securities, 0, func() error {
			return s.ReplaceSecurity(ctx, now(), symbol, d.Append(nil, dataset.Security, 3), true, nil)
		}},
	} {
		t.Run(change.name, func(t *testing.T) {
			before := kindsOf(t, s)
			require.NoError(t, change.do())
			followed := kindsOf(t, s)
			require.Equal(t, change.documents, followed[string(change.kind)][0]-before[string(change.kind)][0])
			require.NoError(t, s.Census(ctx))
			require.Equal(t, kindsOf(t, s), followed)
		})
	}
}

// The parts add up to the whole file, and the part that was written grows.
func TestSpace(t *testing.T) {
	d, s := tiny, tinyStore(t)
	require.NoError(t, s.control(t.Context(), "PRAGMA wal_checkpoint(TRUNCATE)"))
	space, err := s.Space(t.Context())
	require.NoError(t, err)

	require.Equal(t, sizeOf(s.path), space.File, "without a journal, the file is the whole database")
	require.Zero(t, space.Journal)
	var names []string
	all := space.Rest
	for _, index := range space.Indexes {
		names = append(names, index.Name)
		all += index.Bytes
		require.Positive(t, index.Bytes, index.Name)
	}
	want := []string{"accounts", "accounts_customer", "orders_cash", "securities_search", "securities_symbol"}
	require.Equal(t, want, names)
	for _, k := range dataset.Kinds {
		raw := rawBytes(k)
		require.Equal(t, raw, space.Raw[k], k)
		require.Equal(t, d.Count(k), space.Documents[k], k)
		require.Greater(t, space.Stored[k], raw/10, k)
		require.Less(t, space.Stored[k], raw, k)
		all += space.Stored[k]
	}
	require.Equal(t, space.File, all)
	require.Positive(t, space.Rest, "dictionaries at least")

	for id := range int64(500) {
		insert(t, s, 900_000+id)
	}
	after, err := s.Space(t.Context())
	require.NoError(t, err)
	require.Greater(t, after.Stored[dataset.Order], space.Stored[dataset.Order])
	require.Equal(t, space.Stored[dataset.Customer], after.Stored[dataset.Customer])
	require.Equal(t, space.Raw, after.Raw, "of loads only")
	require.Equal(t, int64(2500), after.Documents[dataset.Order])
	require.Positive(t, after.Journal)
}

// rawBytes returns the bytes of all documents of a kind in the dataset tiny.
func rawBytes(k dataset.Kind) (n int64) {
	for i := range tiny.Count(k) {
		n += int64(len(tiny.Append(nil, k, i)))
	}
	return n
}

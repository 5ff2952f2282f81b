package sqlite

import (
	"bytes"
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/dataset"
	"brokerage/internal/store"
	"brokerage/internal/store/storetest"
)

// The wait of a read for a connection is counted, with its duration. The clock of the test stands still while anything
// runs, so that a busy machine makes no difference.
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

// Stats has the figures of connections, leases, groups, commits, packing and pages.
func TestStore_Stats(t *testing.T) {
	s := opened(t, tinyDatabase(t), store.Options{Pool: 3})
	before := s.Stats()
	require.Equal(t, 3, before.Connections)
	require.Zero(t, before.InUse)
	require.Zero(t, before.Writes)
	insert(t, s, 990003)
	for i := range int64(200) {
		require.NoError(t, errOf(s.GetOrder(t.Context(), orderID(i))))
	}
	require.NoError(t, errOf(s.Lease(t.Context(), "customer", 10)))
	// A write is answered before its group is counted as ended.
	require.Eventually(t, func() bool { return s.Stats().Busy > before.Busy }, time.Minute, time.Millisecond)
	after := s.Stats()
	require.Equal(t, before.Commits+2, after.Commits)
	require.Equal(t, before.Groups.Count()+2, after.Groups.Count())
	require.InDelta(t, before.Groups.Sum+2, after.Groups.Sum, 1e-9) // each of one write
	require.Equal(t, after.Groups.Count(), after.Flushes.Count())
	require.Greater(t, after.Flushes.Sum, before.Flushes.Sum)
	require.Positive(t, after.File)
	require.Positive(t, after.Journal)
	require.Greater(t, after.PageHits, before.PageHits)
	require.Greater(t, after.PageMisses, before.PageMisses)
	require.EqualValues(t, 999_999_999_998_798, before.IDsLeft["customer"])
	require.Equal(t, before.IDsLeft["customer"]-10, after.IDsLeft["customer"])

	were, are := before.Kinds[indexOf(orders)], after.Kinds[indexOf(orders)]
	require.Equal(t, were.Packed+1, are.Packed)
	require.EqualValues(t, len(order(990003)), are.PackedFrom-were.PackedFrom)
	require.Positive(t, are.PackedTo-were.PackedTo)
	require.Less(t, are.PackedTo-were.PackedTo, are.PackedFrom-were.PackedFrom)

	// A write that waits is counted while it waits.
	release := hold(t, s)
	defer func() { _ = release() }()
	require.EqualValues(t, 1, s.Stats().Writes)
}

// The parts add up to the whole file, and the part that was written grows.
func TestSpace(t *testing.T) {
	s := tinyStore(t)
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
		raw := int64(len(bytes.Join(storetest.Documents(tiny, k), nil)))
		require.Equal(t, raw, space.Raw[k], k)
		require.Equal(t, tiny.Count(k), space.Documents[k], k)
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
	require.Positive(t, after.Journal)
}

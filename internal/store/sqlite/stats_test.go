package sqlite

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

func TestStore_Stats(t *testing.T) {
	s := opened(t, t.TempDir()+"/b.db", Options{Pool: 3})
	before := s.Stats()
	require.Equal(t, 3, before.Connections)
	require.Zero(t, before.InUse)
	require.Zero(t, before.Writes)

	// A write that is held up is seen while it is.
	release := hold(t, s)
	defer func() { _ = release() }()
	require.EqualValues(t, 1, s.Stats().Writes)
	require.Equal(t, before.Commits, s.Stats().Commits)
	require.NoError(t, release())
	require.Equal(t, before.Commits+1, s.Stats().Commits)
	require.Eventually(t, func() bool { return s.Stats().Writes == 0 }, 10*time.Second, time.Millisecond)
}

// A read that has to wait for a connection is seen, and for how long: by a clock that stands while anything runs, so
// that a busy machine waits no longer.
func TestStore_Stats_Waits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, err := Open(t.Context(), t.TempDir()+"/b.db", Options{Pool: 1})
		require.NoError(t, err)
		defer func() { require.NoError(t, s.Close()) }()
		release := occupy(func(wait func()) error {
			return s.readers.read(context.Background(), func(*reader) error {
				wait()
				return nil
			}, func() []documentKey { return nil })
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
	after := s.Stats()
	require.Equal(t, before.Groups.Count()+1, after.Groups.Count())
	require.InDelta(t, before.Groups.Sum+1, after.Groups.Sum, 1e-9) // of one write
	require.Greater(t, after.Flushes.Sum, before.Flushes.Sum)
	require.Greater(t, after.Busy, before.Busy)
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

// A revision whose document another changed meanwhile is done again, and that is seen.
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

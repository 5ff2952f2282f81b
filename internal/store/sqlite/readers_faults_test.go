package sqlite

import (
	"context"
	"errors"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/brokerage"
	"brokerage/internal/dataset"
)

// A commit can be read before its group has ended: another reader may have seen
// what this one, with a snapshot of before, does not find.
func TestReaders_NotFoundIsOfNow(t *testing.T) {
	d := generator(t, "tiny")
	s := opened(t, t.TempDir()+"/b.db", Options{Pool: 1})
	const id = 5_000_000
	_, err := s.GetOrder(t.Context(), id)
	require.ErrorAs(t, err, new(*brokerage.NotFound))
	require.True(t, s.readers.idle[0].open, "no snapshot is kept")
	w := s.writer // which has nothing to do
	require.NoError(t, w.exec("BEGIN IMMEDIATE"))
	doc := order(d, id)
	keys, err := brokerage.OrderKeysOf(doc)
	require.NoError(t, err)
	_, err = (&transaction{w: w, job: &job{ctx: t.Context()}}).exec(
		insertOrder, int64(keys.ID), int64(keys.Account), keys.Cash, doc,
	)
	require.NoError(t, err)
	require.NoError(t, w.exec("COMMIT"))
	_, err = s.GetOrder(t.Context(), id)
	require.NoError(t, err)
}

// Requests that are cut off may still read when the store is closed: it waits
// for them, refuses who comes later, and leaves nothing open.
func TestReaders_CloseWhileReading(t *testing.T) {
	d := generator(t, "tiny")
	path := t.TempDir() + "/b.db"
	s := opened(t, path, Options{Pool: 4})
	require.NoError(t, s.LoadDataset(t.Context(), d, nil))
	require.NoError(t, s.Close())
	for range 10 {
		s, err := Open(t.Context(), path, Options{Pool: 4})
		require.NoError(t, err)
		var wg sync.WaitGroup
		for range 6 {
			wg.Go(func() {
				for i := int64(0); ; i++ {
					_, err := s.GetOrder(context.Background(), brokerage.ID(d.ID(dataset.Order, i%100)))
					if errors.Is(err, errClosed) {
						return
					}
					if err != nil {
						t.Error(err)
						return
					}
				}
			})
		}
		time.Sleep(5 * time.Millisecond)
		require.NoError(t, s.Close())
		wg.Wait()
		_, err = os.Stat(path + "-wal")
		require.ErrorIs(t, err, os.ErrNotExist, "a connection was left open")
	}
}

// A panic is one request's.
func TestReaders_Panic(t *testing.T) {
	d := generator(t, "tiny")
	s := loaded(t, d)
	require.Panics(t, func() {
		_ = s.readers.read(t.Context(), func(*reader) error { panic("x") }, func() []documentKey { return nil })
	})
	require.Zero(t, s.Stats().InUse)
	for range 3 {
		_, err := s.GetOrder(t.Context(), brokerage.ID(d.ID(dataset.Order, 1)))
		require.NoError(t, err)
	}
}

// The connection that reads again may be at a search: nobody waits for it.
func TestReaders_NewestIsTaken(t *testing.T) {
	d := generator(t, "tiny")
	s := loaded(t, d)
	symbol := d.Symbol(3)
	_, err := s.SecurityPrice(t.Context(), symbol)
	require.NoError(t, err)
	_, err = s.UpdateSecurityPrice(t.Context(), now(), symbol, brokerage.Price{LastTrade: "1.25"})
	require.NoError(t, err)
	s.readers.newest.Lock()
	defer s.readers.newest.Unlock()
	answer, err := s.SecurityPrice(t.Context(), symbol)
	require.NoError(t, err)
	require.Contains(t, string(answer), "<LastTrade>1.25<")
}

// A statement between groups, while the journal is being emptied, must not make readers keep snapshots again.
func TestReaders_AloneWhileEmptying(t *testing.T) {
	s := empty(t)
	require.NoError(t, s.writer.write(t.Context(), func(t *transaction) error {
		t.w.journalPages = 0 // so that it is always too long
		t.w.emptying = true
		t.w.keepSnapshots(false)
		return nil
	}))
	require.NoError(t, s.control(t.Context(), "PRAGMA optimize"))
	s.readers.mu.Lock()
	defer s.readers.mu.Unlock()
	require.False(t, s.readers.keep)
}

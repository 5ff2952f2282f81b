package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/tpox"
)

// occupy starts run() and returns when that has called wait(), which blocks until release(). A test must call release
// even if a check fails, because Close waits for all reads and writes.
func occupy(run func(wait func()) error) (release func() error) {
	begun, end := make(chan struct{}), make(chan struct{})
	done := make(chan error, 1)
	go func() {
		done <- run(func() {
			close(begun)
			<-end
		})
	}()
	<-begun
	return sync.OnceValue(func() error {
		close(end)
		return <-done
	})
}

// hold keeps the writer busy with another transaction, until release.
func hold(t testing.TB, s *Store) (release func() error) {
	t.Helper()
	return occupy(func(wait func()) error {
		var first sync.Once // its group may be run again
		return s.writer.write(context.Background(), func(*transaction) error {
			first.Do(wait)
			return nil
		})
	})
}

// asGroup calls do(i) for each member. They enter the queue while the writer is busy, and so form one group, if
// groupTime allows it. asGroup returns the error of each member, and that of the transaction that kept the writer busy.
func asGroup(t testing.TB, s *Store, members int, do func(i int) error) (errs []error, held error) {
	t.Helper()
	release := hold(t, s)
	errs = make([]error, members)
	var all sync.WaitGroup
	for i := range members {
		all.Go(func() { errs[i] = do(i) })
	}
	waitForQueue(t, s, members)
	held = release()
	all.Wait()
	return errs, held
}

// waitForQueue waits until n transactions wait for the writer, in addition to the one that holds it.
func waitForQueue(t testing.TB, s *Store, n int) {
	t.Helper()
	require.Eventually(t, func() bool { return s.writer.waiting.Load() == int64(n+1) }, 30*time.Second, time.Millisecond)
	time.Sleep(20 * time.Millisecond) // until the last ones, already counted, wait
}

// insertRow inserts an order that is not packed and has no cash.
func (t *transaction) insertRow(id int) error {
	return errOf(t.exec(insertOrder, int64(id), int64(1), nil, order(int64(id))))
}

// A member whose context ends while it runs, in the middle of its group, is committed like the others.
func TestWriter_CancelOneOfAGroup(t *testing.T) {
	s := empty(t)
	const members, victim = 32, 13
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	errs, held := asGroup(t, s, members, func(i int) error {
		within := t.Context()
		if i == victim {
			within = ctx
		}
		return s.writer.write(within, func(tx *transaction) error {
			if i == victim {
				cancel()
			}
			return tx.insertRow(1000 + i)
		})
	})
	require.NoError(t, errors.Join(append(errs, held)...))
	for i := range int64(members) {
		requireOrder(t, s, 1000+i)
	}
	require.Less(t, s.writer.groups.Load(), int64(members/2), "they share commits")
}

// A group is bounded by the time that its transactions take: the first of many slow ones does not wait for the last.
func TestWriter_GroupTime(t *testing.T) {
	s := empty(t)
	errs, held := asGroup(t, s, 8, func(i int) error {
		return s.writer.write(t.Context(), func(tx *transaction) error {
			time.Sleep(groupTime)
			return tx.insertRow(2000 + i)
		})
	})
	require.NoError(t, errors.Join(append(errs, held)...))
	require.EqualValues(t, 1+8, s.writer.groups.Load())
}

func TestWriter_CancelledWhileWaiting(t *testing.T) {
	s := empty(t)
	release := hold(t, s)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- errOf(s.InsertOrder(ctx, now(), order(1000))) }()
	waitForQueue(t, s, 1)
	cancel()
	require.ErrorIs(t, <-done, context.Canceled)
	require.NoError(t, release())
	requireNoOrder(t, s, 1000)
}

// Some members of a group fail after a change, with or without a savepoint. The others succeed, and the failed ones
// report that nothing was changed.
func TestWriter_FailuresInAGroup(t *testing.T) {
	refuse := func(*transaction) error {
		return &tpox.Conflict{Reason: tpox.NotHeld, Detail: "after a change"}
	}
	abort := func(*transaction) error { panic("after a change") }
	requireConflict := func(t *testing.T, err error) { require.ErrorAs(t, err, new(*tpox.Conflict)) }
	requireRolledBack := func(t *testing.T, err error) {
		require.ErrorContains(t, err, "after a change")
		require.ErrorAs(t, err, new(*tpox.RolledBack), "nothing was done, and that is known")
	}
	for name, c := range map[string]struct {
		savepoint bool
		fail      func(*transaction) error
		once      bool // only one member fails, instead of every fifth
		require   func(t *testing.T, err error)
	}{
		"Savepoint/Refusal": {true, refuse, false, requireConflict},
		"Savepoint/Panic":   {true, abort, false, requireRolledBack},
		"Refusal":           {false, refuse, false, requireConflict},
		"Panic":             {false, abort, false, requireRolledBack},
		"NotOfTheDomain": {
			false, func(*transaction) error { return errors.New("after a change") }, false, requireRolledBack,
		},
		// An error of the database: it refuses a statement.
		"Database": {false, func(tx *transaction) error {
			return errOf(tx.exec(insertOrder, "no number", int64(1), nil, []byte("x")))
		}, true, func(t *testing.T, err error) {
			unavailable, ok := errors.AsType[*tpox.Unavailable](err)
			require.True(t, ok, "%v", err)
			require.False(t, unavailable.Unknown)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			s := empty(t)
			fails := func(i int) bool { return i%5 == 2 && (!c.once || i == 2) }
			errs, held := asGroup(t, s, 20, func(i int) error {
				return s.writer.write(t.Context(), func(tx *transaction) error {
					if c.savepoint {
						if err := tx.setSavepoint(); err != nil {
							return err
						}
					}
					if err := tx.insertRow(2000 + i); err != nil || !fails(i) {
						return err
					}
					return c.fail(tx)
				})
			})
			require.NoError(t, held)
			for i, err := range errs {
				if fails(i) {
					requireNoOrder(t, s, int64(2000+i))
					c.require(t, err)
				} else {
					require.NoError(t, err, "member %d", i)
					requireOrder(t, s, int64(2000+i))
				}
			}
		})
	}
}

func TestWriter_Closed(t *testing.T) {
	s := empty(t)
	require.NoError(t, s.writer.close())
	require.ErrorIs(t, errOf(s.InsertOrder(t.Context(), now(), order(1))), errClosed)
}

func TestStore_IsDurableBySettings(t *testing.T) {
	loaded := trainedAt(t, filepath.Join(t.TempDir(), "brokerage.db"))
	require.NoError(t, loaded.LoadDataset(t.Context(), tiny, nil)) // whose settings must not remain
	for name, s := range map[string]*Store{"Opened": empty(t), "Loaded": loaded} {
		var journal, synchronous string
		require.NoError(t, s.exclusive(t.Context(), func(c *sql.Conn) error {
			return c.QueryRowContext(t.Context(), "SELECT * FROM pragma_journal_mode, pragma_synchronous").
				Scan(&journal, &synchronous)
		}))
		require.Equal(t, [2]string{"wal", "2"}, [2]string{journal, synchronous}, name)
	}
}

// Even with an idempotency key, a changed document is packed before the writer runs the transaction, and not again.
func TestWriter_WithAKeyDoesNoWork(t *testing.T) {
	s := tinyStore(t)
	packed := &s.packed[indexOf(customers)].documents
	before := packed.Load()
	release := hold(t, s)
	defer func() { _ = release() }()
	done := make(chan error, 1)
	go func() {
		w, account := now(), tiny.FirstAccount(0)
		w.Once = &tpox.Once{Client: "c", Key: "key", Expires: w.Now.Add(time.Hour)}
		done <- errOf(s.Trade(t.Context(), w, tpox.ID(account), buyOne(account)))
	}()
	waitForQueue(t, s, 1)
	require.Equal(t, before+1, packed.Load(), "packed while the writer is busy with another")
	require.NoError(t, release())
	require.NoError(t, <-done)
	require.Equal(t, before+1, packed.Load(), "packed again by the writer")
}

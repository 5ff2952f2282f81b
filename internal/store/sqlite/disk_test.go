package sqlite

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/brokerage"
	"brokerage/internal/testenv"
)

// outcomes are the results that writers have seen.
type outcomes struct {
	mu             sync.Mutex
	stored, denied []brokerage.ID
}

// insertUntilDenied has 16 writers insert orders until each was refused five times in a row.
func insertUntilDenied(t *testing.T, s *Store) *outcomes {
	t.Helper()
	d := generator(t, "tiny")
	var o outcomes
	var wg sync.WaitGroup
	for i := range int64(16) {
		wg.Go(func() {
			for id, denied := 1_000_000+i, 0; denied < 5; id += 16 {
				_, err := s.InsertOrder(context.Background(), now(), order(d, id))
				o.mu.Lock()
				if err == nil {
					o.stored = append(o.stored, brokerage.ID(id))
					denied = 0
				} else {
					o.denied = append(o.denied, brokerage.ID(id))
					denied++
				}
				o.mu.Unlock()
				if err != nil && !isUnavailable(err) {
					t.Errorf("order %d: %v", id, err)
					return
				}
			}
		})
	}
	wg.Wait()
	return &o
}

func (o *outcomes) require(t testing.TB, s *Store) {
	t.Helper()
	for _, id := range o.stored {
		_, err := s.GetOrder(context.Background(), id)
		require.NoError(t, err, "order %d was answered", id)
	}
	for _, id := range o.denied {
		_, err := s.GetOrder(context.Background(), id)
		require.ErrorAs(t, err, new(*brokerage.NotFound), "order %d was refused", id)
	}
}

func requireClean(t testing.TB, s *Store) {
	t.Helper()
	_, err := s.Verify(context.Background(), func(finding string) error { t.Error(finding); return nil }, nil)
	require.NoError(t, err)
	require.NoError(t, s.Ready(context.Background()))
}

func TestDisk_FullUnderWriters(t *testing.T) {
	d := generator(t, "tiny")
	dir := testenv.SmallDisk(t, "24m")
	path := filepath.Join(dir, "brokerage.db")
	s := reopened(t, path, Options{})
	require.NoError(t, s.LoadDataset(t.Context(), d, nil))
	ballast := testenv.FillDisk(t, dir, 4<<20)

	// Readers, all the while.
	var full atomic.Bool
	var reads atomic.Int64
	var readers sync.WaitGroup
	for i := range int64(4) {
		readers.Go(func() {
			for n := i; !full.Load(); n++ {
				if _, err := s.GetOrder(t.Context(), brokerage.ID(103282+n%2000)); err != nil {
					t.Error(err)
					return
				}
				reads.Add(1)
			}
		})
	}
	o := insertUntilDenied(t, s)
	before := reads.Load()
	require.Eventually(
		t, func() bool { return reads.Load() > before+1000 }, 30*time.Second, time.Millisecond,
		"they go on when writing does not",
	)
	full.Store(true)
	readers.Wait()
	require.NotEmpty(t, o.stored)
	require.GreaterOrEqual(t, len(o.denied), 16*5)
	journal, err := os.Stat(path + "-wal")
	require.NoError(t, err)
	require.Less(t, journal.Size(), int64(5<<20), "the journal has what room there was, and no more")
	o.require(t, s)
	requireClean(t, s)

	require.NoError(t, os.Remove(ballast))
	var wg sync.WaitGroup
	for i := range int64(16) {
		wg.Go(func() {
			for id := range int64(100) {
				if _, err := s.InsertOrder(t.Context(), now(), order(d, 2_000_000+100*i+id)); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	o.require(t, s)
	requireClean(t, s)
	require.NoError(t, s.Close())
	s = opened(t, path, Options{})
	o.require(t, s)
	requireClean(t, s)
}

// SQLite notices a full disk in a statement, when a transaction is larger than
// its memory, or else in the commit. Either way nothing of the group is kept.
func TestDisk_FullInOneTransaction(t *testing.T) {
	for name, c := range map[string]struct {
		cache       int // pages, or KiB below zero
		inStatement bool
	}{
		"Statement": {10, true},
		"Commit":    {-65536, false},
	} {
		t.Run(name, func(t *testing.T) {
			d := generator(t, "tiny")
			dir := testenv.SmallDisk(t, "24m")
			s := opened(t, filepath.Join(dir, "brokerage.db"), Options{})
			require.NoError(t, s.LoadDataset(t.Context(), d, nil))
			require.NoError(t, s.control(t.Context(), fmt.Sprintf("PRAGMA cache_size = %d", c.cache)))
			ballast := testenv.FillDisk(t, dir, 2<<20)

			const rows = 4096
			insert := func() (inStatement, err error) {
				err = s.writer.write(t.Context(), func(tx *transaction) error {
					inStatement = nil
					for id := range rows {
						if _, inStatement = tx.exec(
							insertOrder, 1_000_000+id, 1, nil, order(d, int64(1_000_000+id)),
						); inStatement != nil {
							return inStatement
						}
					}
					return nil
				})
				return inStatement, err
			}
			inStatement, err := insert()
			require.ErrorAs(t, err, new(*brokerage.Unavailable))
			require.Equal(t, c.inStatement, inStatement != nil)
			_, err = s.GetOrder(t.Context(), 1_000_000)
			require.ErrorAs(t, err, new(*brokerage.NotFound))
			requireClean(t, s)
			_, err = s.GetOrder(t.Context(), 103282)
			require.NoError(t, err)

			require.NoError(t, os.Remove(ballast))
			inStatement, err = insert()
			require.NoError(t, err)
			require.NoError(t, inStatement)
			_, err = s.GetOrder(t.Context(), 1_000_000+rows-1)
			require.NoError(t, err)
		})
	}
}

func TestDisk_FullAtOpen(t *testing.T) {
	testenv.SmallDisk(t, "4k") // or none of this
	refused := 0
	for _, leave := range []int64{0, 4 << 10, 16 << 10, 40 << 10, 64 << 10, 100 << 10, 160 << 10} {
		t.Run(fmt.Sprint(leave), func(t *testing.T) {
			dir := testenv.SmallDisk(t, "4m")
			path := filepath.Join(dir, "brokerage.db")
			ballast := testenv.FillDisk(t, dir, leave)
			s, err := Open(t.Context(), path, Options{})
			if err == nil { // there was room enough
				require.NoError(t, s.Close())
			} else {
				refused++
				require.ErrorAs(t, err, new(*brokerage.Unavailable))
				require.NotContains(t, err.Error(), "not a database")
			}
			require.NoError(t, os.Remove(ballast))
			s = opened(t, path, Options{})
			_, err = s.InsertOrder(t.Context(), now(), order(generator(t, "tiny"), 1))
			require.NoError(t, err)
			requireClean(t, s)
		})
	}
	if !t.Failed() {
		require.GreaterOrEqual(t, refused, 4)
	}
}

// Wherever the disk gets full, the same call continues once there is room.
func TestDisk_FullInALoad(t *testing.T) {
	testenv.SmallDisk(t, "4k") // or none of this
	d := generator(t, "tiny")
	refused := 0
	for _, leave := range []int64{100 << 10, 1 << 20, 2 << 20, 3 << 20, 4 << 20} {
		t.Run(fmt.Sprint(leave), func(t *testing.T) {
			dir := testenv.SmallDisk(t, "24m")
			s := opened(t, filepath.Join(dir, "brokerage.db"), Options{})
			ballast := testenv.FillDisk(t, dir, leave)
			err := s.LoadDataset(t.Context(), d, nil)
			if err != nil {
				refused++
				require.ErrorAs(t, err, new(*brokerage.Unavailable))
				if leave > 1<<20 { // and so begun
					require.ErrorAs(t, s.Ready(t.Context()), new(*brokerage.Unavailable))
				}
				contents, err := s.Contents(t.Context())
				require.NoError(t, err)
				require.Zero(t, contents)
			}
			require.NoError(t, os.Remove(ballast))
			require.NoError(t, s.LoadDataset(t.Context(), d, nil))
			requireClean(t, s)
			requireDataset(t, s, d)
		})
	}
	if !t.Failed() {
		require.GreaterOrEqual(t, refused, 4)
	}
}

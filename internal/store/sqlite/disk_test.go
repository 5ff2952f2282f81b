package sqlite

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/store"
	"brokerage/internal/testenv"
	"brokerage/internal/tpox"
)

// While the disk is full, writes are refused and reads continue; no acknowledged write is lost, and no refused one is
// done, neither then nor with room again.
func TestDisk_FullUnderWriters(t *testing.T) {
	testenv.Long(t)
	dir := testenv.SmallDisk(t, "24m")
	s := tinyIn(t, dir)
	ballast := testenv.FillDisk(t, dir, 4<<20)
	var mu sync.Mutex
	var stored, denied []int64
	together(16, func(i int) { // each stops when it was refused five times in a row
		for id, refused := 1_000_000+int64(i), 0; refused < 5; id += 16 {
			_, err := s.InsertOrder(context.Background(), now(), order(id))
			mu.Lock()
			if err == nil {
				stored = append(stored, id)
				refused = 0
			} else {
				denied = append(denied, id)
				refused++
			}
			mu.Unlock()
			if err != nil && !tpox.Is[*tpox.Unavailable](err) {
				t.Errorf("order %d: %v", id, err)
				return
			}
			if err := errOf(s.GetOrder(t.Context(), orderID(id%2000))); err != nil {
				t.Error(err)
				return
			}
		}
	})
	require.NotEmpty(t, stored)
	require.GreaterOrEqual(t, len(denied), 16*5)
	require.Less(t, sizeOf(s.path+"-wal"), int64(5<<20), "the journal has what room there was, and no more")
	requireOutcome := func() {
		t.Helper()
		for _, id := range stored {
			requireOrder(t, s, id)
		}
		for _, id := range denied {
			requireNoOrder(t, s, id)
		}
		findings, _ := findingsOf(t, s)
		require.Empty(t, findings)
	}
	requireOutcome()

	require.NoError(t, os.Remove(ballast))
	for id := range int64(100) {
		insert(t, s, 2_000_000+id)
	}
	requireOutcome()
	require.NoError(t, s.Ready(t.Context()))
	require.NoError(t, s.Close())
	s = opened(t, s.path, store.Options{})
	requireOutcome()
}

// tinyIn returns an open store in a folder, with the dataset tiny.
func tinyIn(t testing.TB, dir string) *Store {
	t.Helper()
	path := filepath.Join(dir, "brokerage.db")
	writeFile(t, path, readFile(t, tinyDatabase(t)))
	return opened(t, path, store.Options{})
}

// SQLite notices a full disk in a statement, when a transaction is larger than its memory, or else in the commit. In
// both cases nothing of the group is kept.
func TestDisk_FullInOneTransaction(t *testing.T) {
	testenv.Long(t)
	for name, c := range map[string]struct {
		cache       int // pages; if negative, KiB
		inStatement bool
	}{
		"Statement": {10, true},
		"Commit":    {-65536, false},
	} {
		t.Run(name, func(t *testing.T) {
			dir := testenv.SmallDisk(t, "24m")
			s := tinyIn(t, dir)
			require.NoError(t, s.control(t.Context(), fmt.Sprintf("PRAGMA cache_size = %d", c.cache)))
			ballast := testenv.FillDisk(t, dir, 2<<20)

			const first, rows = 1_000_000, 4096
			var inStatement error
			write := func(tx *transaction) error {
				inStatement = nil
				for i := 0; i < rows && inStatement == nil; i++ {
					inStatement = tx.insertRow(first + i)
				}
				return inStatement
			}
			require.ErrorAs(t, s.writer.write(t.Context(), write), new(*tpox.Unavailable))
			require.Equal(t, c.inStatement, inStatement != nil)
			requireNoOrder(t, s, first)
			requireClean(t, s)
			_, err := s.GetOrder(t.Context(), 103282)
			require.NoError(t, err)

			require.NoError(t, os.Remove(ballast))
			require.NoError(t, s.writer.write(t.Context(), write))
			requireOrder(t, s, first+rows-1)
		})
	}
}

func TestDisk_FullAtOpen(t *testing.T) {
	testenv.Long(t)
	dir := testenv.SmallDisk(t, "4m")
	path := filepath.Join(dir, "brokerage.db")
	refused := 0
	for _, leave := range []int64{0, 4 << 10, 16 << 10, 40 << 10, 64 << 10, 100 << 10, 160 << 10} {
		ballast := testenv.FillDisk(t, dir, leave)
		s, err := Open(t.Context(), path, store.Options{})
		if err == nil { // there was enough room
			require.NoError(t, s.Close())
		} else {
			refused++
			require.ErrorAs(t, err, new(*tpox.Unavailable))
			require.NotContains(t, err.Error(), "not a database")
		}
		require.NoError(t, os.Remove(ballast))
		s = opened(t, path, store.Options{})
		insert(t, s, 1)
		requireClean(t, s)
		require.NoError(t, s.Close())
		require.NoError(t, Remove(t.Context(), path))
	}
	require.GreaterOrEqual(t, refused, 4)
}

// If the disk becomes full in a load, the store has no contents. A new load, into a new file, succeeds.
func TestDisk_FullInALoad(t *testing.T) {
	testenv.Long(t)
	dir := testenv.SmallDisk(t, "24m")
	path := filepath.Join(dir, "brokerage.db")
	for _, leave := range []int64{100 << 10, 1 << 20, 2 << 20, 3 << 20, 4 << 20} {
		s := trainedAt(t, path)
		ballast := testenv.FillDisk(t, dir, leave)
		require.ErrorAs(t, s.LoadDataset(t.Context(), tiny, nil), new(*tpox.Unavailable))
		if leave > 1<<20 { // the load had begun
			require.ErrorAs(t, s.Ready(t.Context()), new(*tpox.Unavailable))
		}
		contents, err := s.Contents(t.Context())
		require.NoError(t, err)
		require.Zero(t, contents)
		require.NoError(t, os.Remove(ballast))
		require.NoError(t, s.Close())
		require.NoError(t, Remove(t.Context(), path))
	}
	s := trainedAt(t, path)
	require.NoError(t, s.LoadDataset(t.Context(), tiny, nil))
	requireTiny(t, s)
}

package sqlite

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/dataset"
	"brokerage/internal/store"
	"brokerage/internal/store/storetest"
	"brokerage/internal/testenv"
	"brokerage/internal/tpox"
)

// loads are the two ways to load the dataset tiny, generated or from a source.
var loads = map[string]func(context.Context, *Store, store.Progress) error{
	"Dataset": func(ctx context.Context, s *Store, progress store.Progress) error {
		return s.LoadDataset(ctx, tiny, progress)
	},
	"Batches": func(ctx context.Context, s *Store, progress store.Progress) error {
		_, err := s.LoadBatches(ctx, tinySource(), progress)
		return err
	},
}

// loadingVictim fills the database in args[0] in the way of args[1], and waits to be killed after args[2] batches.
func loadingVictim(args []string) error {
	s, err := Open(context.Background(), args[0], store.Options{})
	if err != nil {
		return err
	}
	waits, err := strconv.Atoi(args[2])
	if err != nil {
		return err
	}
	return loads[args[1]](context.Background(), s, func(int, int64) {
		if waits--; waits == 0 {
			fmt.Println("waiting")
			select {}
		}
	})
}

// A load is killed after its first batch, or after its last, when only the indexes are missing. The database then
// records an unfinished load, and can be loaded again after it was removed.
func TestLoading_Killed(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	for name, last := range map[string]string{"Dataset": "3", "Batches": "9"} { // batches
		for _, batches := range []string{"1", last} {
			t.Run(name+batches, func(t *testing.T) {
				path := filepath.Join(t.TempDir(), "brokerage.db")
				v := startVictim(t, "load", path, name, batches)
				v.requireLine(t, "waiting")
				v.kill()
				s := opened(t, path, store.Options{})
				unready := s.Ready(t.Context())
				require.ErrorAs(t, unready, new(*tpox.Unavailable))
				require.ErrorContains(t, unready, "was not finished: if it is no longer running, run brokerage load --replace")
				contents, err := s.Contents(t.Context())
				require.NoError(t, err)
				require.Zero(t, contents)
				require.NoError(t, s.Close())
				require.NoError(t, Remove(t.Context(), path))
				s = opened(t, path, store.Options{})
				require.NoError(t, loads[name](t.Context(), s, nil))
				requireTiny(t, s)
			})
		}
	}
}

// Statements of a load between groups are interrupted when its context ends, and release the writer.
func TestControl_Context(t *testing.T) {
	s := empty(t)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	const long = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1e8) SELECT count(*) FROM n"
	require.ErrorIs(t, s.control(ctx, long), context.DeadlineExceeded)
	insert(t, s, 1)
}

// tinySource returns the dataset tiny in batches of 300, whatever the kind.
func tinySource() store.Source {
	s := storetest.Source("source-of-"+tiny.Fingerprint(), 300, nil, storetest.Documents(tiny, dataset.Kinds[:]...)...)
	s.Contents = store.ContentsOf(tiny)
	return s
}

// changed returns a document with one text replaced by another.
func changed(t testing.TB, doc []byte, old, replacement string) []byte {
	t.Helper()
	require.Contains(t, string(doc), old)
	return bytes.Replace(doc, []byte(old), []byte(replacement), 1)
}

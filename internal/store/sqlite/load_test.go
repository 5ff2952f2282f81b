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
	"brokerage/internal/tpox"
)

// An interrupted load is reported as not finished, however far it has come, and no load goes into its part.
func TestLoading_Ready(t *testing.T) {
	for name, load := range loads {
		t.Run(name, func(t *testing.T) {
			s := trainedAt(t, filepath.Join(t.TempDir(), "brokerage.db"))
			require.NoError(t, s.Ready(t.Context()), "empty is not unfinished")
			ctx, cancel := context.WithCancel(t.Context())
			require.ErrorIs(t, load(ctx, s, func(int, int64) { cancel() }), context.Canceled)
			requireUnfinished(t, s)
			findings, _ := findingsOf(t, s)
			require.Equal(t, []string{"a load was not finished: load --replace starts it again"}, findings)
			for _, load := range loads {
				require.ErrorContains(t, load(t.Context(), s, nil), "was not finished")
			}
		})
	}
}

func requireUnfinished(t *testing.T, s *Store) {
	t.Helper()
	err := s.Ready(t.Context())
	require.ErrorAs(t, err, new(*tpox.Unavailable))
	require.ErrorContains(t, err, "was not finished: if it does not run any more, run load --replace")
	contents, err := s.Contents(t.Context())
	require.NoError(t, err)
	require.Zero(t, contents)
}

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

func TestLoading_FinishedIsNoWork(t *testing.T) {
	for name, load := range loads {
		t.Run(name, func(t *testing.T) {
			s := trainedAt(t, filepath.Join(t.TempDir(), "brokerage.db"))
			require.NoError(t, load(t.Context(), s, nil))
			state := func() [2]int64 {
				return [2]int64{scan[int64](t, s.reading, "PRAGMA schema_version"), s.writer.groups.Load()}
			}
			before := state()
			for again, load := range loads {
				if again == "Batches" && name == "Dataset" {
					continue // it cannot know that the documents are the same
				}
				require.NoError(t, load(t.Context(), s, func(int, int64) { t.Error("something was loaded") }), again)
			}
			require.Equal(t, before, state(), "no index was made again, and nothing was written")
			requireTiny(t, s)
		})
	}
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

// After a load that was killed at its beginning, or after the last document, when only the indexes are missing, the
// database says so, and is loaded when it was removed.
func TestLoading_Killed(t *testing.T) {
	t.Parallel()
	for name, last := range map[string]string{"Dataset": "3", "Batches": "9"} { // batches
		for _, batches := range []string{"1", last} {
			t.Run(name+batches, func(t *testing.T) {
				path := filepath.Join(t.TempDir(), "brokerage.db")
				v := startVictim(t, "load", path, name, batches)
				v.requireLine(t, "waiting")
				v.kill()
				s := opened(t, path, store.Options{})
				requireUnfinished(t, s)
				require.NoError(t, s.Close())
				require.NoError(t, Remove(t.Context(), path))
				s = opened(t, path, store.Options{})
				require.NoError(t, loads[name](t.Context(), s, nil))
				requireTiny(t, s)
				space, err := s.Space(t.Context())
				require.NoError(t, err)
				for _, k := range dataset.Kinds {
					require.Equal(t, rawBytes(k), space.Raw[k], k)
				}
			})
		}
	}
}

// Statements of a load between groups end with its context, in the queue and in the middle of a statement, and release
// the writer.
func TestControl_Context(t *testing.T) {
	s := empty(t)
	release := hold(t, s)
	defer func() { require.NoError(t, release()) }()
	requireEnds(t, context.Canceled, func(ctx context.Context, cancel func()) error {
		time.AfterFunc(20*time.Millisecond, cancel) // while it waits in the queue
		return s.control(ctx, "PRAGMA user_version")
	})
	require.NoError(t, release())
	requireEnds(t, context.DeadlineExceeded, func(ctx context.Context, _ func()) error {
		ctx, cancel := context.WithTimeout(ctx, 50*time.Millisecond)
		defer cancel()
		return s.control(ctx, "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000000) "+
			"SELECT count(*) FROM n")
	})
	insert(t, s, 1)
}

func TestTrain_Context(t *testing.T) {
	s := empty(t)
	end := make(chan struct{})
	defer close(end)
	requireEnds(t, context.Canceled, func(ctx context.Context, cancel func()) error {
		return s.train(ctx, func(dataset.Kind, int) [][]byte {
			cancel()
			<-end
			return nil
		})
	})
}

// requireEnds requires that do ends with the error of its context before it has finished.
func requireEnds(t testing.TB, want error, do func(ctx context.Context, cancel func()) error) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	done := make(chan error, 1)
	go func() { done <- do(ctx, cancel) }()
	select {
	case err := <-done:
		require.ErrorIs(t, err, want)
	case <-time.After(10 * time.Second):
		require.Fail(t, "it continues although its context has ended")
	}
}

// With samples of columns, every execution of a statement that compares one with a parameter plans it again.
func TestLoad_WithoutSamples(t *testing.T) {
	s := opened(t, filepath.Join(t.TempDir(), "brokerage.db"), store.Options{})
	samples := func() (n int) {
		require.NoError(t, s.reading.QueryRowContext(t.Context(),
			"SELECT count(*) FROM sqlite_schema WHERE name = 'sqlite_stat4'").Scan(&n))
		return n
	}
	require.NoError(t, s.LoadDataset(t.Context(), tiny, nil))
	require.Zero(t, samples(), "after a load")
	require.NoError(t, s.control(t.Context(), "ANALYZE"))
	require.Equal(t, 1, samples(), "SQLite does not take samples")
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

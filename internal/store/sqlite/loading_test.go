package sqlite

import (
	"context"
	"fmt"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/brokerage"
	"brokerage/internal/dataset"
	"brokerage/internal/store/bulk"
)

// An interrupted load is reported as not finished, however far it has come.
func TestLoading_Ready(t *testing.T) {
	for name, load := range loads {
		t.Run(name, func(t *testing.T) {
			s := empty(t)
			require.NoError(t, s.Ready(t.Context()), "empty is not unfinished")
			ctx, cancel := context.WithCancel(t.Context())
			require.ErrorIs(t, load(ctx, s, func(int, int64) { cancel() }), context.Canceled)

			err := s.Ready(t.Context())
			require.ErrorAs(t, err, new(*brokerage.Unavailable))
			require.ErrorContains(t, err, "is not finished: the same load command continues it")
			contents, err := s.Contents(t.Context())
			require.NoError(t, err)
			require.Zero(t, contents)
			unfinished, err := s.Loading(t.Context())
			require.NoError(t, err)
			require.NotEmpty(t, unfinished)
			findings, _ := findingsOf(t, s)
			require.Equal(t, []string{"a load was not finished: the same load command continues it"}, findings)
			for other, load := range loads {
				if other != name {
					require.ErrorContains(t, load(t.Context(), s, nil), "the database holds a part of "+unfinished+" already")
				}
			}

			require.NoError(t, load(t.Context(), s, nil))
			requireTiny(t, s)
		})
	}
}

// loads are the two ways to load the dataset tiny, generated or from a source.
var loads = map[string]func(context.Context, *Store, bulk.Progress) error{
	"Dataset": func(ctx context.Context, s *Store, progress bulk.Progress) error {
		return s.LoadDataset(ctx, tiny, progress)
	},
	"Batches": func(ctx context.Context, s *Store, progress bulk.Progress) error {
		_, err := s.LoadBatches(ctx, tinySource(), progress)
		return err
	},
}

func TestLoading_FinishedIsNoWork(t *testing.T) {
	for name, load := range loads {
		t.Run(name, func(t *testing.T) {
			s := empty(t)
			require.NoError(t, load(t.Context(), s, nil))
			state := func() [2]int64 {
				return [2]int64{scan[int64](t, s.reading, "PRAGMA schema_version"), s.writer.groups.Load()}
			}
			before := state()
			for again, load := range loads {
				if again == "Batches" && name == "Dataset" {
					continue // it cannot know that these are the same documents
				}
				require.NoError(t, load(t.Context(), s, func(int, int64) { t.Error("something was loaded") }), again)
			}
			require.Equal(t, before, state(), "no index was made again, and nothing was written")

			// What is missing at the end is made again.
			require.NoError(t, s.control(t.Context(), "DROP INDEX orders_cash"))
			require.NoError(t, load(t.Context(), s, nil))
			requireTiny(t, s)
		})
	}
}

// loadingVictim fills the database in args[0] in the way of args[1], and waits to be killed after args[2] batches.
func loadingVictim(args []string) error {
	s, err := Open(context.Background(), args[0], Options{})
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

// Killed in the middle, and once more after the last document, where only the indexes are missing, the same load leads
// to the same database.
func TestLoading_Killed(t *testing.T) {
	for name, waits := range map[string][]string{
		"Dataset": {"1", "1", "1"}, // three batches, one after the other
		"Batches": {"4", "4", "1"}, // of nine
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "brokerage.db")
			for _, batches := range waits {
				v := startVictim(t, "load", path, name, batches)
				v.requireLine(t, "waiting")
				v.kill()
				s := opened(t, path, Options{})
				require.ErrorAs(t, s.Ready(t.Context()), new(*brokerage.Unavailable))
				require.NoError(t, s.Close())
			}
			s := opened(t, path, Options{})
			loaded := 0
			require.NoError(t, loads[name](t.Context(), s, func(documents int, _ int64) { loaded += documents }))
			require.Zero(t, loaded, "all of them were there")
			requireTiny(t, s)
			space, err := s.Space(t.Context())
			require.NoError(t, err)
			for _, k := range dataset.Kinds {
				require.Equal(t, rawBytes(k), space.Raw[k], "counted once: %s", k)
			}
		})
	}
}

// What a load does between groups ends with its context, in the queue and in the middle of a statement, and leaves the
// writer to others.
func TestControl_Context(t *testing.T) {
	s := empty(t)
	release := hold(t, s)
	defer func() { require.NoError(t, release()) }()
	requireEnds(t, context.Canceled, func(ctx context.Context, cancel func()) error {
		time.AfterFunc(20*time.Millisecond, cancel) // when it has come to the queue
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

// requireEnds wants do to end with an error of its context although it has not finished.
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

func TestLoad_Refused(t *testing.T) {
	s := tinyStore(t)
	require.NoError(t, s.LoadDataset(t.Context(), tiny, nil), "a finished load is not done again")
	require.ErrorContains(t, s.LoadDataset(t.Context(), scaled("XXXS"), nil), "holds tpox-2/tiny/")
}

func TestLoad_Continues(t *testing.T) {
	d, s := scaled("XXXS"), empty(t)
	ctx, cancel := context.WithCancel(t.Context())
	loadedSoFar := 0
	err := s.LoadDataset(ctx, d, func(documents int, _ int64) {
		if loadedSoFar += documents; loadedSoFar > 30_000 {
			cancel()
		}
	})
	require.ErrorIs(t, err, context.Canceled)
	rest := 0
	require.NoError(t, s.LoadDataset(t.Context(), d, func(documents int, _ int64) { rest += documents }))
	require.Less(t, rest, 75_833-25_000)
	for table, want := range map[string]int{
		"securities": 20_833, "customers": 5_000, "accounts": int(d.TotalAccounts()), "orders": 50_000,
	} {
		require.Equal(t, want, scan[int](t, s.reading, "SELECT count(*) FROM "+table), table)
	}
}

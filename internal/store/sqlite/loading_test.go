package sqlite

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/brokerage"
	"brokerage/internal/dataset"
)

// An interrupted load is reported as not finished, however far it has come.
func TestLoading_Ready(t *testing.T) {
	d := generator(t, "tiny")
	for name, load := range loads {
		t.Run(name, func(t *testing.T) {
			s := empty(t)
			require.NoError(t, s.Ready(t.Context()), "empty is not unfinished")
			ctx, cancel := context.WithCancel(t.Context())
			require.ErrorIs(t, load(ctx, s, d, func(int, int64) { cancel() }), context.Canceled)

			err := s.Ready(t.Context())
			require.ErrorAs(t, err, new(*brokerage.Unavailable))
			require.ErrorContains(t, err, "is not finished: the same load command continues it")
			contents, err := s.Contents(t.Context())
			require.NoError(t, err)
			require.Zero(t, contents)
			unfinished, err := s.Loading(t.Context())
			require.NoError(t, err)
			require.NotEmpty(t, unfinished)
			var findings []string
			_, err = s.Verify(t.Context(), func(finding string) error { findings = append(findings, finding); return nil }, nil)
			require.NoError(t, err)
			require.Equal(t, []string{"a load was not finished: the same load command continues it"}, findings)
			for other, load := range loads {
				if other != name {
					require.ErrorContains(t, load(t.Context(), s, d, nil), "the database holds a part of "+unfinished+" already")
				}
			}

			require.NoError(t, load(t.Context(), s, d, nil))
			requireClean(t, s)
			requireDataset(t, s, d)
		})
	}
}

// loads are the two ways to load, generated or from a source.
var loads = map[string]func(context.Context, *Store, *dataset.Dataset, Progress) error{
	"Dataset": func(ctx context.Context, s *Store, d *dataset.Dataset, progress Progress) error {
		return s.LoadDataset(ctx, d, progress)
	},
	"Batches": func(ctx context.Context, s *Store, d *dataset.Dataset, progress Progress) error {
		_, err := s.LoadBatches(ctx, sourceOf(d), progress)
		return err
	},
}

func TestLoading_FinishedIsNoWork(t *testing.T) {
	d := generator(t, "tiny")
	for name, load := range loads {
		t.Run(name, func(t *testing.T) {
			s := empty(t)
			require.NoError(t, load(t.Context(), s, d, nil))
			state := func() (schema string, commits int64) {
				require.NoError(
					t, s.reading.QueryRowContext(t.Context(), "SELECT schema_version FROM pragma_schema_version").Scan(&schema),
				)
				return schema, s.writer.groups.Load()
			}
			schema, commits := state()
			for again, load := range loads {
				if again == "Batches" && name == "Dataset" {
					continue // it cannot know that these are the same documents
				}
				require.NoError(t, load(t.Context(), s, d, func(int, int64) { t.Error("something was loaded") }), again)
			}
			schemaAfter, commitsAfter := state()
			require.Equal(t, schema, schemaAfter, "no index was made again")
			require.Equal(t, commits, commitsAfter)

			// What is missing at the end is made again.
			require.NoError(t, s.control(t.Context(), "DROP INDEX orders_cash"))
			require.NoError(t, load(t.Context(), s, d, nil))
			requireClean(t, s)
			requireDataset(t, s, d)
		})
	}
}

// victimOfLoad makes the test binary a process that fills the database that the variable names; another says how, and
// behind how many batches it waits to be killed.
const (
	victimOfLoad = "BROKERAGE_TEST_VICTIM_OF_LOAD"
	victimLoads  = "BROKERAGE_TEST_VICTIM_LOADS"
	victimWaits  = "BROKERAGE_TEST_VICTIM_WAITS"
)

func loadVictim(path string) {
	scale, _ := dataset.ParseScale("tiny")
	waits, _ := strconv.Atoi(os.Getenv(victimWaits))
	s, err := Open(context.Background(), path, Options{})
	if err == nil {
		d := dataset.New(dataset.Spec{Scale: scale, Seed: 1})
		err = loads[os.Getenv(victimLoads)](context.Background(), s, d, func(int, int64) {
			if waits--; waits == 0 {
				fmt.Println("waiting")
				select {}
			}
		})
	}
	fmt.Println("ended", err)
	os.Exit(1)
}

// Killed in the middle, and once more behind the last document, where only the
// indexes are missing, the same load leads to the same database.
func TestLoading_Killed(t *testing.T) {
	d := generator(t, "tiny")
	for _, c := range []struct {
		load  string
		waits []int
	}{
		{"Dataset", []int{1, 1, 1}}, // three batches, one after the other
		{"Batches", []int{4, 4, 1}}, // of nine
	} {
		t.Run(c.load, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "brokerage.db")
			for _, waits := range c.waits {
				cmd := exec.CommandContext(t.Context(), os.Args[0])
				cmd.Env = append(os.Environ(), victimOfLoad+"="+path, victimLoads+"="+c.load, victimWaits+"="+strconv.Itoa(waits))
				out, err := cmd.StdoutPipe()
				require.NoError(t, err)
				require.NoError(t, cmd.Start())
				lines := bufio.NewScanner(out)
				require.True(t, lines.Scan())
				require.Equal(t, "waiting", lines.Text())
				require.NoError(t, cmd.Process.Kill())
				_ = cmd.Wait() // killed

				s, err := Open(t.Context(), path, Options{})
				require.NoError(t, err)
				require.ErrorAs(t, s.Ready(t.Context()), new(*brokerage.Unavailable))
				require.NoError(t, s.Close())
			}
			s := opened(t, path, Options{})
			loaded := 0
			require.NoError(t, loads[c.load](t.Context(), s, d, func(documents int, _ int64) { loaded += documents }))
			require.Zero(t, loaded, "all of them were there")
			requireClean(t, s)
			requireDataset(t, s, d)
			space, err := s.Space(t.Context())
			require.NoError(t, err)
			for _, k := range dataset.Kinds {
				raw := int64(0)
				for i := range d.Count(k) {
					raw += int64(len(d.Append(nil, k, i)))
				}
				require.Equal(t, raw, space.Raw[k], "counted once: %s", k)
			}
		})
	}
}

// What a load does between groups ends with its context, in the queue and in the
// middle of a statement, and leaves the writer to others.
func TestControl_Context(t *testing.T) {
	s := empty(t)
	ctx, cancel := cancellable(t)
	release := hold(t, s)
	defer func() { require.NoError(t, release()) }()
	done := make(chan error, 1)
	go func() { done <- s.control(ctx, "PRAGMA user_version") }()
	time.Sleep(20 * time.Millisecond) // for it to come to the queue
	cancel()
	select {
	case err := <-done:
		require.ErrorIs(t, err, context.Canceled)
	case <-time.After(10 * time.Second):
		require.Fail(t, "it waits for the writer although its context has ended")
	}
	require.NoError(t, release())

	ctx, cancel = context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	go func() {
		done <- s.control(
			ctx, "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000000) SELECT count(*) FROM n",
		)
	}()
	select {
	case err := <-done:
		require.ErrorIs(t, err, context.DeadlineExceeded)
	case <-time.After(10 * time.Second):
		t.Error("the statement goes on although its context has ended")
		require.NoError(t, <-done)
	}
	_, err := s.InsertOrder(t.Context(), now(), order(generator(t, "tiny"), 1))
	require.NoError(t, err)
}

func TestTrain_Context(t *testing.T) {
	s := empty(t)
	ctx, cancel := cancellable(t)
	begun, end := make(chan struct{}, len(dataset.Kinds)), make(chan struct{})
	defer close(end)
	done := make(chan error, 1)
	go func() {
		done <- s.train(ctx, func(dataset.Kind, int) [][]byte {
			begun <- struct{}{}
			<-end
			return nil
		})
	}()
	<-begun
	cancel()
	select {
	case err := <-done:
		require.ErrorIs(t, err, context.Canceled)
	case <-time.After(10 * time.Second):
		require.Fail(t, "it goes on training although its context has ended")
	}
}

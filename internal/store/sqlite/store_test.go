package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/chaostest"
	"brokerage/internal/dataset"
	"brokerage/internal/store"
	"brokerage/internal/store/storetest"
	"brokerage/internal/testenv"
	"brokerage/internal/tpox"
)

func TestStore(t *testing.T) {
	storetest.Run(t, storetest.Options{
		Parallel: true,
		Open: func(t testing.TB, _ *dataset.Dataset, rules tpox.Rules) tpox.Store {
			return reopened(t, tinyDatabase(t), store.Options{Rules: rules})
		},
		Reopen: func(t testing.TB, s tpox.Store) tpox.Store {
			require.NoError(t, s.Close())
			options := s.(*Store).options
			options.Uncompressed = true // it affects new documents only
			return reopened(t, s.(*Store).path, options)
		},
		RaiseLeases: func(t testing.TB, s tpox.Store, next int64) {
			require.NoError(t, s.(*Store).control(t.Context(), fmt.Sprintf("UPDATE leases SET next = %d", next)))
		},
	})
}

// reopened opens a store that a case may close itself.
func reopened(t testing.TB, path string, options store.Options) *Store {
	t.Helper()
	s, err := Open(context.Background(), path, options)
	require.NoError(t, err)
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// With connections cut at random and the service restarted, each trade takes effect once.
func TestOnce_Cut(t *testing.T) {
	testenv.Long(t)
	path := tinyDatabase(t)
	chaostest.Once(t, chaostest.Database{
		Generator: tiny,
		Open:      func(t testing.TB) tpox.Store { return opened(t, path, store.Options{}) },
	})
	requireClean(t, opened(t, path, store.Options{}))
}

// No statement scans a table; the search and the largest order use covering indexes. There is no sqlite_stat4, with
// which some statements would be planned again at each execution (see endLoad).
func TestStatements_Plans(t *testing.T) {
	s := tinyStore(t)
	require.Zero(t, scan[int](t, s.reading, "SELECT count(*) FROM sqlite_schema WHERE name = 'sqlite_stat4'"))
	require.NotEmpty(t, statementTexts)
	covering := map[string][]string{
		"search_securities": {"COVERING INDEX securities_search (sector=? AND pe>? AND pe<?)"},
		"customer_max_order": {
			"SEARCH o USING COVERING INDEX orders_cash (account=? AND cash=?)",
			"SEARCH own USING COVERING INDEX accounts_customer (customer=?)",
		},
	}
	for name, text := range statementTexts {
		t.Run(name, func(t *testing.T) {
			var plan strings.Builder
			parameters := make([]any, strings.Count(text, "?")) // or more, if one is used twice
			require.NoError(t, eachRow(t.Context(), s.reading, "EXPLAIN QUERY PLAN "+text, parameters,
				func(rows *sql.Rows) error {
					var step string
					err := rows.Scan(new(int), new(int), new(int), &step)
					require.False(t, strings.HasPrefix(step, "SCAN") && step != "SCAN CONSTANT ROW", step)
					fmt.Fprintln(&plan, step)
					return err
				}))
			for _, step := range covering[name] {
				require.Contains(t, plan.String(), step)
			}
		})
	}
}

// A store whose opening fails late leaves neither a lock nor a connection.
func TestOpen_Fails(t *testing.T) {
	for name, damage := range map[string]string{
		"Statement":  "ALTER TABLE orders RENAME COLUMN cash TO money",
		"Dictionary": "INSERT INTO dictionaries (kind, body) VALUES ('order', x'00')",
	} {
		t.Run(name, func(t *testing.T) {
			path := newTarget(t).path
			execute(t, path, damage)
			_, err := Open(t.Context(), path, store.Options{})
			require.Error(t, err)
			require.NoFileExists(t, path+"-wal", "no connection is left")
			lock, err := lockDatabase(path, false)
			require.NoError(t, err)
			require.NoError(t, lock.Close())
		})
	}
}

func TestOpen_OddNames(t *testing.T) {
	for _, name := range []string{"with space.db", "per%20cent.db", "häß#.db"} {
		path := filepath.Join(t.TempDir(), name)
		opened(t, path, store.Options{})
		require.FileExists(t, path, "the file has the name that was asked for")
	}
}

// Kept answers are removed after they have expired, a few at a time, by the clock of the writes.
func TestStore_ForgetsAnswers(t *testing.T) {
	s := empty(t)
	begin := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	id := int64(1000)
	insert := func(after, keep time.Duration) {
		t.Helper()
		id++
		w := tpox.Write{Now: begin.Add(after)}
		w.Once = &tpox.Once{Client: "c", Key: fmt.Sprint(id), Expires: w.Now.Add(keep)}
		require.NoError(t, errOf(s.InsertOrder(t.Context(), w, order(id))))
	}
	requireKept := func(want int, why string) {
		t.Helper()
		require.Equal(t, want, scan[int](t, s.reading, "SELECT count(*) FROM answers"), why)
	}
	insert(0, time.Hour)
	const short = 2*purgeRows + 10
	for range short {
		insert(0, 10*time.Second)
	}
	insert(30*time.Second, time.Hour)
	requireKept(short+2, "expired, but it is too early to look")
	insert(purgeEvery, time.Hour)
	requireKept(short+3-purgeRows, "no more than is quick")
	insert(purgeEvery, time.Hour)
	requireKept(short+4-2*purgeRows, "the rest is not left for a minute")
	insert(purgeEvery, time.Second)
	requireKept(5, "the others have not expired")
	insert(2*purgeEvery, time.Hour)
	requireKept(5, "one more and one less")
	insert(0, time.Hour)
	requireKept(6, "a clock that was put back")
}

package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/chaostest"
	"brokerage/internal/dataset"
	"brokerage/internal/store"
	"brokerage/internal/store/storetest"
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

// With connections cut at random and the service restarted, each trade counts once.
func TestOnce_Cut(t *testing.T) {
	path := tinyDatabase(t)
	chaostest.Once(t, chaostest.Database{
		Generator: tiny,
		Open:      func(t testing.TB) tpox.Store { return opened(t, path, store.Options{}) },
	})
	requireClean(t, opened(t, path, store.Options{}))
}

// Every statement uses an index; the search uses a covering one.
func TestStatements_Plans(t *testing.T) {
	s := tinyStore(t)
	require.NotEmpty(t, statementTexts)
	var sources strings.Builder
	files, err := filepath.Glob("*.go")
	require.NoError(t, err)
	for _, file := range files {
		sources.Write(readFile(t, file))
	}
	for name, text := range statementTexts {
		t.Run(name, func(t *testing.T) {
			declaration := regexp.MustCompile(`&statement\{\s*name: "` + name + `"`)
			require.Len(t, declaration.FindAllString(sources.String(), -1), 1, "who uses it declares it")
			var plan []string
			parameters := make([]any, strings.Count(text, "?")) // or more, if one is used twice
			require.NoError(t, eachRow(t.Context(), s.reading, "EXPLAIN QUERY PLAN "+text, parameters,
				func(rows *sql.Rows) error {
					plan = append(plan, "")
					return rows.Scan(new(int), new(int), new(int), &plan[len(plan)-1])
				}))
			for _, step := range plan {
				require.False(t, strings.HasPrefix(step, "SCAN") && step != "SCAN CONSTANT ROW", "%s", plan)
			}
			if name == "search_securities" {
				require.Contains(t, plan[0], "COVERING INDEX securities_search (sector=? AND pe>? AND pe<?)")
			}
			if name == "customer_max_order" {
				all := strings.Join(plan, "\n") // it reads a page of documents only for the answer
				require.Contains(t, all, "SEARCH o USING COVERING INDEX orders_cash (account=? AND cash=?)")
				require.Contains(t, all, "SEARCH own USING COVERING INDEX accounts_customer (customer=?)")
			}
		})
	}
}

func TestOpen_FailedLeavesNoLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "brokerage.db")
	emptyAt(t, path)
	good := readFile(t, path)
	for name, damage := range map[string]string{
		"Version":    "UPDATE settings SET value = '99' WHERE name = 'schema.version'",
		"Table":      "DROP TABLE settings",
		"Statement":  "ALTER TABLE orders RENAME COLUMN cash TO money",
		"Dictionary": "INSERT INTO dictionaries (kind, body) VALUES ('order', x'00')",
	} {
		t.Run(name, func(t *testing.T) {
			writeFile(t, path, good)
			execute(t, path, damage)
			_, err := Open(t.Context(), path, store.Options{})
			require.Error(t, err)
			_, again := Open(t.Context(), path, store.Options{})
			require.EqualError(t, again, err.Error())
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
	next := int64(1000)
	insert := func(now time.Time, key string, keep time.Duration) {
		t.Helper()
		next++
		_, err := s.InsertOrder(t.Context(), tpox.Write{
			Now: now, Once: &tpox.Once{Client: "c", Key: key, Expires: now.Add(keep)},
		}, order(next))
		require.NoError(t, err)
	}
	requireKept := func(want int, why string) {
		t.Helper()
		require.Equal(t, want, scan[int](t, s.reading, "SELECT count(*) FROM answers"), why)
	}
	insert(begin, "long", time.Hour)
	const short = 2*purgeRows + 10
	for i := range short {
		insert(begin, fmt.Sprint("short-", i), 10*time.Second)
	}
	insert(begin.Add(30*time.Second), "between", time.Hour)
	requireKept(short+2, "expired, but it is too early to look")

	minute := begin.Add(purgeEvery)
	insert(minute, "minute-0", time.Hour)
	requireKept(short+3-purgeRows, "no more than is quick")
	insert(minute, "minute-1", time.Hour)
	requireKept(short+4-2*purgeRows, "the rest is not left for a minute")
	insert(minute, "minute-2", time.Hour)
	requireKept(5, "the others have not expired")
	insert(minute, "long", time.Hour)
	requireNoOrder(t, s, next) // the kept answer was returned

	insert(minute, "brief", time.Second)
	insert(minute.Add(59*time.Second), "minute-3", time.Hour)
	requireKept(7, "too early again")
	insert(minute.Add(60*time.Second), "minute-4", time.Hour)
	requireKept(7, "one more and one less")
	insert(begin, "back", time.Hour)
	requireKept(8, "a clock that was put back")
}

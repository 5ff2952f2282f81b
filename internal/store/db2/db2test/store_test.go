//go:build db2

package db2test_test

import (
	"database/sql"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	ibm "github.com/ibmdb/go_ibm_db"
	"github.com/stretchr/testify/require"

	"brokerage/internal/chaostest"
	"brokerage/internal/dataset"
	"brokerage/internal/store/db2"
	"brokerage/internal/store/db2/db2test"
	"brokerage/internal/store/storetest"
	"brokerage/internal/tpox"
)

// few is a dataset that the stand-in can load quickly.
var few = sync.OnceValue(func() *dataset.Dataset {
	return dataset.NewOf(1, dataset.Counts{Securities: 40, Customers: 24, Orders: 80})
})

var loaded struct {
	sync.Mutex
	bench *db2test.Bench
}

// onBench returns a database of the stand-in with the dataset few.
func onBench(t testing.TB) *db2test.Bench {
	t.Helper()
	loaded.Lock()
	defer loaded.Unlock()
	if loaded.bench == nil {
		b := db2test.Start(t)
		s := open(t, b.URL(), db2.Options{})
		require.NoError(t, s.LoadDataset(t.Context(), few(), nil))
		require.NoError(t, s.Close())
		loaded.bench = b
	}
	return loaded.bench.Clone(t)
}

// open opens the store as the service does.
func open(t testing.TB, url string, settings db2.Options) *db2.Store {
	t.Helper()
	s, err := db2.Open(t.Context(), url, settings)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

// The suite that every store passes, on the stand-in: none of it was run on Db2 itself.
func TestStore(t *testing.T) {
	type opened struct {
		bench    *db2test.Bench
		settings db2.Options
	}
	stores := make(map[tpox.Store]opened)
	openAs := func(t testing.TB, o opened) tpox.Store {
		s := open(t, o.bench.URL(), o.settings)
		stores[s] = o
		return s
	}
	storetest.Run(t, storetest.Options{
		Dataset: few(),
		Open: func(t testing.TB, _ *dataset.Dataset, rules tpox.Rules) tpox.Store {
			return openAs(t, opened{onBench(t), db2.Options{Rules: rules, Pool: 8}})
		},
		Reopen: func(t testing.TB, s tpox.Store) tpox.Store {
			require.NoError(t, s.Close())
			return openAs(t, stores[s])
		},
		RaiseLeases: func(t testing.TB, s tpox.Store, next int64) {
			db, err := sql.Open("go_ibm_db", stores[s].bench.DSN())
			require.NoError(t, err)
			_, err = db.ExecContext(t.Context(), "UPDATE leases SET next_id = CAST(? AS BIGINT)", next)
			require.NoError(t, err)
			require.NoError(t, db.Close())
		},
	})
}

// Empty removes the documents, and the same load restores them.
func TestEmpty(t *testing.T) {
	s := open(t, onBench(t).URL(), db2.Options{Pool: 4})
	order := tpox.ID(few().ID(dataset.Order, 1))
	_, err := s.GetOrder(t.Context(), order)
	require.NoError(t, err)
	require.NoError(t, s.Empty(t.Context()))
	require.NoError(t, s.Ready(t.Context()))
	var missing *tpox.NotFound
	_, err = s.GetOrder(t.Context(), order)
	require.ErrorAs(t, err, &missing)
	require.NoError(t, s.LoadDataset(t.Context(), few(), nil))
	_, err = s.GetOrder(t.Context(), order)
	require.NoError(t, err)
}

// handles returns how many handles of the client library the driver holds, which no garbage collector frees.
func handles(t testing.TB) (connections, statements int) {
	t.Helper()
	db, err := sql.Open("go_ibm_db", "")
	require.NoError(t, err)
	require.NoError(t, db.Close())
	d, ok := db.Driver().(*ibm.Driver)
	require.True(t, ok)
	return d.ConnCount, d.StmtCount
}

// A closed store leaves no handle of the client library open, even after failures, lock timeouts or cut connections.
func TestHandles(t *testing.T) {
	b := onBench(t)
	before, statementsBefore := handles(t)
	s := open(t, b.URL(), db2.Options{Pool: 4})
	account, symbol := tpox.ID(few().FirstAccount(3)), few().Symbol(3)
	w := tpox.Write{Now: time.Now()}
	trade := tpox.Trade{Side: tpox.Buy, Symbol: symbol, Quantity: "1", Now: w.Now}
	work := func() {
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				// Each call may fail.
				_, _ = s.GetOrder(t.Context(), tpox.ID(few().ID(dataset.Order, 1)))
				_, _ = s.Trade(t.Context(), w, account, trade)
				_, _ = s.InsertOrder(t.Context(), w, few().Append(nil, dataset.Order, 1)) // the order exists
				_ = s.DeleteOrder(t.Context(), w, 1)                                      // the order does not exist
			})
		}
		all.Wait()
	}
	for range 3 {
		work()
		cutting := time.AfterFunc(20*time.Millisecond, func() { b.Cut() })
		work()
		cutting.Stop()
	}
	statements, err := filepath.Glob(filepath.Join("..", "sql", "*.sql"))
	require.NoError(t, err)
	connections, opened := handles(t)
	require.LessOrEqual(t, connections-before, 4)
	require.LessOrEqual(t, opened-statementsBefore, 4*len(statements))
	require.NoError(t, s.Close())
	connections, opened = handles(t)
	require.Equal(t, before, connections, "connections stay")
	require.Equal(t, statementsBefore, opened, "statements stay")
}

// Two instances on one database of the stand-in, with connections cut at random and one instance restarted: each trade
// takes effect once.
func TestOnce_Cut(t *testing.T) {
	b := onBench(t)
	link := chaostest.NewProxy(t, "tcp", b.Address())
	chaostest.Once(t, chaostest.Database{
		Generator: few(),
		Link:      link,
		Writes:    40,
		Open: func(t testing.TB) tpox.Store {
			s, err := db2.Open(t.Context(), b.URLAt(link.Addr().String()), db2.Options{Pool: 8})
			require.NoError(t, err)
			return s
		},
	})
	find := func(finding string) error { t.Error(finding); return nil }
	v, err := open(t, b.URL(), db2.Options{}).Verify(t.Context(), find, func(int64) {})
	require.NoError(t, err)
	require.Zero(t, v.Findings)
	require.NotZero(t, v.Documents[dataset.Customer])
}

// The query for pages runs through the real driver. The stand-in has no buffer pools, but invented figures for them.
func TestStats_Pages(t *testing.T) {
	s := open(t, onBench(t).URL(), db2.Options{})
	require.Eventually(t, func() bool {
		stats := s.Stats()
		return stats.PageHits == 1505 && stats.PageMisses == 102
	}, time.Minute, 10*time.Millisecond)
}

// Verify reads documents of more than a megabyte, which nothing but the limit of a request keeps out of a database.
func TestVerify_LongDocument(t *testing.T) {
	s := open(t, onBench(t).URL(), db2.Options{})
	doc := string(few().Append(nil, dataset.Security, 0))
	at := strings.Index(doc, "Summary>")
	require.Positive(t, at, "the document has no text to make longer")
	at += len("Summary>")
	long := strings.Repeat("long ", 1<<17) // the validator takes no longer text
	doc = doc[:at] + long + "<CEO>N. N.</CEO>" + long + doc[at:]
	w := tpox.Write{Now: time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)}
	require.NoError(t, s.ReplaceSecurity(t.Context(), w, few().Symbol(0), []byte(doc), true, nil))
	find := func(finding string) error { t.Error(finding); return nil }
	v, err := s.Verify(t.Context(), find, func(int64) {})
	require.NoError(t, err)
	require.Equal(t, few().Count(dataset.Security), v.Documents[dataset.Security])
}

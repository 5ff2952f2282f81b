//go:build db2

package db2

import (
	"database/sql"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	ibm "github.com/ibmdb/go_ibm_db"

	"brokerage/internal/dataset"
	"brokerage/internal/tpox"
)

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

// None of the client library's handles stays open after failures, timeouts of locks, or cut connections.
func TestHandles(t *testing.T) {
	b := onBench(t)
	before, statementsBefore := handles(t)
	s := openBench(t, b, Options{Pool: 4})
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
	connections, open := handles(t)
	require.LessOrEqual(t, connections-before, 4)
	require.LessOrEqual(t, open-statementsBefore, 4*len(statements))
	require.NoError(t, s.Close())
	connections, open = handles(t)
	require.Equal(t, before, connections, "connections stay")
	require.Equal(t, statementsBefore, open, "statements stay")
}

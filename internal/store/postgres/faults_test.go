package postgres

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"brokerage/internal/dataset"
	"brokerage/internal/store/postgres/pgtest"
	"brokerage/internal/store/storetest"
	"brokerage/internal/testenv"
	"brokerage/internal/tpox"
)

// Each of the 17 transactions waits for a lock while its backend is terminated, and still succeeds exactly once:
// nothing of it can have been committed before.
func TestTerminated_InEachTransaction(t *testing.T) {
	testenv.Long(t)
	s, d, server, database := tiny(t)
	// A connection of its own, and no transaction: pg_stat_activity does not change within one.
	admin := server.Connect(t, database)
	for _, call := range storetest.Calls(t, s, d) {
		t.Run(call.Name, func(t *testing.T) {
			release := lockedDocuments(t, server, database)
			before := s.retries.Load()
			done := make(chan error, 1)
			go func() { done <- call.Do(t.Context()) }()
			first := waiting(t, admin, database, 0)
			exec(t, admin, "SELECT pg_terminate_backend($1)", first)
			waiting(t, admin, database, first) // another connection has reached the same statement
			release()
			require.NoError(t, <-done)
			require.Greater(t, s.retries.Load(), before)
		})
	}
	// A sale that was done twice would have been refused above: the account holds too little for two.
	require.Empty(t, verified(t, s))
}

// waiting returns a backend of the service, but not the given one, that waits for a lock.
func waiting(t testing.TB, q querier, database string, but int32) (pid int32) {
	t.Helper()
	eventually(t, func() bool {
		pid = value[int32](t, q, `SELECT coalesce(max(pid), 0) FROM pg_stat_activity WHERE datname = $1
			AND application_name = 'brokerage' AND wait_event_type = 'Lock' AND pid <> $2`, database, but)
		return pid != 0
	})
	return pid
}

// A timeout of the server, and a cancelled request, end a statement in the server: its session becomes idle, nothing
// was changed, and the call succeeds later.
func TestServer_StatementEnds(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	_, d, server, database := tiny(t)
	calls := storetest.Calls(t, opened(t, server.URL(database)+"&statement_timeout=100", Options{}), d)
	release := lockedDocuments(t, server, database)
	for _, call := range calls {
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		require.ErrorIs(t, call.Do(ctx), context.DeadlineExceeded, call.Name)
		cancel()
		u, ok := errors.AsType[*tpox.Unavailable](call.Do(t.Context()))
		require.True(t, ok && !u.Unknown, call.Name)
	}
	admin := server.Connect(t, database) // without a transaction, as in TestTerminated_InEachTransaction
	eventually(t, func() bool {
		return value[int](t, admin, `SELECT count(*) FROM pg_stat_activity
			WHERE datname = $1 AND application_name = 'brokerage' AND state <> 'idle'`, database) == 0
	})
	release()
	for _, call := range calls { // on a busy machine, several attempts may be needed
		require.EventuallyWithT(t, func(c *assert.CollectT) {
			assert.NoError(c, call.Do(t.Context()), call.Name)
		}, time.Minute, time.Millisecond)
	}
}

// Two customers swap accounts at once, many times: one of the two replacements is refused or waits, and neither
// deadlocks.
func TestAccounts_Swapped(t *testing.T) {
	s, d, _, _ := tiny(t)
	accounts := [...]int64{620_000_000_001, 620_000_000_002}
	insertCustomer(t, s, customer(d, 1, accounts[0]))
	insertCustomer(t, s, customer(d, 2, accounts[1]))
	require.NoError(t, storetest.Together(16, func(i int) error {
		for n := range 20 {
			id := int64(1 + (i+n)%2)
			doc := customer(d, id, accounts[(i+n/2)%2])
			err := s.ReplaceCustomer(t.Context(), now(), tpox.ID(id), doc, true, nil)
			if err != nil && !tpox.Is[*tpox.Conflict](err) {
				return err
			}
		}
		return nil
	}))
	require.Zero(t, s.retries.Load())
	require.Empty(t, verified(t, s))
}

// A bit of a table is flipped on a server with checksums: orders on that page are refused, all others are returned, and
// verify reports it.
func TestDamage(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	server := pgtest.Start(t)
	d := generator(t)
	url := server.URL(server.Database(t))
	s := opened(t, url, Options{})
	require.NoError(t, s.LoadDataset(t.Context(), d, nil))
	want := make(map[tpox.ID]string)
	for i := range d.Count(dataset.Order) {
		got, err := s.GetOrder(t.Context(), orderID(d, i))
		require.NoError(t, err)
		want[orderID(d, i)] = string(got)
	}
	exec(t, s.pool, "CHECKPOINT")
	file := value[string](t, s.pool, "SELECT pg_relation_filepath('brokerage.orders')")
	size := value[int64](t, s.pool, "SELECT pg_relation_size('brokerage.orders')")
	require.NoError(t, s.Close())
	server.Halt(t)
	server.FlipBit(t, file, rand.Int64N(size*8))
	server.Again(t)

	s = opened(t, url, Options{})
	refused := 0
	for id, want := range want {
		got, err := s.GetOrder(t.Context(), id)
		if tpox.Is[*tpox.Damaged](err) {
			refused++
			continue
		}
		require.NoError(t, err)
		require.Equal(t, want, string(got))
	}
	require.Positive(t, refused)
	require.Less(t, refused, 100, "a page")
	findings := verified(t, s)
	require.Len(t, findings, 1)
	require.Contains(t, findings[0], "stored data is damaged, and the rest was not read")
}

package postgres

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"brokerage/internal/dataset"
	"brokerage/internal/store/postgres/pgtest"
	"brokerage/internal/store/storetest"
	"brokerage/internal/tpox"
)

// Each of the 17 transactions waits for a lock while its backend is terminated, and still succeeds exactly once:
// nothing of it can have been committed before.
func TestTerminated_InEachTransaction(t *testing.T) {
	s, d, server, database := tiny(t)
	// A connection of its own, and no transaction: pg_stat_activity does not change within one.
	admin := server.Connect(t, database)
	for _, call := range storetest.Calls(t, s, d) {
		t.Run(call.Name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
			defer cancel()
			_, release := lockedDocuments(t, server, database)
			before := s.retries.Load()
			done := make(chan error, 1)
			go func() { done <- call.Do(ctx) }()
			first := waiting(ctx, t, admin, database, 0)
			require.NoError(t, errOf(admin.Exec(ctx, "SELECT pg_terminate_backend($1)", first)))
			waiting(ctx, t, admin, database, first) // another connection has reached the same statement
			release()
			require.NoError(t, <-done)
			require.Greater(t, s.retries.Load(), before)
		})
	}
	// A sale that was done twice would have been refused above: the account holds less than that.
	require.Empty(t, verified(t, s))
}

// waiting returns the backend of the service that waits for a lock.
func waiting(ctx context.Context, t testing.TB, q querier, database string, but int32) (pid int32) {
	t.Helper()
	for {
		err := q.QueryRow(ctx, `SELECT pid FROM pg_stat_activity
			WHERE datname = $1 AND application_name = 'brokerage' AND wait_event_type = 'Lock' AND pid <> $2`,
			database, but).Scan(&pid)
		if err == nil {
			return pid
		}
		require.ErrorIs(t, err, pgx.ErrNoRows)
		time.Sleep(time.Millisecond)
	}
}

// The outcomes of a write for a client.
const (
	done = iota
	refused
	unknown
)

// promises are the outcomes that clients received for their writes.
type promises struct {
	sync.Mutex
	orders [3][]tpox.ID // by outcome
	bought [3]int64     // shares
}

// hammer lets clients insert orders and trade, until stop is closed.
func hammer(t testing.TB, s *Store, d *dataset.Dataset, clients int, stop <-chan struct{}) *promises {
	t.Helper()
	var p promises
	var next atomic.Int64
	var all sync.WaitGroup
	stopped := func() bool {
		select {
		case <-stop:
			return true
		default:
			return false
		}
	}
	for c := range clients {
		all.Go(func() {
			for !stopped() {
				ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
				id := tpox.ID(700_000_000_000 + next.Add(1))
				_, err := s.InsertOrder(ctx, now(), order(d, int64(id)))
				_, failed := s.Trade(ctx, now(), tpox.ID(d.FirstAccount(int64(c%4))), buy(d.Symbol(0)))
				cancel()
				placed, traded := outcome(t, err), outcome(t, failed)
				p.Lock()
				p.orders[placed] = append(p.orders[placed], id)
				p.bought[traded]++
				p.Unlock()
			}
		})
	}
	all.Wait()
	return &p
}

func outcome(t testing.TB, err error) int {
	u, ok := errors.AsType[*tpox.Unavailable](err)
	switch {
	case err == nil:
		return done
	case ok && !u.Unknown:
		return refused
	case !ok && !errors.Is(err, context.DeadlineExceeded):
		t.Errorf("a write: %v", err)
	}
	return unknown
}

// settled compares the outcomes with the content of the database.
func (p *promises) settled(t testing.TB, s *Store, held int64) {
	t.Helper()
	for outcome, there := range map[int]bool{done: true, refused: false} {
		for _, id := range p.orders[outcome] {
			_, err := s.GetOrder(t.Context(), id)
			require.Equal(t, there, err == nil, "order %d, %v", id, err)
			require.Equal(t, !there, tpox.Is[*tpox.NotFound](err), "order %d, %v", id, err)
		}
	}
	bought := sharesOf(t, s) - held
	require.GreaterOrEqual(t, bought, p.bought[done], "acknowledged trades were lost")
	require.LessOrEqual(t, bought, p.bought[done]+p.bought[unknown], "trades were done twice")
	t.Logf("orders: %d acknowledged, %d refused, %d unknown; trades: %d acknowledged, %d unknown; %d retries",
		len(p.orders[done]), len(p.orders[refused]), len(p.orders[unknown]), p.bought[done], p.bought[unknown],
		s.retries.Load())
	require.NotEmpty(t, p.orders[done])
	require.NotZero(t, p.bought[done])
}

// sharesOf returns the total quantity of the first symbol in all accounts.
func sharesOf(t testing.TB, s *Store) int64 {
	t.Helper()
	return value[int64](t, s.pool, `SELECT coalesce(sum(p.quantity), 0)::numeric(20, 3)::bigint FROM brokerage.customers,
		XMLTABLE(XMLNAMESPACES('http://tpox-benchmark.com/custacc' AS c), '//c:Position' PASSING doc
			COLUMNS symbol text PATH 'c:Symbol', quantity numeric PATH 'c:Quantity') AS p
		WHERE p.symbol = $1`, generator(t, "tiny").Symbol(0))
}

// Backends are terminated at random while 64 clients write: every acknowledged write is there, no refused one is, and
// none is done twice.
func TestTerminated_AtRandom(t *testing.T) {
	s, d, server, database := tiny(t)
	held := sharesOf(t, s)
	admin := server.Connect(t, database)
	stop := make(chan struct{})
	go func() {
		defer close(stop)
		for range 40 {
			time.Sleep(time.Duration(rand.IntN(60)) * time.Millisecond)
			_, err := admin.Exec(context.Background(), `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
				WHERE datname = $1 AND application_name = 'brokerage' AND random() < 0.3`, database)
			if err != nil {
				t.Errorf("terminating: %v", err)
			}
		}
	}()
	hammer(t, s, d, 64, stop).settled(t, s, held)
}

// The server is stopped, in an orderly way and like a crash, and restarted.
func TestServer_RestartsUnderLoad(t *testing.T) {
	t.Parallel()
	server := pgtest.Start(t, "synchronous_commit=on", "full_page_writes=on")
	d := generator(t, "tiny")
	s := opened(t, server.URL(server.Database(t)), Options{})
	require.NoError(t, s.LoadDataset(t.Context(), d, nil))
	held := sharesOf(t, s)
	stop := make(chan struct{})
	go func() {
		defer close(stop)
		for _, mode := range []string{"fast", "immediate"} {
			time.Sleep(500 * time.Millisecond)
			server.Restart(t, mode)
		}
		time.Sleep(500 * time.Millisecond)
	}()
	hammer(t, s, d, 16, stop).settled(t, s, held)
	require.NoError(t, s.Ready(t.Context()))
}

// A timeout of the server ends a statement; the error is the store's, not the driver's, and nothing was changed.
func TestServer_StatementTimeout(t *testing.T) {
	t.Parallel()
	_, d, server, database := tiny(t)
	s := opened(t, server.URL(database)+"&statement_timeout=100", Options{})
	calls := storetest.Calls(t, s, d)
	_, release := lockedDocuments(t, server, database)
	for _, call := range calls {
		u, ok := errors.AsType[*tpox.Unavailable](call.Do(t.Context()))
		require.True(t, ok && !u.Unknown, call.Name)
	}
	release()
	for _, call := range calls { // on a busy machine, several attempts may be needed
		require.EventuallyWithT(t, func(c *assert.CollectT) {
			assert.NoError(c, call.Do(t.Context()), call.Name)
		}, time.Minute, time.Millisecond)
	}
}

// A cancelled request ends its statement in the server, and the connection stays in use.
func TestServer_CancelledRequest(t *testing.T) {
	t.Parallel()
	s, d, server, database := tiny(t)
	calls := storetest.Calls(t, s, d)
	lock, _ := lockedDocuments(t, server, database)
	for _, call := range calls {
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		require.ErrorIs(t, call.Do(ctx), context.DeadlineExceeded, call.Name)
		cancel()
	}
	require.Eventually(t, func() bool {
		return value[int](t, lock, `SELECT count(*) FROM pg_stat_activity
			WHERE datname = $1 AND application_name = 'brokerage' AND state <> 'idle'`, database) == 0
	}, 20*time.Second, 10*time.Millisecond)
}

// The server has no free connection: the store waits for one until the deadline of the request, and then reports it.
func TestServer_ConnectionsAreUsedUp(t *testing.T) {
	t.Parallel()
	server := pgtest.Start(t, "max_connections=8", "superuser_reserved_connections=2")
	server.Exec(t, "postgres", "CREATE ROLE app LOGIN")
	server.Exec(t, "postgres", "CREATE DATABASE app OWNER app TEMPLATE template0")
	d := generator(t, "tiny")
	s := opened(t, server.URLOf("app", "app"), Options{Pool: 64})
	require.NoError(t, s.LoadDataset(t.Context(), d, nil))

	// More clients than there are connections: all are served.
	require.NoError(t, storetest.Together(40, func(i int) error {
		_, err := s.InsertOrder(t.Context(), now(), order(d, int64(800_000_000_000+i)))
		return err
	}))

	s.pool.Reset()
	var others []*pgx.Conn
	require.Eventually(t, func() bool { // the server ends the store's own connections one after another
		if conn, err := pgx.Connect(t.Context(), server.URLOf("app", "app")); err == nil {
			others = append(others, conn)
		}
		return len(others) == 6 // max_connections without those of superusers
	}, time.Minute, time.Millisecond)
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	_, err := s.GetOrder(ctx, orderID(d, 0))
	require.True(t, tpox.Is[*tpox.Unavailable](err) || errors.Is(err, context.DeadlineExceeded), "%v", err)
	for _, conn := range others {
		require.NoError(t, conn.Close(t.Context()))
	}
	require.NoError(t, errOf(s.GetOrder(t.Context(), orderID(d, 0))))
}

// Of 64 clients that open one account among several, exactly one succeeds, and there is no deadlock although each names
// the accounts in a different order.
func TestAccounts_OneOf64Wins(t *testing.T) {
	s, d, _, _ := tiny(t)
	for round := range int64(5) {
		wanted := []int64{600_000_000_001 + 10*round, 600_000_000_002 + 10*round, 600_000_000_003 + 10*round}
		var won atomic.Int64
		require.NoError(t, storetest.Together(64, func(i int) error {
			accounts := []int64{wanted[i%3], wanted[(i+1)%3], wanted[(i+2)%3]}
			if i%2 == 1 {
				accounts[0], accounts[2] = accounts[2], accounts[0]
			}
			doc := customer(d, 610_000_000_000+1000*round+int64(i), accounts...)
			_, err := s.InsertCustomer(t.Context(), now(), doc, true)
			if conflict, ok := errors.AsType[*tpox.Conflict](err); ok && conflict.Reason == tpox.AccountExists {
				return nil
			}
			won.Add(1)
			return err
		}))
		require.Equal(t, int64(1), won.Load())
	}
	require.Zero(t, s.retries.Load())
	require.Empty(t, verified(t, s))
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

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

	"brokerage/internal/brokerage"
	"brokerage/internal/dataset"
	"brokerage/internal/store/postgres/pgtest"
	"brokerage/internal/store/storetest"
)

// Each of the 17 is stopped at a lock, its backend is terminated there, and it is done all the same, once: nothing of
// it can have been committed.
func TestTerminated_InEachTransaction(t *testing.T) {
	s, d, server, database := tiny(t)
	// Who looks is not in a transaction, which would see the same picture forever.
	locker, admin := server.Connect(t, database), server.Connect(t, database)
	t.Cleanup(func() { _, _ = locker.Close(context.Background()), admin.Close(context.Background()) })
	for _, call := range storetest.Calls(t, s, d) {
		t.Run(call.Name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
			defer cancel()
			lock, err := locker.Begin(ctx)
			require.NoError(t, err)
			defer func() { _ = lock.Rollback(context.Background()) }()
			_, err = lock.Exec(ctx, lockDocuments)
			require.NoError(t, err)

			before := s.retries.Load()
			done := make(chan error, 1)
			go func() { done <- call.Do(ctx) }()
			first := waiting(ctx, t, admin, database, 0)
			_, err = admin.Exec(ctx, "SELECT pg_terminate_backend($1)", first)
			require.NoError(t, err)
			waiting(ctx, t, admin, database, first) // another connection has come to the same point
			require.NoError(t, lock.Rollback(ctx))
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

func verified(t testing.TB, s *Store) (findings []string) {
	t.Helper()
	_, err := s.Verify(t.Context(), func(finding string) error {
		findings = append(findings, finding)
		return nil
	}, nil)
	require.NoError(t, err)
	return findings
}

// promises are the outcomes that clients were given for their writes.
type promises struct {
	sync.Mutex
	done, refused, unknown []brokerage.ID
	bought                 int64 // shares, of acknowledged trades
	maybe                  int64 // and of those whose outcome is unknown
}

// hammer has clients insert orders and trade, until stop is closed.
func hammer(t testing.TB, s *Store, d *dataset.Dataset, clients int, stop <-chan struct{}) *promises {
	t.Helper()
	var p promises
	var next atomic.Int64
	var all sync.WaitGroup
	for c := range clients {
		all.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
				id := brokerage.ID(700_000_000_000 + next.Add(1))
				_, err := s.InsertOrder(ctx, now(), order(d, int64(id)))
				p.note(t, err, func() { p.done = append(p.done, id) }, func() { p.refused = append(p.refused, id) },
					func() { p.unknown = append(p.unknown, id) })
				_, err = s.Trade(ctx, now(), brokerage.ID(d.FirstAccount(int64(c%4))),
					brokerage.Trade{Side: brokerage.Buy, Symbol: d.Symbol(0), Quantity: "1", Now: time.Now()})
				p.note(t, err, func() { p.bought++ }, func() {}, func() { p.maybe++ })
				cancel()
			}
		})
	}
	all.Wait()
	return &p
}

// note calls one of three functions for the error of a write.
func (p *promises) note(t testing.TB, err error, done, refused, unknown func()) {
	p.Lock()
	defer p.Unlock()
	switch u, is := unavailable(err); {
	case err == nil:
		done()
	case is && !u.Unknown:
		refused()
	case is || errors.Is(err, context.DeadlineExceeded):
		unknown()
	default:
		t.Errorf("a write: %v", err)
	}
}

// settled compares the outcomes with the content of the database.
func (p *promises) settled(t testing.TB, s *Store, held int64) {
	t.Helper()
	there := func(id brokerage.ID) bool {
		_, err := s.GetOrder(t.Context(), id)
		if _, missing := errors.AsType[*brokerage.NotFound](err); missing {
			return false
		}
		require.NoError(t, err)
		return true
	}
	for _, id := range p.done {
		require.True(t, there(id), "order %d was acknowledged, and is not there", id)
	}
	for _, id := range p.refused {
		require.False(t, there(id), "order %d was refused, and is there", id)
	}
	bought := sharesOf(t, s) - held
	require.GreaterOrEqual(t, bought, p.bought, "acknowledged trades were lost")
	require.LessOrEqual(t, bought, p.bought+p.maybe, "trades were done twice")
	t.Logf("orders: %d acknowledged, %d refused, %d unknown; trades: %d acknowledged, %d unknown; %d retries",
		len(p.done), len(p.refused), len(p.unknown), p.bought, p.maybe, s.retries.Load())
	require.NotEmpty(t, p.done)
	require.NotZero(t, p.bought)
}

// sharesOf returns how much of the first symbol all accounts hold.
func sharesOf(t testing.TB, s *Store) (n int64) {
	t.Helper()
	scan(t, s.pool, []any{&n}, `SELECT coalesce(sum(p.quantity), 0)::numeric(20, 3)::bigint FROM brokerage.customers,
		XMLTABLE(XMLNAMESPACES('http://tpox-benchmark.com/custacc' AS c), '//c:Position' PASSING doc
			COLUMNS symbol text PATH 'c:Symbol', quantity numeric PATH 'c:Quantity') AS p
		WHERE p.symbol = $1`, generator(t, "tiny").Symbol(0))
	return n
}

// Backends are terminated at random while 64 clients write: what is acknowledged is there, what is refused is not, and
// nothing is done twice.
func TestTerminated_AtRandom(t *testing.T) {
	s, d, server, database := tiny(t)
	held := sharesOf(t, s)
	admin := server.Connect(t, database)
	t.Cleanup(func() { _ = admin.Close(context.Background()) })
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

// The server is stopped, in good order and as if it crashed, and comes back.
func TestServer_RestartsUnderLoad(t *testing.T) {
	server := pgtest.Start(t, "synchronous_commit=on", "full_page_writes=on")
	database := server.Database(t)
	d := generator(t, "tiny")
	s := opened(t, server.URL(database), Options{})
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

// A time-out of the server's ends a statement, and its error is the store's, not the driver's; nothing was done.
func TestServer_StatementTimeout(t *testing.T) {
	_, d, server, database := tiny(t)
	s := opened(t, server.URL(database)+"&statement_timeout=100", Options{})
	calls := storetest.Calls(t, s, d)
	lock := server.Connect(t, database)
	defer func() { _ = lock.Close(context.Background()) }()
	_, err := lock.Exec(t.Context(), "BEGIN; "+lockDocuments)
	require.NoError(t, err)
	for _, call := range calls {
		u, is := unavailable(call.Do(t.Context()))
		require.True(t, is, call.Name)
		require.False(t, u.Unknown, call.Name)
	}
	_, err = lock.Exec(t.Context(), "ROLLBACK")
	require.NoError(t, err)
	for _, call := range calls { // on a busy machine, it may take several attempts to end in time
		require.EventuallyWithT(t, func(c *assert.CollectT) {
			assert.NoError(c, call.Do(t.Context()), call.Name)
		}, time.Minute, time.Millisecond)
	}
}

// A cancelled request ends its statement in the server, and the connection stays in use.
func TestServer_CancelledRequest(t *testing.T) {
	s, d, server, database := tiny(t)
	calls := storetest.Calls(t, s, d)
	lock := server.Connect(t, database)
	defer func() { _ = lock.Close(context.Background()) }()
	_, err := lock.Exec(t.Context(), "BEGIN; "+lockDocuments)
	require.NoError(t, err)
	for _, call := range calls {
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		require.ErrorIs(t, call.Do(ctx), context.DeadlineExceeded, call.Name)
		cancel()
	}
	require.Eventually(t, func() bool {
		var running int
		require.NoError(t, lock.QueryRow(t.Context(), `SELECT count(*) FROM pg_stat_activity
			WHERE datname = $1 AND application_name = 'brokerage' AND state <> 'idle'`, database).Scan(&running))
		return running == 0
	}, 20*time.Second, 10*time.Millisecond)
}

// The server has no connection left: the store waits for one as long as the request has time, and says so then.
func TestServer_ConnectionsAreUsedUp(t *testing.T) {
	server := pgtest.Start(t, "max_connections=8", "superuser_reserved_connections=2")
	server.Exec(t, "postgres", "CREATE ROLE app LOGIN")
	server.Exec(t, "postgres", "CREATE DATABASE app OWNER app TEMPLATE template0")
	s := opened(t, server.URLOf("app", "app"), Options{Pool: 64})
	require.NoError(t, s.LoadDataset(t.Context(), generator(t, "tiny"), nil))

	// More clients than there are connections: all are served.
	d := generator(t, "tiny")
	var all sync.WaitGroup
	errs := make([]error, 40)
	for i := range errs {
		all.Go(func() { _, errs[i] = s.InsertOrder(t.Context(), now(), order(d, int64(800_000_000_000+i))) })
	}
	all.Wait()
	require.NoError(t, errors.Join(errs...))

	s.pool.Reset()
	var others []*pgx.Conn
	require.Eventually(t, func() bool { // the server ends the store's own connections by and by
		if conn, err := pgx.Connect(t.Context(), server.URLOf("app", "app")); err == nil {
			others = append(others, conn)
		}
		return len(others) == 6 // max_connections without those of superusers
	}, time.Minute, time.Millisecond)
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	_, err := s.GetOrder(ctx, brokerage.ID(d.ID(dataset.Order, 0)))
	_, is := unavailable(err)
	require.True(t, is || errors.Is(err, context.DeadlineExceeded), "%v", err)
	for _, conn := range others {
		require.NoError(t, conn.Close(t.Context()))
	}
	_, err = s.GetOrder(t.Context(), brokerage.ID(d.ID(dataset.Order, 0)))
	require.NoError(t, err)
}

// Of 64 clients that open one account among several, exactly one succeeds, and there is no deadlock although each names
// the accounts in another order.
func TestAccounts_OneOf64Wins(t *testing.T) {
	s, d, _, _ := tiny(t)
	for round := range int64(5) {
		wanted := []int64{600_000_000_001 + 10*round, 600_000_000_002 + 10*round, 600_000_000_003 + 10*round}
		var won atomic.Int64
		var all sync.WaitGroup
		start := make(chan struct{})
		for i := range int64(64) {
			all.Go(func() {
				accounts := []int64{wanted[i%3], wanted[(i+1)%3], wanted[(i+2)%3]}
				if i%2 == 1 {
					accounts[0], accounts[2] = accounts[2], accounts[0]
				}
				<-start
				_, err := s.InsertCustomer(t.Context(), now(), customer(d, 610_000_000_000+1000*round+i, accounts...), true)
				if conflict, is := errors.AsType[*brokerage.Conflict](err); is && conflict.Reason == brokerage.AccountExists {
					return
				}
				if err != nil {
					t.Errorf("insert_customer: %v", err)
				}
				won.Add(1)
			})
		}
		close(start)
		all.Wait()
		require.Equal(t, int64(1), won.Load())
	}
	require.Zero(t, s.retries.Load())
	require.Empty(t, verified(t, s))
}

// Two customers swap accounts at once, many times: one of the two replacements is refused or waits, and neither
// deadlocks.
func TestAccounts_Swapped(t *testing.T) {
	s, d, _, _ := tiny(t)
	const a, b = 620_000_000_001, 620_000_000_002
	_, err := s.InsertCustomer(t.Context(), now(), customer(d, 1, a), true)
	require.NoError(t, err)
	_, err = s.InsertCustomer(t.Context(), now(), customer(d, 2, b), true)
	require.NoError(t, err)
	var all sync.WaitGroup
	for i := range int64(16) {
		all.Go(func() {
			for n := range int64(20) {
				id, accounts := 1+(i+n)%2, []int64{a, b}
				err := s.ReplaceCustomer(t.Context(), now(), brokerage.ID(id), customer(d, id, accounts[(i+n/2)%2]), true, nil)
				if _, conflict := errors.AsType[*brokerage.Conflict](err); err != nil && !conflict {
					t.Errorf("replace_customer: %v", err)
				}
			}
		})
	}
	all.Wait()
	require.Zero(t, s.retries.Load())
	require.Empty(t, verified(t, s))
}

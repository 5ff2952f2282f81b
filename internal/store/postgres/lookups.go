package postgres

import (
	"context"
	"errors"
	"runtime"
	"sync/atomic"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"brokerage/internal/tpox"
)

// maxTogether is how many lookups share a round trip at most, and so how long the first waits for the last.
const maxTogether = 16

// lookups are the workers for queries whose answer is one document. Queries that wait at the same moment go to the
// server together: one write, one flush and one read for all, where a query by key takes the server less time than
// waking up for it. The busier the store, the larger the groups; no query waits for others to come.
type lookups struct {
	pool    *pgxpool.Pool
	replica *replica // nil: of the primary
	queue   chan *lookup
	quit    chan struct{}
}

// A lookup is a query. Its answer belongs to the worker until done is closed.
type lookup struct {
	sql   string
	args  []any
	needs position // that a replica must have replayed, or else err is errBehind
	done  chan struct{}
	doc   []byte
	err   error

	group atomic.Pointer[group] // that shares its round trip; abandoned if its request left before that
}

// A group is lookups that share a round trip. It is cancelled when no request waits for an answer any more.
type group struct {
	wanted atomic.Int64
	cancel context.CancelFunc
}

// abandoned is the group of lookups whose request left before they joined one.
var abandoned group

var errClosed = &tpox.Unavailable{Cause: errors.New("the store is closed")}

func newLookups(pool *pgxpool.Pool, from *replica) *lookups {
	l := &lookups{pool: pool, replica: from, queue: make(chan *lookup), quit: make(chan struct{})}
	// Two for each processor keep both sides busy; half of the pool is left to writes.
	for range max(1, min(2*runtime.GOMAXPROCS(0), int(pool.Config().MaxConns)/2)) {
		go l.work()
	}
	return l
}

// find runs a statement that is a query of one column, and returns pgx.ErrNoRows when it finds nothing. On the primary,
// needs has no effect.
func (l *lookups) find(ctx context.Context, needs position, sql string, args ...any) ([]byte, error) {
	q := &lookup{sql: sql, args: args, needs: needs, done: make(chan struct{})}
	select {
	case l.queue <- q:
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-l.quit:
		return nil, errClosed
	}
	select {
	case <-q.done:
		return q.doc, q.err
	case <-ctx.Done():
		q.leave()
		return nil, ctx.Err()
	}
}

// leave gives up the query. A request calls it when it no longer waits for the answer.
func (q *lookup) leave() {
	if g := q.group.Swap(&abandoned); g != nil {
		g.oneLess()
	}
}

// join adds the query to a group. The worker calls it. If the request has left before, join removes it from the group
// at once.
func (q *lookup) join(g *group) {
	if !q.group.CompareAndSwap(nil, g) {
		g.oneLess()
	}
}

func (g *group) oneLess() {
	if g.wanted.Add(-1) == 0 {
		g.cancel()
	}
}

func (l *lookups) work() {
	for {
		select {
		case first := <-l.queue:
			runtime.Gosched() // a goroutine that is ready may be about to query as well
			l.run(l.gather(first))
		case <-l.quit:
			return
		}
	}
}

// gather returns first and the lookups that wait at this moment.
func (l *lookups) gather(first *lookup) []*lookup {
	members := []*lookup{first}
	for len(members) < maxTogether {
		select {
		case q := <-l.queue:
			members = append(members, q)
		default:
			return members
		}
	}
	return members
}

func (l *lookups) run(members []*lookup) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	g := &group{cancel: cancel}
	g.wanted.Store(int64(len(members)))
	for _, q := range members {
		q.join(g)
	}
	err := l.runTogether(ctx, members)
	// When the server refuses one of several queries, it does not run those after it. So each is run again by itself.
	apart := len(members) > 1 && codeOf(err) != "" && !isTransient(err) && ctx.Err() == nil
	for i, q := range members {
		if apart {
			err = l.runTogether(ctx, members[i:i+1])
		}
		if err != nil {
			q.err = err
		}
		close(q.done)
	}
}

// runTogether runs queries in one round trip. It stores pgx.ErrNoRows in the query that has found nothing; the error
// that it returns concerns all of them.
func (l *lookups) runTogether(ctx context.Context, members []*lookup) error {
	conn, err := l.pool.Acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release()
	if len(members) == 1 && l.replica == nil {
		q := members[0]
		return q.scan(conn.QueryRow(ctx, q.sql, q.args...))
	}
	var b pgx.Batch
	if l.replica != nil {
		l.replica.queueState(&b)
	}
	for _, q := range members {
		b.Queue(q.sql, q.args...)
	}
	results := conn.SendBatch(ctx, &b)
	var state replayed
	if l.replica != nil {
		state, err = l.replica.confirm(results)
	}
	for _, q := range members {
		if err == nil {
			err = q.scan(results.QueryRow())
		}
		if err != nil {
			_ = results.Close() // it returns the same error
			return err
		}
		if l.replica != nil && !state.has(q.needs) {
			q.doc, q.err = nil, errBehind
		}
	}
	return results.Close()
}

// scan reads the answer of the query. An error that it returns also concerns the queries after this one in the batch.
func (q *lookup) scan(row pgx.Row) error {
	q.doc, q.err = nil, nil
	err := row.Scan(&q.doc)
	if noRows(err) {
		q.err, err = err, nil
	}
	return err
}

func (l *lookups) close() { close(l.quit) }

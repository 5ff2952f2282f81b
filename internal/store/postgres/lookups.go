package postgres

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"brokerage/internal/brokerage"
)

// maxTogether is how many look-ups share a round trip at most, and so how long
// the first of them waits for the last.
const maxTogether = 16

// lookups are the connections' workers for queries whose answer is one document.
// Queries that wait together go to the server together: one write, one flush and
// one read for all, where a query by key takes the server less time than to be
// woken up for it. The busier the store, the larger the groups, without anyone
// waiting for company.
type lookups struct {
	store *Store
	queue chan *lookup
	quit  chan struct{}
}

// lookup is a query on its way. The answer is the worker's until done is closed.
type lookup struct {
	sql  string
	args []any
	done chan struct{}
	doc  []byte
	err  error

	leaving sync.Mutex
	left    bool
	group   *group
}

// group is what runs together. Its queries are cancelled when nobody is left who
// wants an answer.
type group struct {
	wanted atomic.Int64
	cancel context.CancelFunc
}

var errClosed = &brokerage.Unavailable{Cause: errors.New("the store is closed")}

func newLookups(s *Store) *lookups {
	l := &lookups{store: s, queue: make(chan *lookup), quit: make(chan struct{})}
	// Two for each processor keep both sides busy; half of the pool is for writes.
	for range max(1, min(2*runtime.GOMAXPROCS(0), int(s.pool.Config().MaxConns)/2)) {
		go l.work()
	}
	return l
}

// find runs a query of one column, or gives pgx.ErrNoRows.
func (l *lookups) find(ctx context.Context, name string, args ...any) ([]byte, error) {
	q := &lookup{sql: statements[name], args: args, done: make(chan struct{})}
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

// leave is for who no longer waits for the answer.
func (q *lookup) leave() {
	q.leaving.Lock()
	defer q.leaving.Unlock()
	q.left = true
	if q.group != nil {
		q.group.oneLess()
	}
}

// join is for the worker; who has left before counts as having left now.
func (q *lookup) join(g *group) {
	q.leaving.Lock()
	defer q.leaving.Unlock()
	q.group = g
	if q.left {
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
			runtime.Gosched() // who is ready to run may be about to ask as well
			l.run(l.gathered(first))
		case <-l.quit:
			return
		}
	}
}

// gathered takes what waits at this moment.
func (l *lookups) gathered(first *lookup) []*lookup {
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
	err := l.together(ctx, members)
	if _, server := errors.AsType[*pgconn.PgError](err); server && len(members) > 1 && !isTransient(err) && ctx.Err() == nil {
		// One of them failed, and those behind it were not run.
		for _, q := range members {
			if err := l.together(ctx, []*lookup{q}); err != nil {
				q.err = err
			}
			close(q.done)
		}
		return
	}
	for _, q := range members {
		if err != nil {
			q.err = err
		}
		close(q.done)
	}
}

// together runs queries in one round trip. That one finds nothing is its own
// error; what is returned is everybody's.
func (l *lookups) together(ctx context.Context, members []*lookup) error {
	conn, err := l.store.pool.Acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release()
	if len(members) == 1 {
		q := members[0]
		q.doc, q.err = nil, nil
		err := conn.QueryRow(ctx, q.sql, q.args...).Scan(&q.doc)
		if errors.Is(err, pgx.ErrNoRows) {
			q.err, err = err, nil
		}
		return err
	}
	var b pgx.Batch
	for _, q := range members {
		b.Queue(q.sql, q.args...)
	}
	results := conn.SendBatch(ctx, &b)
	for _, q := range members {
		q.doc, q.err = nil, nil
		err := results.QueryRow().Scan(&q.doc)
		if errors.Is(err, pgx.ErrNoRows) {
			q.err = err
			continue
		}
		if err != nil {
			_ = results.Close() // it says the same
			return err
		}
	}
	return results.Close()
}

func (l *lookups) close() { close(l.quit) }

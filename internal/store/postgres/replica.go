package postgres

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgconn/ctxwatch"
	"github.com/jackc/pgx/v5/pgxpool"
)

// A replica is a standby server that answers reads.
//
// Each round trip to it begins with the statement replica_state, which returns how far it has replayed. Later
// statements of the batch have later snapshots, so they see everything that was replayed then. Only that decides
// whether an answer is used; the checks in the background only decide where a read is sent.
type replica struct {
	set   *replicas
	name  string
	pool  *pgxpool.Pool
	probe probe

	leftOut  atomic.Int64  // until when it gets no reads, in Unix milliseconds
	recent   atomic.Bool   // at the last check, its data were not older than timing.maxLag
	replayed atomic.Uint64 // the last LSN that it has reported
	reads    atomic.Int64
}

// A timing has the intervals and bounds of replicas. Tests have others.
type timing struct {
	interval time.Duration // between two checks of each server; also the precision of Freshness.Within
	timeout  time.Duration // of a check
	start    time.Duration // how long the start waits for replicas that do not answer
	patience time.Duration // how long a read waits for a replica before it is sent to the primary
	pause    time.Duration // how long a replica that has failed gets no reads
	// maxLag is how old the data of a replica may be for it to get a read that it may not be able to answer: one with a
	// token that it is not known to have replayed.
	maxLag time.Duration
}

var defaultTiming = timing{
	interval: 200 * time.Millisecond, timeout: time.Second, start: 3 * time.Second, patience: 500 * time.Millisecond,
	pause: 2 * time.Second, maxLag: time.Second,
}

// The mark is a row of the database with the timeline of the primary. A replica whose mark is the timeline of a token
// is on that timeline, or was when it was written: one that has followed another server after a failover never gets it.
// PostgreSQL shows the timeline of a replica only to roles that may read all statistics. The row is kept like the
// answer of an idempotency key, under one that no client can send.
var (
	markClient  = []byte{0}
	markKey     = []byte("\x00timeline")
	markExpires = time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)
)

// A replayed is the state that a server reports of its data.
type replayed struct {
	position
	isReplica bool
}

// readState reads the answer of the statement replica_state.
func readState(row pgx.Row) (state replayed, err error) {
	var lsn *string
	var mark []byte
	if err := row.Scan(&lsn, &mark); err != nil {
		return state, err
	}
	if len(mark) > 0 {
		if state.timeline, err = parseTimeline(string(mark)); err != nil {
			return state, err
		}
	}
	if lsn != nil {
		state.isReplica = true
		state.lsn, err = parseLSN(*lsn)
	}
	return state, err
}

// has reports whether the data contain everything before a position.
func (state *replayed) has(p position) bool {
	return state.isReplica && state.timeline == p.timeline && state.lsn >= p.lsn
}

// errBehind means that a replica has not replayed what a read needs.
var errBehind = errors.New("the replica has not replayed the position")

// A strangerError is returned for a server that is no replica of the primary.
type strangerError struct{ name, reason string }

func (e *strangerError) Error() string {
	return fmt.Sprintf("replica %s: %s", e.name, e.reason)
}

// A timelineError is returned for a replica that is not on the timeline of the primary.
type timelineError struct{ has, wants uint32 }

func (e *timelineError) Error() string {
	return fmt.Sprintf("its data are of timeline %d, and the primary is on %d", e.has, e.wants)
}

func isOtherTimeline(err error) bool {
	_, is := errors.AsType[*timelineError](err)
	return is
}

// newReplica returns a replica with the settings of the store. It connects to nothing yet.
func newReplica(ctx context.Context, set *replicas, url string) (*replica, error) {
	config, _, err := parseURL(url)
	if err != nil {
		return nil, err
	}
	options := &set.store.options
	configure(config, options.Pool)
	if options.Trace != nil {
		config.ConnConfig.Tracer = newTracer(options.Trace)
	}
	r := &replica{set: set, name: address(config.ConnConfig)}
	r.probe = newProbe(config.ConnConfig, r.recognise)
	config.AfterConnect = r.recognise
	if r.pool, err = pgxpool.NewWithConfig(ctx, config); err != nil {
		return nil, err
	}
	return r, nil
}

func (r *replica) close() {
	r.pool.Close()
	r.probe.close()
}

// recognise returns a *strangerError for a connection to a server that is no replica of the primary.
func (r *replica) recognise(ctx context.Context, conn *pgx.Conn) error {
	i, err := readIdentity(conn.QueryRow(ctx, statements["server_identity"]))
	if err != nil {
		return err
	}
	own := &r.set.identity
	switch {
	case i.system != own.system:
		return &strangerError{r.name, fmt.Sprintf("the server is no replica of the primary: its system identifier is %s, "+
			"and the primary's %s", i.system, own.system)}
	case i.database != own.database:
		return &strangerError{r.name, "the URL names another database than that of the primary"}
	case !i.inRecovery:
		return &strangerError{r.name, "the server is not in recovery: it is a primary itself"}
	}
	return nil
}

// check asks the server for its state. It returns an error if the server cannot answer reads.
func (r *replica) check(ctx context.Context) error {
	return r.probe.do(ctx, func(conn *pgx.Conn) error {
		state, err := readState(conn.QueryRow(ctx, statements["replica_state"], markClient, markKey))
		if err != nil {
			return err
		}
		if !state.isReplica {
			return errors.New("it is a primary now")
		}
		r.replayed.Store(state.lsn)
		r.recent.Store(r.set.age(state.lsn) <= r.set.timing.maxLag)
		if current := r.set.timeline(); state.timeline != current {
			return &timelineError{state.timeline, current}
		}
		return nil
	})
}

// watch checks the server until ctx is done.
func (r *replica) watch(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(r.set.timing.interval):
		}
		bounded, cancel := context.WithTimeout(ctx, r.set.timing.timeout)
		err := r.check(bounded)
		cancel()
		if err != nil && !isConflict(err) { // the replay has cancelled the check itself
			r.leaveOut(err)
		}
	}
}

// isUp reports whether the replica gets reads.
func (r *replica) isUp() bool { return time.Now().UnixMilli() >= r.leftOut.Load() }

// leaveOut keeps reads from the replica for a while, and closes its connections, which may be broken.
func (r *replica) leaveOut(err error) {
	wasUp := r.isUp()
	r.leftOut.Store(time.Now().Add(r.set.timing.pause).UnixMilli())
	if wasUp && !r.set.closing.Load() {
		r.pool.Reset()
		r.set.store.notice("replica %s gets no reads until it can answer them: %v", r.name, err)
	}
}

// queryRow runs a query of at most one row. It returns errBehind if the replica has not replayed a position.
func (r *replica) queryRow(ctx context.Context, needs position, name string, args, into []any) error {
	return r.pool.AcquireFunc(ctx, func(conn *pgxpool.Conn) error {
		var b pgx.Batch
		b.Queue(statements["replica_state"], markClient, markKey)
		b.Queue(r.set.store.sql(name), args...)
		results := conn.SendBatch(ctx, &b)
		state, err := readState(results.QueryRow())
		if err == nil && state.isReplica {
			r.replayed.Store(state.lsn)
		}
		if err == nil && !state.has(needs) {
			err = errBehind
		}
		if err == nil {
			err = results.QueryRow().Scan(into...)
		}
		if closed := results.Close(); err == nil {
			err = closed
		}
		return err
	})
}

// A probe is a connection for checks. In the pool, they would wait behind requests.
type probe struct {
	config *pgx.ConnConfig
	accept func(context.Context, *pgx.Conn) error // refuses a new connection
	conn   *pgx.Conn
}

func newProbe(config *pgx.ConnConfig, accept func(context.Context, *pgx.Conn) error) probe {
	config = config.Copy()
	config.Tracer = nil
	config.BuildContextWatcherHandler = func(conn *pgconn.PgConn) ctxwatch.Handler {
		return &pgconn.DeadlineContextWatcherHandler{Conn: conn.Conn()} // a server that hangs takes no cancel request
	}
	return probe{config: config, accept: accept}
}

// do calls f with the connection, which it makes if there is none. After an error, the next call makes a new one. It is
// not safe for concurrent use.
func (p *probe) do(ctx context.Context, f func(*pgx.Conn) error) error {
	if p.conn == nil {
		config := p.config.Copy()
		if err := freshPassword(ctx, config); err != nil {
			return err
		}
		conn, err := pgx.ConnectConfig(ctx, config)
		if err != nil {
			return connectError{err}
		}
		p.conn = conn
		if err := p.accept(ctx, conn); err != nil {
			p.close()
			return err
		}
	}
	err := f(p.conn)
	if err != nil {
		p.close()
	}
	return err
}

func (p *probe) close() {
	if p.conn == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), defaultTiming.timeout)
	defer cancel()
	_ = p.conn.Close(ctx) // nothing is left to learn
	p.conn = nil
}

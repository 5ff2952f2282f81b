package postgres

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgconn/ctxwatch"
	"github.com/jackc/pgx/v5/pgxpool"
)

// A replica is a standby server that answers reads.
//
// Each read is a batch that begins with the statement replica_state, which returns how far the replica has replayed.
// The read's own query has a later snapshot, so it sees everything that was replayed then. Only the result of
// replica_state decides whether the answer is used; checks in the background only decide where a read is sent.
type replica struct {
	set  *replicas
	name string // host and port
	pool *pgxpool.Pool

	leftOut  atomic.Int64 // until when it gets no reads, in Unix milliseconds
	replayed atomic.Int64 // the last LSN that it has reported
	reads    atomic.Int64
}

// The mark is a row of the database with the timeline of the primary. A replica that has replayed the mark of a
// timeline is on that timeline, or was when the mark was written: one that followed another server in a failover
// never gets that mark. PostgreSQL shows the timeline of a replica only to roles that may read all statistics. The
// row is stored like the answer of an idempotency key, under a key that no client can send.
var (
	markClient  = []byte{0}
	markKey     = []byte("\x00timeline")
	markExpires = time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)
)

// errBehind is the error for a replica that has not replayed what a read needs.
var errBehind = errors.New("the replica has not replayed the position that the read requires")

// errStranger is the error for a server that is no replica of the primary.
var errStranger = errors.New("the server is no replica of the primary")

// newReplica returns a replica with the settings of the store. It does not wait for a connection.
func newReplica(ctx context.Context, set *replicas, url string) (*replica, error) {
	config, _, err := parseURL(url)
	if err != nil {
		return nil, err
	}
	configure(config, &set.store.options)
	host := config.ConnConfig.Host
	if !strings.HasPrefix(host, "/") {
		host = net.JoinHostPort(host, strconv.Itoa(int(config.ConnConfig.Port)))
	}
	r := &replica{set: set, name: host}
	config.AfterConnect = r.recognise
	config.ConnConfig.BuildContextWatcherHandler = func(conn *pgconn.PgConn) ctxwatch.Handler {
		return &pgconn.DeadlineContextWatcherHandler{Conn: conn.Conn()} // a server that hangs takes no cancel request
	}
	r.pool, err = pgxpool.NewWithConfig(ctx, config)
	return r, err
}

// recognise returns errStranger for a connection to a server that is no replica of the primary.
func (r *replica) recognise(ctx context.Context, conn *pgx.Conn) error {
	i, err := readIdentity(conn.QueryRow(ctx, statements["server_identity"]))
	own := &r.set.identity
	switch {
	case err != nil:
		return err
	case i.system != own.system:
		return fmt.Errorf("%w: its system identifier is %s, and the primary's %s", errStranger, i.system, own.system)
	case i.database != own.database:
		return fmt.Errorf("%w: the URL names another database", errStranger)
	case !i.inRecovery:
		return fmt.Errorf("%w: the server is not in recovery: it is a primary itself", errStranger)
	}
	return nil
}

// check reads the replica's state. A replica that cannot answer, or is not on the primary's timeline, is left out.
func (r *replica) check(ctx context.Context) error {
	state, err := readPosition(r.pool.QueryRow(ctx, statements["replica_state"], markClient, markKey))
	if err == nil {
		r.replayed.Store(state.lsn)
		if current := r.set.timeline(); state.timeline != current || state.lsn < 0 {
			err = fmt.Errorf("the replica is not on the primary's timeline %d", current)
		}
	}
	if err != nil && !isConflict(err) { // in a conflict, the replay has cancelled the check itself
		r.leaveOut(err)
	}
	return err
}

// isUp reports whether the replica gets reads.
func (r *replica) isUp() bool { return time.Now().UnixMilli() >= r.leftOut.Load() }

// leaveOut keeps reads from the replica for a while, and closes its connections, which may be broken.
func (r *replica) leaveOut(err error) {
	wasUp := r.isUp()
	r.leftOut.Store(time.Now().Add(r.set.timing.pause).UnixMilli())
	if wasUp {
		r.pool.Reset()
		if _, connecting := errors.AsType[*pgconn.ConnectError](err); connecting {
			err = connectError{err}
		}
		r.set.store.notice("replica %s gets no reads until it can answer them: %v", r.name, err)
	}
}

// queryRow runs a query of at most one row. It returns errBehind if the replica has not replayed the needed position.
func (r *replica) queryRow(ctx context.Context, needs position, name string, args, into []any) error {
	var b pgx.Batch
	b.Queue(statements["replica_state"], markClient, markKey)
	b.Queue(r.set.store.sql(name), args...)
	results := r.pool.SendBatch(ctx, &b)
	state, err := readPosition(results.QueryRow())
	if err == nil {
		r.replayed.Store(state.lsn)
		if err = errBehind; state.timeline == needs.timeline && state.lsn >= needs.lsn {
			err = results.QueryRow().Scan(into...)
		}
	}
	return cmp.Or(err, results.Close())
}

package postgres

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgconn/ctxwatch"
	"github.com/jackc/pgx/v5/pgxpool"

	"brokerage/internal/format"
	"brokerage/internal/store"
	"brokerage/internal/tpox"
)

// Options are the options of a store. Open fails if a URL in Replicas names a server that is no standby of the
// primary, or another database. A replica that cannot be reached gets no reads until it can.
type Options = store.Options

// hidden are options that only tests set.
type hidden struct {
	timing      timing // of replicas; defaultTiming if zero
	distributed bool   // partitioned tables count as distributed
}

// DefaultPool is the default limit of connections. The database works on about as many statements at once as it has
// processors; more connections would only move the waiting from the service to the server.
const DefaultPool = 16

const (
	maxPool        = 10_000 // the largest limit that a URL may set
	connectTimeout = 5 * time.Second
	// cancelPatience is how long a cancelled statement may take to end before its connection is closed.
	cancelPatience = 2 * time.Second
)

// A Store is the store in a PostgreSQL database. See the package's comment.
type Store struct {
	store.LoadRecord

	pool     *pgxpool.Pool
	entries  *entries  // nil: pool is for all statements
	replicas *replicas // nil: none
	options  Options
	hidden   hidden
	engine   tpox.EngineInfo
	closing  sync.Once
	closed   chan struct{}

	distributed bool // whether the tables are distributed over the nodes of a cluster
	pure        bool // mode=pure: searches use the documents alone
	stamp       store.Stamp
	made        bool // whether Open has made the schema

	outage  atomic.Pointer[outage] // nil: none is known
	purged  [slots]atomic.Int64    // when expired answers of a slot were last deleted, Unix time
	retries atomic.Int64
	large   store.LargeWrites
	figures *store.ServerFigures
}

var _ tpox.Store = (*Store)(nil)

// checkURL returns the error for which Open refuses a URL before it connects, or nil. The error does not repeat the
// URL, which may hold a password.
func checkURL(url string) error {
	_, _, err := parseURL(url)
	return err
}

func parseURL(url string) (*pgxpool.Config, wanted, error) {
	_, err := format.ParseURL(url)
	config, failed := pgxpool.ParseConfig(url)
	switch {
	case err != nil || failed != nil:
		return nil, wanted{}, errors.New("not the URL of a PostgreSQL database: " +
			"postgres://USER:PASSWORD@HOST:PORT/DATABASE?SETTING=VALUE&… (in a password @ is %40, / is %2F)")
	case config.MaxConns > maxPool:
		return nil, wanted{}, fmt.Errorf("pool_max_conns is %d; the maximum is %d", config.MaxConns, maxPool)
	}
	w, err := takeWanted(config.ConnConfig.RuntimeParams)
	return config, w, err
}

// Open connects to the database that a URL names, and makes the schema in an empty one. The URL takes libpq's settings
// (sslmode, target_session_attrs, …) and pgxpool's (pool_max_conns, pool_min_conns, pool_max_conn_lifetime, …).
// distribute=true, or a number of shards, distributes the tables that Open makes over the nodes of a Citus cluster;
// mode=pure makes tables whose searches use the documents alone. If another attempt may succeed, the error is
// *tpox.Unavailable.
func Open(ctx context.Context, url string, options Options) (*Store, error) {
	return open(ctx, url, options, hidden{})
}

func open(ctx context.Context, url string, options Options, h hidden) (*Store, error) {
	config, w, err := parseURL(url)
	if err != nil {
		return nil, err
	}
	configure(config, &options)
	options.Rules = options.Rules.WithDefaults()
	s := &Store{options: options, hidden: h, closed: make(chan struct{}), large: store.NewLargeWrites()}
	s.Text = s.setting
	s.figures = store.NewServerFigures(patience, s.countPages, s.estimate, s.nextID)
	if err = s.prepare(ctx, config, w); err == nil {
		if err = s.connect(ctx, config); err != nil {
			err = errors.Join(err, s.Close())
		}
	}
	switch {
	case mayHeal(err):
		return nil, &tpox.Unavailable{Cause: err}
	case err != nil:
		return nil, err
	}
	return s, nil
}

// prepare inspects the server on a connection of its own, and makes the schema in an empty database.
func (s *Store) prepare(ctx context.Context, config *pgxpool.Config, w wanted) error {
	untraced := config.ConnConfig.Copy()
	untraced.Tracer = nil
	conn, err := pgx.ConnectConfig(ctx, untraced)
	if err != nil {
		return connectError{err}
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }() // its error changes nothing
	if err := s.inspect(ctx, conn); err != nil {
		return err
	}
	if err := s.ensureSchema(ctx, conn, w); err != nil {
		return err
	}
	if s.distributed {
		s.engine.Settings = append(s.engine.Settings, tpox.Setting{Name: "distributed", Value: "on"})
	}
	if s.pure {
		s.engine.Settings = append(s.engine.Settings, tpox.Setting{Name: "mode", Value: "pure"})
	}
	s.engine.Faithful, s.engine.Identity = faithful(s.pure), s.stamp.Identity
	return nil
}

// connect makes the pools, and finds the replicas.
func (s *Store) connect(ctx context.Context, config *pgxpool.Config) (err error) {
	if s.distributed {
		// Citus plans each statement anew, which is less work with values in place of parameters. With cached plans, the
		// nodes of Citus 13.2.1 to 14.0 leak memory (citusdata/citus#8371).
		config.ConnConfig.DefaultQueryExecMode = pgx.QueryExecModeSimpleProtocol
	}
	if s.pool, err = pgxpool.NewWithConfig(ctx, config); err == nil && s.distributed {
		s.entries, err = openEntries(ctx, config)
	}
	switch {
	case err != nil || len(s.options.Replicas) == 0:
		return err
	case s.distributed:
		return errors.New("replicas require a single server, but the tables are distributed: " +
			"a log position belongs to one server")
	}
	return s.openReplicas(ctx)
}

// configure applies the options, and defaults for what the URL leaves open. A Pool above 0 overrides pool_max_conns.
func configure(config *pgxpool.Config, options *Options) {
	if options.Trace != nil {
		config.ConnConfig.Tracer = newTracer(options.Trace)
	}
	settings, _ := pgx.ParseConfig(config.ConnString()) // it was parsed already
	if _, said := settings.RuntimeParams["pool_max_conns"]; !said {
		config.MaxConns = DefaultPool
	}
	if options.Pool > 0 {
		config.MaxConns = int32(min(options.Pool, 1<<16)) //nolint:gosec // it is bounded
	}
	config.MinConns = min(config.MinConns, config.MaxConns)
	if config.ConnConfig.RuntimeParams["application_name"] == "" {
		config.ConnConfig.RuntimeParams["application_name"] = "brokerage"
	}
	if config.ConnConfig.ConnectTimeout == 0 {
		config.ConnConfig.ConnectTimeout = connectTimeout
	}
	config.BeforeConnect = freshPassword
	// When a request is cancelled, the server is asked to cancel its statement too, and the connection is kept.
	config.ConnConfig.BuildContextWatcherHandler = func(conn *pgconn.PgConn) ctxwatch.Handler {
		return &pgconn.CancelRequestContextWatcherHandler{Conn: conn, DeadlineDelay: cancelPatience}
	}
}

// freshPassword parses the URL again for a new connection, because a password from a file may have changed.
func freshPassword(_ context.Context, c *pgx.ConnConfig) error {
	read, err := pgx.ParseConfig(c.ConnString())
	if err == nil {
		c.Password = read.Password
	}
	return err
}

func (s *Store) notice(format string, args ...any) {
	if s.options.Notice != nil {
		s.options.Notice(fmt.Sprintf(format, args...))
	}
}

// poolFor returns the pool for a statement with these arguments.
func (s *Store) poolFor(statement string, args []any) *pgxpool.Pool {
	if s.entries == nil {
		return s.pool
	}
	return s.entries.of(statement, args)
}

// Close closes all connections once they are no longer used. A second call does nothing.
func (s *Store) Close() error {
	s.closing.Do(func() {
		close(s.closed)
		if s.replicas != nil {
			s.replicas.close()
		}
		if s.pool != nil {
			s.pool.Close()
		}
		if s.entries != nil {
			s.entries.close()
		}
	})
	return nil
}

// Empty deletes all data, but keeps the schema and the identity of the database. Only the schema's owner may do that.
func (s *Store) Empty(ctx context.Context) error {
	return pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		var alone bool
		err := tx.QueryRow(ctx, "SELECT pg_try_advisory_xact_lock($1)", int64(loadLock)).Scan(&alone)
		if err == nil && !alone {
			err = errLoadRuns
		}
		if err != nil {
			return err
		}
		filled := slices.DeleteFunc(s.tables(), func(t tableCopy) bool {
			return t.table == "settings" || t.table == "leases"
		})
		_, err = tx.Exec(ctx, "TRUNCATE "+names(filled)+`;
			DELETE FROM brokerage.settings WHERE name NOT IN ('schema.version', 'database.identity');
			UPDATE brokerage.leases SET next = CASE kind WHEN 'order' THEN 103282 WHEN 'customer' THEN 1002 ELSE 104000000 END`)
		return err
	})
}

// databaseName returns the URL of a database for a log: without the password, and without settings, which may hold
// passwords too.
func databaseName(url string) string {
	config, _, err := parseURL(url)
	if err != nil {
		return "postgres:"
	}
	c := config.ConnConfig
	host := c.Host
	if c.Port != 5432 && !strings.HasPrefix(host, "/") {
		host = net.JoinHostPort(host, strconv.Itoa(int(c.Port)))
	}
	return "postgres://" + c.User + "@" + host + "/" + c.Database
}

// Lease reserves ids above those of the dataset; no other client gets them.
func (s *Store) Lease(ctx context.Context, kind string, count int64) (r tpox.Range, err error) {
	if err := tpox.CheckLease(kind, count); err != nil {
		return r, err
	}
	var first int64
	// A retry may leave a gap in the ids, which does no harm.
	if err = s.queryRow(ctx, "lease", []any{kind, count, tpox.LastLease(count)}, &first); noRows(err) {
		err = tpox.NoIDsLeft(kind, count)
	}
	return tpox.Range{First: tpox.ID(first), Count: count}, err
}

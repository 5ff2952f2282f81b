package postgres

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
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

	"brokerage/internal/brokerage"
	"brokerage/internal/redact"
	"brokerage/internal/store/bulk"
	"brokerage/internal/store/trace"
)

// Options are what may be set for a store, beside what its URL sets.
type Options struct {
	Pool  int // connections at most; 0 is what the URL says (pool_max_conns), or DefaultPool
	Rules brokerage.Rules
	// AsIs is for commands that only read: a database of an older version is
	// refused instead of migrated.
	AsIs bool
	// Notice is told, in a sentence, what is worth knowing about the server, and
	// what Open does that takes long. It may be nil.
	Notice func(string)
	// Trace is told of the statements of transactions. It may be nil.
	Trace trace.Begin

	files fs.FS // instead of the migrations in the binary, for tests
}

// DefaultPool is how many connections a store opens at most, if nobody says. The
// database works on about as many statements at once as it has processors; the
// others wait, here or there.
const DefaultPool = 16

// maxPool bounds what the URL may ask for.
const maxPool = 10_000

// Store is the store in a PostgreSQL database. See the package's comment.
type Store struct {
	bulk.Ledger

	pool    *pgxpool.Pool
	lookups *lookups
	large   *large
	options Options
	server  Server
	closing sync.Once

	from, to int // versions of the schema, before and after Open

	purged  atomic.Int64 // when expired answers were looked for, Unix time
	retries atomic.Int64
	figures *bulk.Figures
}

var _ brokerage.Store = (*Store)(nil)

// CheckURL refuses what names no database, without a look at whether it is there.
// Its error does not repeat the URL, which may hold a password.
func CheckURL(url string) error {
	_, err := redact.Parse(url)
	if err == nil {
		config, bad := pgxpool.ParseConfig(url)
		if bad == nil && config.MaxConns > maxPool {
			return fmt.Errorf("pool_max_conns is %d, and may be %d at most", config.MaxConns, maxPool)
		}
		if bad == nil {
			return nil
		}
	}
	return errors.New("not the URL of a PostgreSQL database: postgres://USER:PASSWORD@HOST:PORT/DATABASE?SETTING=VALUE&… (in a password @ is %40, / is %2F)")
}

// Open connects to the database that a URL names, and brings its schema up to
// date. The URL takes libpq's settings (sslmode, target_session_attrs, …) and
// those of the pool: pool_max_conns, pool_min_conns, pool_max_conn_lifetime,
// pool_max_conn_idle_time, pool_health_check_period. Where another attempt may do
// better, the error is *brokerage.Unavailable.
func Open(ctx context.Context, url string, options Options) (*Store, error) {
	if err := CheckURL(url); err != nil {
		return nil, err
	}
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, err
	}
	configure(config, options.Pool)
	if options.Trace != nil {
		config.ConnConfig.Tracer = newTracer(options.Trace)
	}
	if options.Rules.MaxHoldings <= 0 {
		options.Rules.MaxHoldings = brokerage.DefaultRules.MaxHoldings
	}
	s := &Store{options: options}
	s.Text = s.setting
	s.figures = bulk.NewFigures(patience, s.countPages, s.estimate)
	if s.pool, err = pgxpool.NewWithConfig(ctx, config); err != nil {
		return nil, err
	}
	if err := s.prepare(ctx); err != nil {
		if mayHeal(err) {
			err = &brokerage.Unavailable{Cause: err}
		}
		return nil, errors.Join(err, s.Close())
	}
	s.large = newLarge(s.pool.Config().MaxConns)
	s.lookups = newLookups(s)
	return s, nil
}

// configure sets what the URL does not.
func configure(config *pgxpool.Config, pool int) {
	settings, _ := pgx.ParseConfig(config.ConnString()) // it was parsed already
	if _, said := settings.RuntimeParams["pool_max_conns"]; !said {
		config.MaxConns = DefaultPool
	}
	if pool > 0 {
		config.MaxConns = int32(min(pool, 1<<16)) //nolint:gosec // it is bounded
	}
	config.MinConns = min(config.MinConns, config.MaxConns)
	if config.ConnConfig.RuntimeParams["application_name"] == "" {
		config.ConnConfig.RuntimeParams["application_name"] = "brokerage"
	}
	if config.ConnConfig.ConnectTimeout == 0 {
		config.ConnConfig.ConnectTimeout = connectTimeout
	}
	// A request that gives up takes its statement with it, instead of leaving it
	// to run: the server is asked to cancel it, and the connection is kept.
	config.ConnConfig.BuildContextWatcherHandler = func(conn *pgconn.PgConn) ctxwatch.Handler {
		return &pgconn.CancelRequestContextWatcherHandler{Conn: conn, DeadlineDelay: cancelPatience}
	}
}

const (
	connectTimeout = 5 * time.Second
	// cancelPatience is how long a cancelled statement may take to end before its
	// connection is given up.
	cancelPatience = 2 * time.Second
)

// prepare looks at the server and migrates.
func (s *Store) prepare(ctx context.Context) error {
	conn, err := s.pool.Acquire(ctx)
	if err != nil {
		return connectError{err}
	}
	defer conn.Release()
	if s.server, err = inspect(ctx, conn.Conn()); err != nil {
		return err
	}
	if !s.server.tested() {
		s.notice("PostgreSQL %d is untested: %s are tested", s.server.Major, testedVersions)
	}
	return s.migrate(ctx, conn.Conn())
}

// connectError is a refusal in one line: the driver has one for each address that
// it has tried.
type connectError struct{ error }

func (e connectError) Error() string {
	var tries []string
	for line := range strings.Lines(e.error.Error()) {
		if line = strings.TrimSpace(line); !slices.Contains(tries, line) {
			tries = append(tries, line)
		}
	}
	return "connecting: " + strings.Join(tries, " ")
}

func (e connectError) Unwrap() error { return e.error }

func (s *Store) notice(format string, args ...any) {
	if s.options.Notice != nil {
		s.options.Notice(fmt.Sprintf(format, args...))
	}
}

// Close closes all connections, when they are no longer used. Again, it does nothing.
func (s *Store) Close() error {
	s.closing.Do(func() {
		if s.lookups != nil {
			s.lookups.close()
		}
		s.pool.Close()
	})
	return nil
}

// one runs a query of at most one row, again if the connection is lost: a read
// may always be done again.
func (s *Store) one(ctx context.Context, name string, missing error, args, into []any) error {
	err := s.again(ctx, func(ctx context.Context) error {
		err := s.pool.QueryRow(ctx, statements[name], args...).Scan(into...)
		if errors.Is(err, pgx.ErrNoRows) && missing != nil {
			return missing
		}
		return err
	}, isTransient)
	return domainError(ctx, err, false)
}

// document runs a query whose answer is one document.
func (s *Store) document(ctx context.Context, name, what string, key any) ([]byte, error) {
	if !storable(key) {
		return nil, &brokerage.NotFound{What: what, Key: fmt.Sprint(key)}
	}
	doc, err := s.found(ctx, name, key)
	if noRows(err) {
		return nil, &brokerage.NotFound{What: what, Key: fmt.Sprint(key)}
	}
	return doc, domainError(ctx, err, false)
}

// found is one for a column that is a document.
func (s *Store) found(ctx context.Context, name string, args ...any) (doc []byte, err error) {
	err = s.again(ctx, func(ctx context.Context) (err error) {
		// Look-ups of several requests go together, so the connection does not know whose they are.
		end := s.options.Trace.Statement(ctx, name)
		if !classified[name] {
			doc, err = s.lookups.find(ctx, name, args...)
		} else if doc, err = s.lookups.find(ctx, name, append(args, largeBytes)...); err == nil && len(doc) == 0 {
			err = s.large.do(ctx, func() error {
				return s.pool.QueryRow(ctx, statements[name], append(args, anySize)...).Scan(&doc)
			})
		}
		end(traced(err))
		return err
	}, isTransient)
	return doc, err
}

// Lease hands out ids, from behind those of the dataset.
func (s *Store) Lease(ctx context.Context, kind string, count int64) (r brokerage.Range, err error) {
	if err := brokerage.CheckLease(count); err != nil {
		return r, err
	}
	if !storable(kind) {
		return r, &brokerage.NotFound{What: "kind of leases", Key: kind}
	}
	var first int64
	// Ids that were handed out to nobody do no harm, so this may be done again.
	err = s.one(ctx, "lease", &brokerage.NotFound{What: "kind of leases", Key: kind}, []any{kind, count}, []any{&first})
	return brokerage.Range{First: brokerage.ID(first), Count: count}, err
}

// Empty takes everything out of the database, so that it is as it was made. It is
// the owner's to do. Accounts follow their customers.
func (s *Store) Empty(ctx context.Context) error {
	return pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `TRUNCATE brokerage.orders, brokerage.customers, brokerage.securities, brokerage.settings, brokerage.answers;
			UPDATE brokerage.leases SET next = CASE kind WHEN 'order' THEN 103282 WHEN 'customer' THEN 1002 ELSE 104000000 END`)
		return err
	})
}

// Name is a database as a log may have it: its URL without the password, and
// without settings, which may hold others.
func Name(url string) string {
	if CheckURL(url) != nil {
		return "postgres:"
	}
	config, err := pgxpool.ParseConfig(url)
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

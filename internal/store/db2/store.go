package db2

import (
	"cmp"
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"brokerage/internal/store"
	"brokerage/internal/tpox"
)

// Scheme is the scheme of the URLs.
const Scheme = "db2"

func init() {
	store.Register(&store.Engine{
		Scheme:    Scheme,
		Title:     "Db2",
		TraceName: "ibm.db2",
		Usage:     "db2://USER@HOST:PORT/DATABASE",
		Check:     CheckURL,
		Name:      Name,
		Open: func(ctx context.Context, url string, o store.Options) (tpox.Store, error) {
			return Open(ctx, url, Options{
				Pool: o.Pool, Rules: o.Rules, AsIs: o.AsIs, Notice: o.Notice, Trace: o.Trace,
			})
		},
		Watch: func(ctx context.Context, url string) (store.Observer, error) {
			s, err := Open(ctx, url, Options{Pool: 1, AsIs: true})
			if err != nil {
				return nil, err
			}
			return &Observer{s}, nil
		},
		Script: Script,
	})
}

// A Store keeps the brokerage in a Db2 database. See the package's comment.
type Store struct {
	store.LoadRecord

	db       *sql.DB // for requests
	admin    *sql.DB // for load, verify, migrate and the like, whose statements may take hours
	settings Options
	engine   tpox.EngineInfo
	stamp    store.Stamp
	made     bool // whether Open has made the schema

	purged  atomic.Int64 // time of the last search for expired answers, in Unix seconds
	retries atomic.Int64
	figures *store.ServerFigures
	counted store.Pages // result of the last successful countPages, for the next
}

var _ store.Bulk = (*Store)(nil)

// Open connects to the database that a URL names, and creates its schema if there is none, unless AsIs is set. Schema
// and lock timeout come from the URL, the pool only if settings has none. The error is, or wraps, *tpox.Unavailable if
// another attempt may succeed.
func Open(ctx context.Context, url string, settings Options) (*Store, error) {
	t, err := parseURL(url)
	if err != nil {
		return nil, err
	}
	if err := t.readPassword(); err != nil {
		return nil, err
	}
	requests, err := driverConnector(t.dsn())
	if err != nil {
		return nil, err
	}
	admin, err := driverConnector(t.adminDSN())
	if err != nil {
		return nil, err
	}
	settings.Schema, settings.LockTimeout = t.settings.Schema, t.settings.LockTimeout
	settings.Pool = cmp.Or(settings.Pool, t.settings.Pool)
	return openConnectors(ctx, requests, admin, settings)
}

// How long a connection is kept. New ones spread over the servers again after a server was restarted or added.
const (
	connectionLife = 30 * time.Minute
	connectionIdle = 5 * time.Minute
	adminIdle      = 10 * time.Second
)

func openConnectors(ctx context.Context, requests, admin driver.Connector, settings Options) (*Store, error) {
	settings.Rules = settings.Rules.WithDefaults()
	if settings.Pool <= 0 {
		settings.Pool = DefaultPool
	}
	s := &Store{settings: settings}
	s.Text = func(ctx context.Context, name string) (text string, err error) {
		err = s.read(ctx, func() error {
			_, err := row(ctx, s.db, "get_setting", []any{name}, []any{&text})
			return err
		})
		return text, err
	}
	s.figures = store.NewServerFigures(statsTimeout, s.countPages, s.estimate, s.nextID)
	s.db, s.admin = s.pool(requests, connectionIdle), s.pool(admin, adminIdle)
	var err error
	if s.engine, err = s.inspect(ctx); err == nil {
		err = s.ensureSchema(ctx)
	}
	if s.engine.Identity = s.stamp.Identity; err == nil {
		err = s.checkCollation(ctx)
	}
	if mayHeal(err) {
		err = &tpox.Unavailable{Cause: err}
	}
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

func (s *Store) pool(connect driver.Connector, idle time.Duration) *sql.DB {
	db := sql.OpenDB(connector{connect, s.settings.session(), s.settings.Trace})
	db.SetMaxOpenConns(s.settings.Pool)
	db.SetMaxIdleConns(s.settings.Pool)
	db.SetConnMaxLifetime(connectionLife)
	db.SetConnMaxIdleTime(idle)
	return db
}

func (s *Store) notice(format string, args ...any) {
	if s.settings.Notice != nil {
		s.settings.Notice(fmt.Sprintf(format, args...))
	}
}

// Describe returns what the store runs on; the server's settings are as they were when the store was opened.
func (s *Store) Describe() tpox.EngineInfo { return s.engine }

// Made reports whether Open has made the schema.
func (s *Store) Made() bool { return s.made }

// Close closes all connections when they are no longer used. A second call does nothing.
func (s *Store) Close() error { return errors.Join(s.db.Close(), s.admin.Close()) }

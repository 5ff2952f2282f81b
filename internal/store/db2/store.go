package db2

import (
	"cmp"
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"os"
	"sync/atomic"
	"time"

	"brokerage/internal/brokerage"
	"brokerage/internal/store/bulk"
)

// A Store keeps the brokerage in a Db2 database. See the package's comment.
type Store struct {
	bulk.Ledger

	db       *sql.DB
	settings Settings
	engine   brokerage.Engine
	migrated [2]int // from, to

	purged  atomic.Int64 // when expired answers were searched for last, Unix time
	retries atomic.Int64
	figures *bulk.Figures
	counted bulk.Pages // of the last call of countPages, which alone uses it
}

var _ brokerage.Store = (*Store)(nil)

// Open connects to the database that a URL names, and creates its schema if there is none. The URL's values for pool
// and setting apply where settings has none. The error is *brokerage.Unavailable where another attempt may succeed.
func Open(ctx context.Context, text string, settings Settings) (*Store, error) {
	t, err := parseURL(text, os.Getenv)
	if err != nil {
		return nil, err
	}
	if err := t.readPassword(); err != nil {
		return nil, err
	}
	connect, err := driverConnector(t.dsn())
	if err != nil {
		return nil, err
	}
	url := t.settings
	settings.Schema, settings.Registered, settings.LockTimeout = url.Schema, url.Registered, url.LockTimeout
	settings.Pool, settings.Setting = cmp.Or(settings.Pool, url.Pool), cmp.Or(settings.Setting, url.Setting)
	return openConnector(ctx, connect, settings)
}

// How long a connection is kept: new ones spread over the servers again after one was restarted or added.
const (
	connectionLife = 30 * time.Minute
	connectionIdle = 5 * time.Minute
)

// openConnector is Open with the connections of a connector.
func openConnector(ctx context.Context, connect driver.Connector, settings Settings) (s *Store, err error) {
	if settings.Rules.MaxHoldings <= 0 {
		settings.Rules.MaxHoldings = brokerage.DefaultRules.MaxHoldings
	}
	if settings.Pool <= 0 {
		settings.Pool = DefaultPool
	}
	settings.Setting = cmp.Or(settings.Setting, Tuned)
	s = &Store{settings: settings}
	s.Text = s.setting
	s.figures = bulk.NewFigures(statsTimeout, s.countPages, s.estimate)
	s.db = sql.OpenDB(connector{connect, settings.session(), settings.Trace})
	s.db.SetMaxOpenConns(settings.Pool)
	s.db.SetMaxIdleConns(settings.Pool)
	s.db.SetConnMaxLifetime(connectionLife)
	s.db.SetConnMaxIdleTime(connectionIdle)
	if s.engine, err = inspect(ctx, s.db); err == nil {
		err = s.migrate(ctx)
	}
	if mayHeal(err) {
		err = &brokerage.Unavailable{Cause: err}
	}
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

func (s *Store) notice(format string, args ...any) {
	if s.settings.Notice != nil {
		s.settings.Notice(fmt.Sprintf(format, args...))
	}
}

// Describe returns what the store runs on; the server's settings are as they were when the store was opened.
func (s *Store) Describe() brokerage.Engine { return s.engine }

// Migrated returns the versions of the schema before and after the store was opened.
func (s *Store) Migrated() (from, to int) { return s.migrated[0], s.migrated[1] }

// Close closes all connections when they are no longer used. A second call does nothing.
func (s *Store) Close() error { return s.db.Close() }

// setting returns the text of a setting, for the ledger.
func (s *Store) setting(ctx context.Context, name string) (string, error) {
	return read(ctx, s, func() (text string, err error) {
		_, err = row(ctx, s.db, "get_setting", []any{name}, []any{&text})
		return text, err
	})
}

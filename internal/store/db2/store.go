package db2

import (
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

// Store is the store in a Db2 database. See the package's comment.
type Store struct {
	bulk.Ledger

	db       *sql.DB
	settings Settings
	engine   brokerage.Engine
	migrated [2]int // from, to

	purged  atomic.Int64 // when expired answers were looked for, Unix time
	retries atomic.Int64
	lost    atomic.Int64 // connections
	figures *bulk.Figures
	counted bulk.Pages // the last answer; only the question after it looks at it
}

var _ brokerage.Store = (*Store)(nil)

// Open connects to the database that a URL names, and makes its schema if there is
// none. What the URL says of the pool and the setting stands where settings say
// nothing. Where another attempt may do better, the error is *brokerage.Unavailable.
func Open(ctx context.Context, url string, settings Settings) (*Store, error) {
	t, err := parseURL(url, os.Getenv)
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
	settings.Schema, settings.Registered, settings.LockTimeout = t.settings.Schema, t.settings.Registered, t.settings.LockTimeout
	if settings.Pool == 0 {
		settings.Pool = t.settings.Pool
	}
	if settings.Setting == "" {
		settings.Setting = t.settings.Setting
	}
	return OpenConnector(ctx, connect, settings)
}

// How long a connection stays: after a restart of the server, or behind one that
// spreads connections, it should not be for ever.
const (
	connectionLife = 30 * time.Minute
	connectionIdle = 5 * time.Minute
)

// OpenConnector is Open with connections that come from a connector.
func OpenConnector(ctx context.Context, connect driver.Connector, settings Settings) (*Store, error) {
	if settings.Rules.MaxHoldings <= 0 {
		settings.Rules.MaxHoldings = brokerage.DefaultRules.MaxHoldings
	}
	if settings.Pool <= 0 {
		settings.Pool = DefaultPool
	}
	if settings.Setting == "" {
		settings.Setting = Tuned
	}
	s := &Store{settings: settings}
	s.Text = s.setting
	s.figures = bulk.NewFigures(answerWithin, s.countPages, s.estimate)
	s.db = sql.OpenDB(connector{connect, &s.lost, settings.session(), settings.Trace})
	s.db.SetMaxOpenConns(settings.Pool)
	s.db.SetMaxIdleConns(settings.Pool)
	s.db.SetConnMaxLifetime(connectionLife)
	s.db.SetConnMaxIdleTime(connectionIdle)
	if err := s.prepare(ctx); err != nil {
		if mayHeal(err) {
			err = &brokerage.Unavailable{Cause: err}
		}
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// prepare looks at the server and migrates.
func (s *Store) prepare(ctx context.Context) (err error) {
	if s.settings.Engine != nil {
		s.engine = *s.settings.Engine
	} else if s.engine, err = inspect(ctx, s.db); err != nil {
		return err
	}
	return s.migrate(ctx)
}

func (s *Store) notice(format string, args ...any) {
	if s.settings.Notice != nil {
		s.settings.Notice(fmt.Sprintf(format, args...))
	}
}

// Describe says what the store runs on; the settings are the server's, read when
// the store was opened.
func (s *Store) Describe() brokerage.Engine { return s.engine }

// Migrated tells the versions of the schema before and after the store was opened.
func (s *Store) Migrated() (from, to int) { return s.migrated[0], s.migrated[1] }

// Close closes all connections, when they are no longer used. Again, it does nothing.
func (s *Store) Close() error { return s.db.Close() }

// setting is how the ledger reads.
func (s *Store) setting(ctx context.Context, name string) (text string, err error) {
	err = s.read(ctx, func() error {
		_, err := row(ctx, s.db, "get_setting", []any{name}, []any{&text})
		return err
	})
	return text, err
}

// orElse returns err, or otherwise where that is nil.
func orElse(err, otherwise error) error {
	if err != nil {
		return err
	}
	return otherwise
}

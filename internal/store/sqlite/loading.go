package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"

	"brokerage/internal/brokerage"
	"brokerage/internal/dataset"
)

// The settings that say what a database holds.
const (
	settingContents = "contents"    // of the last load, since it was finished
	settingLoading  = "loading"     // the load that is not finished
	settingLoadedOf = "loaded."     // and a kind: how many documents of a dataset
	settingRaw      = "raw."        // and a kind: how large they were; see Space
	settingLoaded   = "loaded.from" // how far a load from a source has come
)

// setting reads a setting into value, which stays as it is if there is none.
func (s *Store) setting(ctx context.Context, name string, value any) error {
	var text string
	err := s.find(ctx, "get_setting", name, &text)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return nil
	case err != nil:
		return domainError(err)
	}
	if err := json.Unmarshal([]byte(text), value); err != nil {
		return &brokerage.Unavailable{Cause: fmt.Errorf("setting %s: %w", name, err)}
	}
	return nil
}

func (t *transaction) set(name string, value any) error {
	b, err := json.Marshal(value)
	if err != nil {
		return err
	}
	_, err = t.exec("set_setting", name, string(b))
	return err
}

// Ready tells whether the store can answer, with all of what was to be loaded:
// while a load is under way, and if it was ended before its end, it cannot.
func (s *Store) Ready(ctx context.Context) error {
	unfinished, err := s.Loading(ctx)
	if err == nil && unfinished != "" {
		err = &brokerage.Unavailable{Cause: fmt.Errorf("the load of %s is not finished: the same load command continues it", unfinished)}
	}
	return err
}

// Loading is which load is not finished, empty if there is none.
func (s *Store) Loading(ctx context.Context) (name string, err error) {
	err = s.setting(ctx, settingLoading, &name)
	return name, err
}

// Contents says which dataset was loaded. It is zero as long as a load is not
// finished: what is there then is not what any fingerprint says.
func (s *Store) Contents(ctx context.Context) (c brokerage.Contents, err error) {
	// Loading first: a load that ends in between is not there, or is there whole.
	unfinished, err := s.Loading(ctx)
	if err == nil && unfinished == "" {
		err = s.setting(ctx, settingContents, &c)
	}
	return c, err
}

// LoadedFrom says how far a load from a source has come; zero if there was none.
func (s *Store) LoadedFrom(ctx context.Context) (l Loaded, err error) {
	err = s.setting(ctx, settingLoaded, &l)
	return l, err
}

// LoadedDocuments is how many documents of a kind LoadDataset has loaded.
func (s *Store) LoadedDocuments(ctx context.Context, k dataset.Kind) (n int64, err error) {
	err = s.setting(ctx, settingLoadedOf+k.String(), &n)
	return n, err
}

// Indexed tells whether everything is there that the end of a load makes.
func (s *Store) Indexed(ctx context.Context) (bool, error) {
	var n int
	err := s.reading.QueryRowContext(ctx, `SELECT count(*) FROM sqlite_schema
		WHERE name IN ('orders_cash', 'accounts_customer', 'securities_search', 'sqlite_stat1')`).Scan(&n)
	return n == 4, domainError(err)
}

// loadDone tells whether a load has nothing to do, and refuses one into a
// database with something else; same tells whether that is its own.
func (s *Store) loadDone(ctx context.Context, name string, same func(brokerage.Contents) bool) (bool, error) {
	unfinished, err := s.Loading(ctx)
	switch {
	case err != nil || unfinished == name:
		return false, err
	case unfinished != "":
		return false, fmt.Errorf("the database holds a part of %s already", unfinished)
	}
	there, err := s.Contents(ctx)
	switch {
	case err != nil || there == (brokerage.Contents{}):
		return false, err
	case !same(there):
		return false, fmt.Errorf("the database holds %s already", there.Fingerprint)
	}
	return s.Indexed(ctx)
}

// Indexes that only a search needs are made after the load, all at once.
const (
	beginLoad = `
	PRAGMA synchronous = NORMAL;
	DROP INDEX IF EXISTS orders_cash;
	DROP INDEX IF EXISTS accounts_customer;
	DROP INDEX IF EXISTS securities_search;`

	endLoad = `
	CREATE INDEX IF NOT EXISTS orders_cash ON orders (account, cash DESC, id) WHERE cash IS NOT NULL;
	CREATE INDEX IF NOT EXISTS accounts_customer ON accounts (customer);
	CREATE INDEX IF NOT EXISTS securities_search ON securities (sector, pe, yield, symbol, name, type, pe_text, yield_text);
	ANALYZE;
	PRAGMA synchronous = FULL;
	PRAGMA wal_checkpoint(TRUNCATE);` // here, because it may want more room than there is
)

// loading is the frame of every load: the database says that the load is not
// finished before anything of it is there, and until the indexes are. begin and
// end belong to the transactions that say so; load may be ended at any point.
func (s *Store) loading(ctx context.Context, name string, begin func(*transaction) error, load func() error, end func(*transaction) error) (err error) {
	err = s.writer.write(ctx, func(t *transaction) error {
		if err := t.set(settingLoading, name); err != nil {
			return err
		}
		return begin(t)
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.control(context.Background(), "PRAGMA synchronous = FULL")) }()
	if err := s.control(ctx, beginLoad); err != nil {
		return err
	}
	if err := load(); err != nil {
		return err
	}
	if err := s.control(ctx, endLoad); err != nil {
		return err
	}
	return s.writer.write(ctx, func(t *transaction) error {
		if err := end(t); err != nil {
			return err
		}
		_, err := t.exec("delete_setting", settingLoading)
		return err
	})
}

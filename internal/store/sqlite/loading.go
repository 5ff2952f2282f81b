package sqlite

import (
	"context"
	"encoding/json"
	"errors"

	"brokerage/internal/brokerage"
	"brokerage/internal/store/bulk"
)

var (
	getSetting    = &statement{name: "get_setting", kind: settings}
	setSetting    = &statement{name: "set_setting", kind: settings}
	deleteSetting = &statement{name: "delete_setting", kind: settings}
)

// setting returns a setting for the ledger.
func (s *Store) setting(ctx context.Context, name string) (text string, err error) {
	err = s.find(ctx, getSetting, name, &text)
	if noRows(err) {
		return "", nil
	}
	return text, domainError(err)
}

func (t *transaction) set(name string, value any) error {
	b, err := json.Marshal(value)
	if err != nil {
		return err
	}
	_, err = t.exec(setSetting, name, string(b))
	return err
}

// Indexed reports whether all indexes and statistics exist that the end of a load makes.
func (s *Store) Indexed(ctx context.Context) (bool, error) {
	var n int
	err := s.reading.QueryRowContext(ctx, `SELECT count(*) FROM sqlite_schema
		WHERE name IN ('orders_cash', 'accounts_customer', 'securities_search', 'sqlite_stat1')`).Scan(&n)
	return n == 4, domainError(err)
}

// loadDone reports whether a load has nothing to do.
func (s *Store) loadDone(ctx context.Context, name string, same func(brokerage.Contents) bool) (bool, error) {
	if done, err := s.Done(ctx, name, same); !done {
		return false, err
	}
	return s.Indexed(ctx)
}

// Indexes that only queries need are made after the load, all at once.
const (
	beginLoad = `
	PRAGMA synchronous = NORMAL;
	DROP INDEX IF EXISTS orders_cash;
	DROP INDEX IF EXISTS accounts_customer;
	DROP INDEX IF EXISTS securities_search;`

	endLoad = `
	CREATE INDEX IF NOT EXISTS orders_cash ON orders (account, cash DESC, id) WHERE cash IS NOT NULL;
	CREATE INDEX IF NOT EXISTS accounts_customer ON accounts (customer);
	CREATE INDEX IF NOT EXISTS securities_search
		ON securities (sector, pe, yield, symbol, name, type, pe_text, yield_text);
	ANALYZE;
	PRAGMA synchronous = FULL;
	PRAGMA wal_checkpoint(TRUNCATE);` // now, so that an error for lack of room is the load's
)

// loading frames every load: it records that a load is not finished before anything is loaded, and that it is finished
// after the indexes are made. begun are the settings of an unfinished load; end is called in the transaction that
// records the end; load may be interrupted at any point.
func (s *Store) loading(
	ctx context.Context, begun map[string]any, load func() error, end func(*transaction) error,
) (err error) {
	err = s.writer.write(ctx, func(t *transaction) error {
		for name, value := range begun {
			if err := t.set(name, value); err != nil {
				return err
			}
		}
		return nil
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
	s.options.Doing("making indexes")
	if err := s.control(ctx, endLoad); err != nil {
		return err
	}
	return s.writer.write(ctx, func(t *transaction) error {
		if err := end(t); err != nil {
			return err
		}
		_, err := t.exec(deleteSetting, bulk.SettingLoading)
		return err
	})
}

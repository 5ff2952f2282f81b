package postgres

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"brokerage/internal/dataset"
	"brokerage/internal/store"
	"brokerage/internal/tpox"
)

// loadLock is the advisory lock that a load holds until its end, on a connection of its own.
const loadLock = schemaLock + 1

// Indexes that only queries need are made after the load, as the schema makes them.
const (
	beginLoad = `
	DROP INDEX IF EXISTS brokerage.account_orders_cash;
	DROP INDEX IF EXISTS brokerage.security_search_sector;`

	endLoad = `
	CREATE INDEX IF NOT EXISTS account_orders_cash ON brokerage.account_orders (account, cash DESC, id);
	CREATE INDEX IF NOT EXISTS security_search_sector ON brokerage.security_search (sector, pe, yield);`

	pureIndexes = `
	CREATE INDEX IF NOT EXISTS account_orders_cash ON brokerage.orders (((brokerage.keys_of_order(doc)).account),
		((brokerage.keys_of_order(doc)).cash) DESC, ((brokerage.keys_of_order(doc)).id))
		WHERE (brokerage.keys_of_order(doc)).cash IS NOT NULL;
	CREATE INDEX IF NOT EXISTS security_search_sector ON brokerage.securities (((brokerage.keys_of_security(doc)).sector),
		((brokerage.keys_of_security(doc)).pe), ((brokerage.keys_of_security(doc)).yield));`
)

// endLoad returns the statements that make the indexes of a load.
func (s *Store) endLoad() string {
	if s.pure {
		return pureIndexes
	}
	return endLoad
}

// afterLoad returns a statement that collects statistics, and marks the pages whose rows are visible to all.
func (s *Store) afterLoad() string { return "VACUUM (ANALYZE) " + names(s.tables()) }

// execEach runs statements one by one: Citus does not take several indexes at once.
func execEach(ctx context.Context, q querier, statements string) error {
	for sql := range strings.SplitSeq(statements, ";") {
		if strings.TrimSpace(sql) != "" {
			if _, err := q.Exec(ctx, sql); err != nil {
				return err
			}
		}
	}
	return nil
}

var errLoadRuns = errors.New("another load into the database is running")

// loading runs a load: the database says that the load is unfinished before its first document is there, and until the
// indexes are. end belongs to the transaction that marks the load finished. It may be interrupted at any point. A
// second load at the same time is refused: each would take documents of the other for duplicates.
func (s *Store) loading(ctx context.Context, name string, load func() error, end func(pgx.Tx) error) (err error) {
	conn, err := s.pool.Acquire(ctx)
	if err != nil {
		return domainError(ctx, err, false)
	}
	defer conn.Release()
	var alone bool
	if err := conn.QueryRow(ctx, "SELECT pg_try_advisory_lock($1)", int64(loadLock)).Scan(&alone); err != nil {
		return domainError(ctx, err, false)
	}
	if !alone {
		return errLoadRuns
	}
	defer func() {
		// When the connection is lost, so is the lock.
		_, _ = conn.Exec(context.WithoutCancel(ctx), "SELECT pg_advisory_unlock($1)", int64(loadLock))
	}()
	if err := set(ctx, conn, store.SettingLoading, name); Forbidden(err) {
		return fmt.Errorf("only the schema's owner can load, and role %s is not: %w", conn.Conn().Config().User, err)
	} else if err != nil {
		return domainError(ctx, err, false)
	}
	// run returns a function that runs statements outside of a transaction, as VACUUM requires.
	run := func(sql string) func() error {
		return func() error { return execEach(ctx, conn, sql) }
	}
	for _, step := range []func() error{run(beginLoad), load, run(s.endLoad()), run(s.afterLoad()), func() error {
		return pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
			if err := end(tx); err != nil {
				return err
			}
			_, err := tx.Exec(ctx, "DELETE FROM brokerage.settings WHERE name = $1", store.SettingLoading)
			return err
		})
	}} {
		if err := step(); err != nil {
			return fmt.Errorf("loading %s: %w", name, err)
		}
	}
	return nil
}

// setting returns a setting of the database, "" where there is none, for the ledger.
func (s *Store) setting(ctx context.Context, name string) (text string, err error) {
	if err = s.queryRow(ctx, "get_setting", []any{name}, &text); noRows(err) {
		err = nil
	}
	return text, err
}

// set writes a setting, as JSON, in a transaction of the caller.
func set(ctx context.Context, q querier, name string, value any) error {
	b, err := json.Marshal(value)
	if err != nil {
		return err
	}
	_, err = q.Exec(ctx, statements["set_setting"], name, string(b))
	return err
}

// raiseLeases makes leases begin at these ids, unless they are higher already.
func raiseLeases(ctx context.Context, q querier, order, customer, account int64) error {
	_, err := q.Exec(ctx, `UPDATE brokerage.leases SET next = greatest(next,
		CASE kind WHEN 'order' THEN $1 WHEN 'customer' THEN $2 ELSE $3::bigint END)`, order, customer, account)
	return err
}

// LoadBatches fills the store with documents from elsewhere; see store.Loader.
func (s *Store) LoadBatches(ctx context.Context, from store.Source, progress store.Progress) (store.Loaded, error) {
	loader := store.Loader[pgx.Tx]{
		Ledger:  &s.Ledger,
		Frame:   s.loading,
		Packing: store.Packing{Keys: store.KeysOf},
		Write:   func(ctx context.Context, do func(pgx.Tx) error) error { return pgx.BeginFunc(ctx, s.pool, do) },
		Insert: func(tx pgx.Tx, documents []store.PreparedDocument) error {
			return s.insertDocuments(ctx, tx, documents)
		},
		RaiseLeases: func(tx pgx.Tx) error {
			var order, customer, account int64
			for of, next := range map[string]*int64{
				"max(id) FROM brokerage.orders": &order, "max(id) FROM brokerage.customers": &customer,
				"max(account) FROM brokerage.accounts": &account,
			} {
				if err := tx.QueryRow(ctx, "SELECT coalesce("+strings.Replace(of, ")", "), 0) + 1", 1)).Scan(next); err != nil {
					return err
				}
			}
			return raiseLeases(ctx, tx, order, customer, account)
		},
		Set: func(tx pgx.Tx, name string, value any) error { return set(ctx, tx, name, value) },
	}
	return loader.Load(ctx, from, progress)
}

// insertDocuments copies documents together, and one by one when a key exists, to find out which.
func (s *Store) insertDocuments(ctx context.Context, tx pgx.Tx, documents []store.PreparedDocument) error {
	err := s.copyPrepared(ctx, tx, documents)
	if !isRefusal(err) {
		return err
	}
	for i := range documents {
		err := s.copyPrepared(ctx, tx, documents[i:i+1])
		if isRefusal(err) {
			documents[i].Refused = s.refusalOf(ctx, documents[i].Keys, err)
		} else if err != nil {
			return err
		}
	}
	return nil
}

// copyPrepared copies documents that are not refused, all or none.
func (s *Store) copyPrepared(ctx context.Context, tx pgx.Tx, documents []store.PreparedDocument) error {
	return pgx.BeginFunc(ctx, tx, func(tx pgx.Tx) error { // a savepoint
		for _, k := range dataset.Kinds {
			var docs [][]byte
			var keys []any
			for _, d := range documents {
				if d.Refused == nil && d.Kind == k {
					docs, keys = append(docs, d.Doc), append(keys, d.Keys)
				}
			}
			if len(docs) == 0 {
				continue
			}
			if err := s.copyDocuments(ctx, tx, docs, keys); err != nil {
				return err
			}
		}
		return nil
	})
}

// isRefusal reports whether an error is about a document, and not about the load.
func isRefusal(err error) bool {
	return takenTable(err) != "" || tpox.Is[*tpox.Invalid](domainError(context.Background(), err, false))
}

// refusalOf returns the error of the domain for a refused document with these keys.
func (s *Store) refusalOf(ctx context.Context, keys any, err error) error {
	table := takenTable(err)
	if table == "" {
		return domainError(ctx, err, false)
	}
	switch keys := keys.(type) {
	case tpox.OrderKeys:
		return tpox.DuplicateOrder(keys.ID)
	case tpox.CustomerKeys:
		if table == "accounts" {
			return s.firstTaken(ctx, tpox.DuplicateAccount(keys.Accounts[0]), keys)
		}
		return tpox.DuplicateCustomer(keys.ID)
	default:
		//nolint:forcetypeassert // the last kind
		return fmt.Errorf("security %s exists already", keys.(tpox.SecurityKeys).Symbol)
	}
}

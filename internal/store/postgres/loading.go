package postgres

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"brokerage/internal/brokerage"
	"brokerage/internal/store/bulk"
)

// loadLock is the advisory lock that a load holds until its end, on a connection of its own.
const loadLock = migrationLock + 1

// Indexes that only queries need are made after the load, as in the migration that makes them first.
const (
	beginLoad = `
	DROP INDEX IF EXISTS brokerage.orders_cash;
	DROP INDEX IF EXISTS brokerage.securities_search;`

	endLoad = `
	CREATE INDEX IF NOT EXISTS orders_cash ON brokerage.orders (((keys).account), ((keys).cash) DESC, ((keys).id))
		WHERE (keys).cash IS NOT NULL;
	CREATE INDEX IF NOT EXISTS securities_search ON brokerage.securities (((keys).sector), ((keys).pe), ((keys).yield));`

	// Collects statistics, and marks the pages whose rows are visible to all.
	afterLoad = `VACUUM (ANALYZE) brokerage.orders, brokerage.customers, brokerage.accounts, brokerage.securities`
)

// Indexed reports whether the indexes that are created at the end of a load exist.
func (s *Store) Indexed(ctx context.Context) (indexed bool, err error) {
	err = s.pool.QueryRow(ctx, `SELECT to_regclass('brokerage.orders_cash') IS NOT NULL
		AND to_regclass('brokerage.securities_search') IS NOT NULL`).Scan(&indexed)
	return indexed, domainError(ctx, err, false)
}

// loadDone reports whether a load has nothing to do.
func (s *Store) loadDone(ctx context.Context, name string, same func(brokerage.Contents) bool) (bool, error) {
	if done, err := s.Done(ctx, name, same); !done {
		return false, err
	}
	return s.Indexed(ctx)
}

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
		return errors.New("another load into the database is running")
	}
	defer func() {
		// When the connection is lost, so is the lock.
		_, _ = conn.Exec(context.WithoutCancel(ctx), "SELECT pg_advisory_unlock($1)", int64(loadLock))
	}()
	if err := set(ctx, conn, bulk.SettingLoading, name); Forbidden(err) {
		return fmt.Errorf("loading is for the owner to do, and role %s is not: %w", conn.Conn().Config().User, err)
	} else if err != nil {
		return domainError(ctx, err, false)
	}
	for _, step := range []func() error{
		func() error { _, err := conn.Exec(ctx, beginLoad); return err },
		load,
		func() error { _, err := conn.Exec(ctx, endLoad); return err },
		func() error { _, err := conn.Exec(ctx, afterLoad); return err },
		func() error {
			return pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
				if err := end(tx); err != nil {
					return err
				}
				_, err := tx.Exec(ctx, statements["delete_setting"], bulk.SettingLoading)
				return err
			})
		},
	} {
		if err := step(); err != nil {
			return fmt.Errorf("loading %s: %w", name, err)
		}
	}
	return nil
}

package postgres

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"

	"github.com/jackc/pgx/v5"

	"brokerage/internal/dataset"
	"brokerage/internal/store"
)

// chunkSize is how many documents are copied and committed together.
const chunkSize = 2000

// LoadDataset fills the store with a generated dataset, by COPY on at most one connection more than there are
// processors. Until all of it is there, the store is not Ready; after an interruption it can only be emptied. A
// finished load is not repeated.
func (s *Store) LoadDataset(ctx context.Context, d *dataset.Dataset, progress store.Progress) error {
	// One more than processors, because a connection waits for the server at times. Another one holds the load's lock.
	atOnce := max(1, min(runtime.GOMAXPROCS(0)+1, int(s.pool.Config().MaxConns)-1))
	return s.loader(ctx).LoadDataset(ctx, d, chunkSize, atOnce, progress)
}

// LoadBatches fills the store with documents from elsewhere; see store.Loader.
func (s *Store) LoadBatches(ctx context.Context, from store.Source, progress store.Progress) (store.Loaded, error) {
	return s.loader(ctx).Load(ctx, from, progress)
}

func (s *Store) loader(ctx context.Context) *store.Loader[pgx.Tx] {
	return &store.Loader[pgx.Tx]{
		Record:  &s.LoadRecord,
		Frame:   s.loading,
		Packing: store.Packing{Keys: store.KeysOf},
		// Batches are sent to the nodes in turn, because the node that receives one parses its documents. Any error ends
		// the load, even a lost connection, because the batch may be committed.
		Write: func(ctx context.Context, do func(pgx.Tx) error) error {
			return pgx.BeginFunc(ctx, s.poolFor("", nil), do)
		},
		Insert: func(tx pgx.Tx, documents []store.PreparedDocument) error {
			return s.insertDocuments(ctx, tx, documents)
		},
		RaiseLeases: func(tx pgx.Tx) error { return raiseLeases(ctx, tx) },
		Set:         func(tx pgx.Tx, name string, value any) error { return set(ctx, tx, name, value) },
	}
}

// loadLock is the advisory lock that a load holds until its end, on a connection of its own.
const loadLock = schemaLock + 1

// afterLoad returns a statement that collects statistics, and marks the pages whose rows are visible to all.
func (s *Store) afterLoad() string { return "VACUUM (ANALYZE) " + names(s.tables()) }

var errLoadRuns = errors.New("another load into the database is running")

// loading runs a load. A setting marks the load as unfinished from before its first document until the transaction
// that calls end and removes the mark, so the load may be interrupted at any point. A second load at the same time is
// refused: each would take documents of the other for duplicates.
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
	if err := set(ctx, conn, store.SettingLoading, name); isForbidden(err) {
		return fmt.Errorf("only the schema's owner can load, and role %s is not: %w", conn.Conn().Config().User, err)
	} else if err != nil {
		return domainError(ctx, err, false)
	}
	if err = load(); err == nil {
		_, err = conn.Exec(ctx, s.afterLoad()) // outside of a transaction, as VACUUM requires
	}
	if err == nil {
		err = pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
			if err := end(tx); err != nil {
				return err
			}
			_, err := tx.Exec(ctx, "DELETE FROM brokerage.settings WHERE name = $1", store.SettingLoading)
			return err
		})
	}
	if err != nil {
		err = fmt.Errorf("loading %s: %w", name, err)
	}
	return err
}

// setting returns a setting of the database, or "" if there is none. It is for the LoadRecord.
func (s *Store) setting(ctx context.Context, name string) (text string, err error) {
	if err = s.queryRow(ctx, "get_setting", []any{name}, &text); noRows(err) {
		err = nil
	}
	return text, err
}

// set writes a setting as JSON.
func set(ctx context.Context, q querier, name string, value any) error {
	b, err := json.Marshal(value)
	if err != nil {
		return err
	}
	_, err = q.Exec(ctx, statements["set_setting"], name, string(b))
	return err
}

// raiseLeases makes leases begin above all ids that are stored, unless they are higher already.
func raiseLeases(ctx context.Context, q querier) error {
	for kind, last := range map[string]string{
		"order": "max(id) FROM brokerage.orders", "customer": "max(id) FROM brokerage.customers",
		"account": "max(account) FROM brokerage.accounts",
	} {
		var id *int64 // nil if there is none
		err := q.QueryRow(ctx, "SELECT "+last).Scan(&id)
		if err == nil {
			_, err = q.Exec(ctx, "UPDATE brokerage.leases SET next = greatest(next, $2::bigint + 1) WHERE kind = $1", kind, id)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

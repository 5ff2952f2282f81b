package db2

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"brokerage/internal/dataset"
	"brokerage/internal/store"
	"brokerage/internal/tpox"
)

// tables are the tables of the kinds.
var tables = [...]string{dataset.Security: "security", dataset.Customer: "custacc", dataset.Order: "orders"}

// inserts are the statements by which a load inserts documents. They do not validate: generated documents are valid,
// and the load command validates files with --validate.
var inserts = [...]string{
	dataset.Security: "insert_security", dataset.Customer: "insert_customer_as_is", dataset.Order: "insert_order",
}

// set stores a setting, as JSON.
func (t *tx) set(name string, value any) error {
	b, err := json.Marshal(value)
	if err != nil {
		return err
	}
	if _, err := t.exec("delete_setting", name); err != nil {
		return err
	}
	_, err = t.exec("insert_setting", name, b)
	return err
}

// change runs a transaction of a load. It does not run again after a commit with an unknown outcome: a lost connection
// ends the load.
func (s *Store) change(ctx context.Context, do func(t *tx) error) error {
	_, err := s.writeOn(ctx, s.admin, tpox.Write{}, failUnknown, func(t *tx) ([]byte, error) { return nil, do(t) })
	return err
}

// holdLoad takes the lock that a load holds until its end. release ends it; if the connection is lost, so is the lock.
func (s *Store) holdLoad(ctx context.Context) (release func(), err error) {
	lock, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return nil, domainError(ctx, err, false)
	}
	if _, err = lock.ExecContext(ctx, statements["hold_load"]); err == nil {
		return func() { _ = lock.Rollback() }, nil // it has only locked
	}
	_ = lock.Rollback() // it has done nothing
	if isLockTimeout(err) {
		return nil, errors.New("another load into the database is under way")
	}
	return nil, domainError(ctx, err, false)
}

// loading runs a load under a lock, because two loads at once would each take the other's documents for duplicates. A
// setting says that a load is not finished before the first document is stored and until statistics are collected; end
// runs in the transaction that removes it.
func (s *Store) loading(ctx context.Context, name string, load func() error, end func(*tx) error) error {
	release, err := s.holdLoad(ctx)
	if err != nil {
		return err
	}
	defer release()
	for _, step := range []func() error{
		func() error { return s.change(ctx, func(t *tx) error { return t.set(store.SettingLoading, name) }) },
		load,
		func() error {
			for _, name := range s.afterLoad() {
				if err := s.eachTable(ctx, name); err != nil {
					s.notice("after the load, a statement failed that an administrator can run for each table: %v", err)
				}
			}
			return ctx.Err()
		},
		func() error {
			return s.change(ctx, func(t *tx) error {
				if err := end(t); err != nil {
					return err
				}
				_, err := t.exec("delete_setting", store.SettingLoading)
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

// afterLoad returns the names of the statements that a load runs on each table when all documents are stored.
func (s *Store) afterLoad() []string {
	if s.settings.Dictionary {
		return []string{"reorganize", "runstats"}
	}
	return []string{"runstats"}
}

// Runstats collects statistics of the tables; without them the optimizer may choose scans.
func (s *Store) Runstats(ctx context.Context) error { return s.eachTable(ctx, "runstats") }

// eachTable runs a statement on each table of documents.
func (s *Store) eachTable(ctx context.Context, name string) error {
	schema, err := s.schema(ctx, s.admin)
	if err != nil {
		return err
	}
	sample := ""
	if percent := s.settings.StatisticsSample; percent > 0 {
		sample = fmt.Sprintf(" TABLESAMPLE SYSTEM (%d)", percent)
	}
	for _, table := range tables {
		named := strings.NewReplacer("$schema", schema, "$table", strings.ToUpper(table), "$sample", sample)
		command := named.Replace(statements[name])
		if _, err := s.admin.ExecContext(ctx, command); err != nil {
			return fmt.Errorf("%s: %w", command, err)
		}
	}
	return nil
}

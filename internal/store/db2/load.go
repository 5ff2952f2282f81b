package db2

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
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

// chunkSize is how many documents LoadDataset commits together. The uncommitted documents of all connections must fit
// into the logs, which have 53 MB by default (SQL0964C).
const chunkSize = 100

// LoadDataset fills the store with a generated dataset, on several connections. The store is not Ready until all is
// loaded; after an interruption it must be emptied first. A finished load is not repeated.
func (s *Store) LoadDataset(ctx context.Context, d *dataset.Dataset, progress store.Progress) error {
	loader := s.loader()
	loader.RaiseLeases = func(t *tx) error {
		return t.raiseLeases(map[string]int64{
			"order":    d.ID(dataset.Order, d.Count(dataset.Order)),
			"customer": d.ID(dataset.Customer, d.Count(dataset.Customer)),
			"account":  d.FirstAccount(d.Count(dataset.Customer)),
		})
	}
	atOnce := min(4*runtime.GOMAXPROCS(0), s.settings.Pool) // each waits for the server most of the time
	return loader.LoadDataset(ctx, d, chunkSize, atOnce, progress)
}

// LoadBatches fills the store with documents from a source; see store.Loader.
func (s *Store) LoadBatches(ctx context.Context, from store.Source, progress store.Progress) (store.Loaded, error) {
	return s.loader().Load(ctx, from, progress)
}

func (s *Store) loader() *store.Loader[*tx] {
	return &store.Loader[*tx]{
		Record:      &s.LoadRecord,
		Frame:       s.loading,
		Packing:     store.Packing{Keys: store.KeysOf},
		Write:       s.change,
		Insert:      (*tx).insertDocuments,
		RaiseLeases: (*tx).raiseLeasesToGreatest,
		Set:         (*tx).set,
	}
}

// insertDocuments inserts the documents that the database accepts, and sets Refused in the others. A refused statement
// changes nothing, and the transaction continues.
func (t *tx) insertDocuments(documents []store.PreparedDocument) error {
	for i := range documents {
		d := &documents[i]
		if d.Refused != nil {
			continue
		}
		_, err := t.exec(inserts[d.Kind], d.Doc)
		domain := domainError(t.ctx, err, false)
		_, invalid := domain.(*tpox.Invalid) //nolint:errorlint // it is domainError's own
		switch {
		case invalid:
			d.Refused = domain
		case isDuplicate(err):
			d.Refused = duplicate(d.Keys)
		case err != nil:
			return err
		}
	}
	return nil
}

// duplicate returns the error of a document with these keys, of which one exists. Db2 does not tell which.
func duplicate(keys any) error {
	switch keys := keys.(type) {
	case tpox.OrderKeys:
		return tpox.DuplicateOrder(keys.ID)
	case tpox.CustomerKeys:
		return fmt.Errorf("customer %d, or one of its accounts, exists already", keys.ID)
	case tpox.SecurityKeys:
		return fmt.Errorf("security %s exists already", keys.Symbol)
	default:
		return errors.New("a key of the document exists already")
	}
}

// raiseLeasesToGreatest makes leases begin after the greatest ids in the documents.
func (t *tx) raiseLeasesToGreatest() error {
	var order, customer, account sql.NullInt64
	if _, err := row(t.ctx, t, "greatest_ids", nil, []any{&order, &customer, &account}); err != nil {
		return err
	}
	return t.raiseLeases(map[string]int64{
		"order": order.Int64 + 1, "customer": customer.Int64 + 1, "account": account.Int64 + 1,
	})
}

// holdLoad locks the table of loads, or returns an error after the lock timeout if another load or Empty holds the
// lock. The lock is held until release is called, ctx is done or the connection ends.
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
// setting marks the load as unfinished, from before the first document until statistics are collected. The function
// end runs in the transaction that removes the setting.
func (s *Store) loading(ctx context.Context, name string, load func() error, end func(*tx) error) (err error) {
	release, err := s.holdLoad(ctx)
	if err != nil {
		return err
	}
	defer release()
	defer func() {
		if err != nil {
			err = fmt.Errorf("loading %s: %w", name, err)
		}
	}()
	if err := s.change(ctx, func(t *tx) error { return t.set(store.SettingLoading, name) }); err != nil {
		return err
	}
	if err := load(); err != nil {
		return err
	}
	if err := s.Runstats(ctx); err != nil {
		s.notice("collecting statistics after the load failed; an administrator can run RUNSTATS for each table: %v", err)
	}
	return s.change(ctx, func(t *tx) error {
		if err := end(t); err != nil {
			return err
		}
		_, err := t.exec("delete_setting", store.SettingLoading)
		return err
	})
}

// Runstats collects statistics of the tables; without them the optimizer may choose scans.
func (s *Store) Runstats(ctx context.Context) error {
	for _, table := range tables {
		named := strings.NewReplacer("$schema", s.settings.Schema, "$table", strings.ToUpper(table))
		command := named.Replace(statements["runstats"])
		if _, err := s.admin.ExecContext(ctx, command); err != nil {
			return fmt.Errorf("%s: %w", command, err)
		}
	}
	return nil
}

// change runs a transaction of a load or of Empty. A commit with an unknown outcome is an error and not retried.
func (s *Store) change(ctx context.Context, do func(t *tx) error) error {
	_, err := s.writeOn(ctx, s.admin, tpox.Write{}, failUnknown, func(t *tx) ([]byte, error) { return nil, do(t) })
	return err
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

// raiseLeases makes leases of each kind begin at the given id or later.
func (t *tx) raiseLeases(next map[string]int64) error {
	for kind, id := range next {
		if _, err := t.exec("raise_lease", id, kind, id); err != nil {
			return err
		}
	}
	return nil
}

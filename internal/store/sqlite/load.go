package sqlite

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"

	"brokerage/internal/dataset"
	"brokerage/internal/store"
	"brokerage/internal/tpox"
)

var insertDictionary = &statement{name: "insert_dictionary"}

const (
	// batchSize is how many documents of a generated dataset share a commit.
	batchSize = 2000
	// trainingSamples is how many documents of a kind its dictionary is made from. With 1,000, packed documents are
	// 1 % smaller, and a load of tiny or XXXS takes 1.7 times as long.
	trainingSamples = 300
)

// LoadDataset fills the store with a generated dataset. It trusts the generator and does not validate documents. While
// documents and indexes are written, the store is not Ready; after an interruption, even a kill -9, it can only be
// emptied. A finished load is not repeated.
func (s *Store) LoadDataset(ctx context.Context, d *dataset.Dataset, progress store.Progress) error {
	samples := func(k dataset.Kind, n int) [][]byte { return sample(d, k, n) }
	return s.loader(samples).LoadDataset(ctx, d, batchSize, 1, progress)
}

// sample returns documents of a kind. If the dataset has none, they are of scale XXXS, since clients may insert some.
func sample(d *dataset.Dataset, k dataset.Kind, n int) [][]byte {
	if d.Count(k) == 0 {
		spec := d.Spec()
		spec.Scale = dataset.Scales()[1]
		d = dataset.New(spec)
	}
	count := d.Count(k)
	n = int(min(int64(n), count))
	docs := make([][]byte, n)
	for i := range docs {
		docs[i] = d.Append(nil, k, int64(i)*count/int64(n))
	}
	return docs
}

// control runs statements on the writing connection, between groups. Unlike a transaction they are interrupted when ctx
// ends, because they share no group.
func (s *Store) control(ctx context.Context, statements string) error {
	return s.exclusive(ctx, func(conn *sql.Conn) error {
		_, err := conn.ExecContext(ctx, statements)
		if err != nil && ctx.Err() != nil {
			err = ctx.Err() // the driver's error may say only "interrupted"
		}
		return err
	})
}

// exclusive calls do(conn) with the writing connection, between groups. ctx bounds only the wait.
func (s *Store) exclusive(ctx context.Context, do func(*sql.Conn) error) error {
	return domainError(s.writer.enqueue(&job{ctx: ctx, exclusive: do}))
}

// train makes the dictionaries of a database that has none.
func (s *Store) train(ctx context.Context, samples func(dataset.Kind, int) [][]byte) error {
	dictionaries, err := readDictionaries(ctx, s.reading)
	if err != nil || len(dictionaries) > 0 || s.options.Uncompressed {
		return err
	}
	s.options.Doing("training dictionaries for compression")
	defer s.options.Doing("")
	type result struct {
		kind kind
		body []byte
		err  error
	}
	results := make(chan result, len(dataset.Kinds))
	for _, k := range dataset.Kinds {
		go func() {
			kind := kind(k.String())
			body, err := trainDictionary(kind, samples(k, trainingSamples))
			results <- result{kind, body, err}
		}()
	}
	for range dataset.Kinds {
		select {
		case r := <-results:
			if r.err != nil {
				return fmt.Errorf("training dictionaries: %w", r.err)
			}
			dictionaries[r.kind] = r.body
		case <-ctx.Done():
			return ctx.Err() // training cannot be cancelled, and ends by itself
		}
	}
	codec, err := newCodec(dictionaries, s.options.Uncompressed)
	if err != nil {
		return err
	}
	err = s.writer.write(ctx, func(t *transaction) error {
		for k, body := range dictionaries {
			if _, err := t.exec(insertDictionary, string(k), body); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil {
		s.codec.Store(codec)
	}
	return err
}

func keysOf(k dataset.Kind, doc []byte) (any, error) {
	keys, err := store.KeysOf(k, doc)
	if security, ok := keys.(tpox.SecurityKeys); ok {
		return securityRowOf(security, doc), err
	}
	return keys, err
}

// raiseLeases makes leases begin above the ids that are stored.
func (t *transaction) raiseLeases() error {
	t.changed = true
	_, err := t.w.conn.ExecContext(context.Background(), `
		UPDATE leases SET next = max(next, CASE kind
			WHEN 'order' THEN (SELECT coalesce(max(id), 0) + 1 FROM orders)
			WHEN 'customer' THEN (SELECT coalesce(max(id), 0) + 1 FROM customers)
			ELSE (SELECT coalesce(max(id), 0) + 1 FROM accounts) END)`)
	return err
}

// insert stores a new document. If a key of it exists already, it stores nothing and returns *tpox.Conflict.
func (t *transaction) insert(doc store.PreparedDocument) (err error) {
	switch keys := doc.Keys.(type) {
	case securityRow:
		if _, err = t.exec(insertSecurity, keys.args(doc.Doc)...); isDuplicate(err) {
			err = &tpox.Conflict{Detail: fmt.Sprintf("security %s exists already", keys.Symbol)}
		}
	case tpox.CustomerKeys:
		// All keys are looked up before anything is stored, so that a refusal has nothing to undo.
		if err := t.row(sizeCustomer, []any{int64(keys.ID)}, new(int64)); !noRows(err) {
			return cmp.Or[error](err, tpox.DuplicateCustomer(keys.ID))
		}
		for _, account := range keys.Accounts {
			if err := t.row(customerOf, []any{int64(account)}, new(int64)); !noRows(err) {
				return cmp.Or[error](err, tpox.DuplicateAccount(account))
			}
		}
		if _, err = t.exec(insertCustomer, int64(keys.ID), doc.Doc); err == nil {
			err = t.insertAccounts(keys.ID, keys.Accounts...)
		}
	case tpox.OrderKeys:
		_, err = t.exec(insertOrder, int64(keys.ID), int64(keys.Account), keys.Cash, doc.Doc)
		if isDuplicate(err) {
			err = tpox.DuplicateOrder(keys.ID)
		}
	}
	return err
}

// LoadBatches fills the store with documents from a source; see store.Loader.
func (s *Store) LoadBatches(ctx context.Context, from store.Source, progress store.Progress) (store.Loaded, error) {
	return s.loader(from.Sample).Load(ctx, from, progress)
}

// loader returns a loader that trains the dictionaries with samples.
func (s *Store) loader(samples func(k dataset.Kind, n int) [][]byte) *store.Loader[*transaction] {
	return &store.Loader[*transaction]{
		Record: &s.LoadRecord,
		Frame: func(ctx context.Context, name string, load func() error, end func(*transaction) error) error {
			if err := s.train(ctx, samples); err != nil {
				return err
			}
			return s.loading(ctx, name, load, end)
		},
		Packing: store.Packing{
			Keys: keysOf,
			Pack: func(k dataset.Kind, doc []byte) []byte { return s.pack(kind(k.String()), doc) },
		},
		Write: s.writer.write,
		Insert: func(t *transaction, documents []store.PreparedDocument) error {
			for i := range documents {
				d := &documents[i]
				if d.Refused != nil {
					continue
				}
				if err := t.insert(*d); tpox.Is[*tpox.Conflict](err) {
					d.Refused = err
				} else if err != nil {
					return err
				}
			}
			return nil
		},
		RaiseLeases: (*transaction).raiseLeases,
		Set:         (*transaction).set,
	}
}

var (
	getSetting    = &statement{name: "get_setting", kind: settings}
	setSetting    = &statement{name: "set_setting", kind: settings}
	deleteSetting = &statement{name: "delete_setting", kind: settings}
)

// setting returns a setting for the LoadRecord.
func (s *Store) setting(ctx context.Context, name string) (text string, err error) {
	err = s.query(ctx, getSetting, []any{name}, &text)
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

// Indexes that a load does not need are made after it, all at once.
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
	DROP TABLE IF EXISTS sqlite_stat4; -- see below
	PRAGMA synchronous = FULL;
	PRAGMA wal_checkpoint(TRUNCATE);` // now, so that an error for lack of room is the load's

	// sqlite_stat4 has the samples of columns that ANALYZE takes. While it exists, SQLite plans a statement that compares
	// such a column with a parameter again at each execution, and the planning takes longer than the execution.
)

// loading wraps every load. Before anything is loaded, it records the load as unfinished. After the indexes are made,
// it calls end(t) and deletes that record, in one transaction. The function load may be interrupted at any point.
func (s *Store) loading(
	ctx context.Context, name string, load func() error, end func(*transaction) error,
) (err error) {
	err = s.writer.write(ctx, func(t *transaction) error { return t.set(store.SettingLoading, name) })
	if err != nil {
		return err
	}
	defer func() {
		synchronous := cmp.Or(s.settings["synchronous"], "FULL")
		err = errors.Join(err, s.control(context.Background(), "PRAGMA synchronous = "+synchronous))
	}()
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
		_, err := t.exec(deleteSetting, store.SettingLoading)
		return err
	})
}

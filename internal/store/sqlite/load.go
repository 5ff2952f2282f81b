package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"strconv"
	"sync"

	"github.com/klauspost/compress/dict"
	"github.com/klauspost/compress/zstd"

	"brokerage/internal/brokerage"
	"brokerage/internal/dataset"
)

// batchSize is how many documents are committed together.
const batchSize = 2000

// Progress is told how many documents and bytes have been loaded.
type Progress func(documents int, bytes int64)

// LoadDataset fills the store with a generated dataset. It trusts the
// generator: documents are not checked again. Ended at any point, by a kill -9
// too, the same call goes on where it stopped, without a duplicate or a gap:
// each batch is committed together with how far it reached.
func (s *Store) LoadDataset(ctx context.Context, d *dataset.Dataset, progress Progress) (err error) {
	contents := contentsOf(d)
	there, err := s.Contents(ctx)
	if err != nil {
		return err
	}
	if there != (brokerage.Contents{}) && there != contents {
		return fmt.Errorf("the database holds %s already", there.Fingerprint)
	}
	if err := s.train(ctx, func(k dataset.Kind, n int) [][]byte { return sample(d, k, n) }); err != nil {
		return err
	}
	if err := s.control(ctx, beginLoad); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.control(context.Background(), "PRAGMA synchronous = FULL")) }()
	if err := s.setting(ctx, "contents", contents); err != nil {
		return err
	}
	for _, k := range dataset.Kinds {
		if err := s.loadKind(ctx, d, k, progress); err != nil {
			return err
		}
	}
	if err := s.control(ctx, fmt.Sprintf(`
		UPDATE leases SET next = max(next, %d) WHERE kind = 'order';
		UPDATE leases SET next = max(next, %d) WHERE kind = 'customer';
		UPDATE leases SET next = max(next, %d) WHERE kind = 'account';`,
		d.ID(dataset.Order, d.Count(dataset.Order)), d.ID(dataset.Customer, d.Count(dataset.Customer)),
		d.FirstAccount(d.Count(dataset.Customer)))); err != nil {
		return err
	}
	return s.control(ctx, endLoad)
}

// Indexes that only a search needs are made after the load, all at once.
const beginLoad = `
	PRAGMA synchronous = NORMAL;
	DROP INDEX IF EXISTS orders_cash;
	DROP INDEX IF EXISTS accounts_customer;
	DROP INDEX IF EXISTS securities_search;`

const endLoad = `
	CREATE INDEX IF NOT EXISTS orders_cash ON orders (account, cash DESC, id) WHERE cash IS NOT NULL;
	CREATE INDEX IF NOT EXISTS accounts_customer ON accounts (customer);
	CREATE INDEX IF NOT EXISTS securities_search ON securities (sector, pe, yield, symbol, name, type, pe_text, yield_text);
	ANALYZE;
	PRAGMA wal_checkpoint(TRUNCATE);`

func contentsOf(d *dataset.Dataset) brokerage.Contents {
	return brokerage.Contents{
		Fingerprint: d.Fingerprint(), Scale: d.Spec().Scale.String(), Profile: d.Spec().Profile.String(), Seed: d.Spec().Seed,
		Securities: d.Count(dataset.Security), Customers: d.Count(dataset.Customer), Orders: d.Count(dataset.Order),
	}
}

func sample(d *dataset.Dataset, k dataset.Kind, n int) [][]byte {
	count := d.Count(k)
	n = int(min(int64(n), count))
	docs := make([][]byte, n)
	for i := range docs {
		docs[i] = d.Append(nil, k, int64(i)*count/int64(n))
	}
	return docs
}

// control runs statements on the writing connection, between groups.
func (s *Store) control(ctx context.Context, statements string) error {
	job := &job{ctx: ctx, done: make(chan struct{})}
	job.alone = func(conn *connection) error {
		_, err := conn.ExecContext(context.Background(), statements)
		return err
	}
	select {
	case s.writer.queue <- job:
	case <-s.writer.quit:
		return errClosed
	}
	<-job.done
	return domainError(job.err)
}

func (s *Store) setting(ctx context.Context, name string, value any) error {
	b, err := json.Marshal(value)
	if err != nil {
		return err
	}
	return s.writer.write(ctx, func(t *transaction) error {
		_, err := t.exec("set_setting", name, string(b))
		return err
	})
}

func readContents(ctx context.Context, db *sql.DB) (c brokerage.Contents, err error) {
	var text string
	err = db.QueryRowContext(ctx, "SELECT value FROM settings WHERE name = 'contents'").Scan(&text)
	if errors.Is(err, sql.ErrNoRows) {
		return c, nil
	}
	if err != nil {
		return c, domainError(err)
	}
	err = json.Unmarshal([]byte(text), &c)
	return c, err
}

// train makes the dictionaries of a database that has none yet.
func (s *Store) train(ctx context.Context, samples func(dataset.Kind, int) [][]byte) error {
	dictionaries, err := readDictionaries(ctx, s.reading)
	if err != nil || len(dictionaries) > 0 || s.options.Uncompressed {
		return err
	}
	var mu sync.Mutex
	var wg sync.WaitGroup
	var errs []error
	for i, k := range dataset.Kinds {
		wg.Go(func() {
			body, err := dict.BuildZstdDict(samples(k, 1000), dict.Options{
				MaxDictSize: 48 << 10, HashBytes: 6, ZstdDictID: uint32(i + 1), ZstdLevel: zstd.SpeedDefault,
			})
			mu.Lock()
			defer mu.Unlock()
			dictionaries[kind(k.String())] = body
			errs = append(errs, err)
		})
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("training dictionaries: %w", err)
	}
	codec, err := newCodec(dictionaries, s.options.Uncompressed)
	if err != nil {
		return err
	}
	err = s.writer.write(ctx, func(t *transaction) error {
		for k, body := range dictionaries {
			if _, err := t.exec("insert_dictionary", string(k), body); err != nil {
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

// packedBatch is a batch on its way from a packer to the writer.
type packedBatch struct {
	from, to int64
	rows     []packedRow
	bytes    int64
	err      error
}

type packedRow struct {
	keys any
	doc  []byte
}

// loadKind generates and packs on all processors, and writes in order.
func (s *Store) loadKind(ctx context.Context, d *dataset.Dataset, k dataset.Kind, progress Progress) error {
	name := "loaded." + k.String()
	from := int64(0)
	var text string
	switch err := s.reading.QueryRowContext(ctx, "SELECT value FROM settings WHERE name = ?", name).Scan(&text); {
	case err == nil:
		from, _ = strconv.ParseInt(text, 10, 64)
	case !errors.Is(err, sql.ErrNoRows):
		return domainError(err)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	workers := runtime.GOMAXPROCS(0)
	// A queue of batches under way keeps their order: each is a place where its
	// packer puts it.
	underWay := make(chan chan packedBatch, workers)
	go func() {
		defer close(underWay)
		for i := from; i < d.Count(k); i += batchSize {
			place := make(chan packedBatch, 1)
			select {
			case underWay <- place:
			case <-ctx.Done():
				return
			}
			go func() { place <- s.packBatch(d, k, i, min(i+batchSize, d.Count(k))) }()
		}
	}()
	for place := range underWay {
		b := <-place
		if b.err != nil {
			return b.err
		}
		err := s.writer.write(ctx, func(t *transaction) error {
			for _, row := range b.rows {
				if err := t.insertRow(row); err != nil {
					return err
				}
			}
			_, err := t.exec("set_setting", name, strconv.FormatInt(b.to, 10))
			return err
		})
		if err != nil {
			return err
		}
		if progress != nil {
			progress(len(b.rows), b.bytes)
		}
	}
	return ctx.Err()
}

func (s *Store) packBatch(d *dataset.Dataset, k dataset.Kind, from, to int64) packedBatch {
	b := packedBatch{from: from, to: to}
	var doc []byte
	for i := from; i < to; i++ {
		doc = d.Append(doc[:0], k, i)
		b.bytes += int64(len(doc))
		keys, err := keysOf(k, doc)
		if err != nil {
			b.err = err
			return b
		}
		b.rows = append(b.rows, packedRow{keys, s.codec.Load().packDense(kind(k.String()), doc)})
	}
	return b
}

func keysOf(k dataset.Kind, doc []byte) (any, error) {
	switch k {
	case dataset.Security:
		return brokerage.SecurityKeysOf(doc)
	case dataset.Customer:
		return brokerage.CustomerKeysOf(doc)
	default:
		return brokerage.OrderKeysOf(doc)
	}
}

func (t *transaction) insertRow(row packedRow) (err error) {
	switch keys := row.keys.(type) {
	case brokerage.SecurityKeys:
		_, err = t.exec("insert_security", append(append([]any{keys.Symbol}, columns(keys)...), row.doc)...)
	case brokerage.CustomerKeys:
		_, err = t.exec("insert_customer", int64(keys.ID), row.doc)
		for _, account := range keys.Accounts {
			if err == nil {
				err = t.insertAccount(account, keys.ID)
			}
		}
	case brokerage.OrderKeys:
		_, err = t.exec("insert_order", int64(keys.ID), int64(keys.Account), keys.Cash, row.doc)
	}
	return err
}

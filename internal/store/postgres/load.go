package postgres

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/jackc/pgx/v5"

	"brokerage/internal/brokerage"
	"brokerage/internal/dataset"
	"brokerage/internal/store/bulk"
)

// chunkSize is how many documents are copied and committed together.
const chunkSize = 2000

// settingChunk is the prefix of the settings of an unfinished load: chunk.KIND.FIRST holds the bytes of documents in a
// chunk that is committed.
const settingChunk = "chunk."

// LoadDataset fills the store with a generated dataset, by COPY on as many connections as there are processors, and
// makes the indexes that only queries need afterwards. After an interruption the same call continues where it stopped,
// without a duplicate or a gap: each chunk is committed together with a note of it. Until all of it is there, indexes
// too, the store is not Ready. A finished load is left as it is.
func (s *Store) LoadDataset(ctx context.Context, d *dataset.Dataset, progress bulk.Progress) error {
	contents := bulk.ContentsOf(d)
	done, err := s.loadDone(ctx, contents.Fingerprint, func(there brokerage.Contents) bool { return there == contents })
	if done || err != nil {
		return err
	}
	return s.loading(ctx, contents.Fingerprint, func() error {
		// Customers before orders, whose rows name theirs.
		for _, k := range []dataset.Kind{dataset.Security, dataset.Customer, dataset.Order} {
			if err := s.loadKind(ctx, d, k, progress); err != nil {
				return err
			}
		}
		return nil
	}, func(tx pgx.Tx) error {
		for kind, next := range map[string]int64{
			"order":    d.ID(dataset.Order, d.Count(dataset.Order)),
			"customer": d.ID(dataset.Customer, d.Count(dataset.Customer)),
			"account":  d.FirstAccount(d.Count(dataset.Customer)),
		} {
			_, err := tx.Exec(ctx, "UPDATE brokerage.leases SET next = greatest(next, $2) WHERE kind = $1", kind, next)
			if err != nil {
				return err
			}
		}
		for _, k := range dataset.Kinds {
			if err := endChunks(ctx, tx, k); err != nil {
				return err
			}
			if err := set(ctx, tx, bulk.SettingLoadedOf+k.String(), d.Count(k)); err != nil {
				return err
			}
		}
		return set(ctx, tx, bulk.SettingContents, contents)
	})
}

// endChunks replaces the notes of all chunks of a kind by one of their sum.
func endChunks(ctx context.Context, tx pgx.Tx, k dataset.Kind) error {
	prefix := settingChunk + k.String() + "."
	var raw int64
	err := tx.QueryRow(ctx, `SELECT coalesce(sum(value::bigint), 0)::bigint FROM brokerage.settings
		WHERE starts_with(name, $1)`, prefix).Scan(&raw)
	if err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, "DELETE FROM brokerage.settings WHERE starts_with(name, $1)", prefix); err != nil {
		return err
	}
	return set(ctx, tx, bulk.SettingRaw+k.String(), raw)
}

// loadKind generates and copies the chunks of a kind that are missing.
func (s *Store) loadKind(ctx context.Context, d *dataset.Dataset, k dataset.Kind, progress bulk.Progress) error {
	there, err := s.chunks(ctx, k)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var next atomic.Int64
	var mu sync.Mutex // one call of progress at a time
	var wg sync.WaitGroup
	// One more than processors, because each waits for the server now and then; the load has a connection for its lock.
	errs := make([]error, max(1, min(runtime.GOMAXPROCS(0)+1, int(s.pool.Config().MaxConns)-1)))
	for i := range errs {
		wg.Go(func() {
			for ctx.Err() == nil {
				first := (next.Add(1) - 1) * chunkSize
				if first >= d.Count(k) {
					return
				}
				if there[first] {
					continue
				}
				loaded, err := s.loadChunk(ctx, d, k, first)
				if err != nil {
					errs[i] = err
					cancel()
					return
				}
				if progress != nil {
					mu.Lock()
					progress(loaded.documents, loaded.bytes)
					mu.Unlock()
				}
			}
		})
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil && !errors.Is(err, context.Canceled) {
			return err // the others were cancelled because of it
		}
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	return ctx.Err()
}

// chunks returns the chunks of a kind that are committed, by their first document.
func (s *Store) chunks(ctx context.Context, k dataset.Kind) (map[int64]bool, error) {
	prefix := settingChunk + k.String() + "."
	rows, err := s.pool.Query(ctx, "SELECT name FROM brokerage.settings WHERE starts_with(name, $1)", prefix)
	if err != nil {
		return nil, domainError(ctx, err, false)
	}
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return nil, domainError(ctx, err, false)
	}
	there := make(map[int64]bool, len(names))
	for _, name := range names {
		first, err := strconv.ParseInt(strings.TrimPrefix(name, prefix), 10, 64)
		if err != nil {
			return nil, fmt.Errorf("setting %s: %w", name, err)
		}
		there[first] = true
	}
	return there, nil
}

// A chunk is documents that are copied together.
type chunk struct {
	accounts  []int64 // of orders
	documents int
	bytes     int64
}

func (s *Store) loadChunk(ctx context.Context, d *dataset.Dataset, k dataset.Kind, first int64) (c chunk, err error) {
	var docs [][]byte
	for i := first; i < min(first+chunkSize, d.Count(k)); i++ {
		doc := d.Append(nil, k, i)
		docs = append(docs, doc)
		c.bytes += int64(len(doc))
		if k == dataset.Order {
			keys, err := brokerage.OrderKeysOf(doc)
			if err != nil {
				return c, err
			}
			c.accounts = append(c.accounts, int64(keys.Account))
		}
	}
	c.documents = len(docs)
	// A lost connection ends the load, because the chunk may be committed: the same command continues.
	err = s.again(ctx, func(ctx context.Context) error {
		return pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
			if err := copyDocuments(ctx, tx, k, docs, c.accounts); err != nil {
				return err
			}
			return set(ctx, tx, fmt.Sprintf("%s%s.%d", settingChunk, k, first), c.bytes)
		})
	}, isConflict)
	return c, err
}

// LoadedDocuments returns how many documents of a kind LoadDataset has loaded. During a load the last chunk, which may
// be smaller, counts in full.
func (s *Store) LoadedDocuments(ctx context.Context, k dataset.Kind) (n int64, err error) {
	if err = s.Setting(ctx, bulk.SettingLoadedOf+k.String(), &n); err != nil || n > 0 {
		return n, err
	}
	there, err := s.chunks(ctx, k)
	return int64(len(there)) * chunkSize, err
}

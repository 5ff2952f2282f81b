package db2

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"brokerage/internal/dataset"
	"brokerage/internal/store"
	"brokerage/internal/tpox"
)

// chunkSize is how many documents are committed together. What all connections have not committed must fit into the
// logs, which have 52 MB by default (SQL0964C).
const chunkSize = 100

// settingChunk begins the settings of a running load: chunk.KIND.FIRST is how many bytes of documents a committed chunk
// holds.
const settingChunk = "chunk."

// LoadDataset fills the store with a generated dataset, on several connections. After a load that was ended at any
// point the same call continues it without a duplicate or a gap: each chunk is committed together with a setting that
// records it. The store is not Ready until all is loaded. A finished load is not repeated.
func (s *Store) LoadDataset(ctx context.Context, d *dataset.Dataset, progress store.Progress) error {
	contents := store.ContentsOf(d)
	done, err := s.Done(ctx, contents.Fingerprint, func(stored tpox.Contents) bool { return stored == contents })
	if done || err != nil {
		return err
	}
	var raw [len(dataset.Kinds)]int64
	return s.loading(ctx, contents.Fingerprint, func() (err error) {
		for _, k := range dataset.Kinds {
			if raw[k], err = s.loadKind(ctx, d, k, progress); err != nil {
				return err
			}
		}
		return nil
	}, func(t *tx) error {
		if err := t.raiseLeases(map[string]int64{
			"order":    d.ID(dataset.Order, d.Count(dataset.Order)),
			"customer": d.ID(dataset.Customer, d.Count(dataset.Customer)),
			"account":  d.FirstAccount(d.Count(dataset.Customer)),
		}); err != nil {
			return err
		}
		for _, k := range dataset.Kinds {
			if err := t.endChunks(k); err != nil {
				return err
			}
			if err := t.set(store.SettingRaw+k.String(), raw[k]); err != nil {
				return err
			}
			if err := t.set(store.SettingLoadedOf+k.String(), d.Count(k)); err != nil {
				return err
			}
		}
		return t.set(store.SettingContents, contents)
	})
}

// chunks returns the committed chunks of a kind: the bytes of each, by the number of its first document.
func chunks(ctx context.Context, q querier, k dataset.Kind) (sizeBytes map[int64]int64, err error) {
	prefix := settingChunk + k.String() + "."
	sizeBytes = make(map[int64]int64)
	err = eachRow(ctx, q, statements["list_settings"], []any{prefix + "%"}, func(rows *sql.Rows) error {
		var name string
		var bytes int64
		if err := rows.Scan(&name, &bytes); err != nil {
			return err
		}
		first, err := strconv.ParseInt(strings.TrimPrefix(name, prefix), 10, 64)
		if err != nil {
			return fmt.Errorf("setting %s: %w", name, err)
		}
		sizeBytes[first] = bytes
		return nil
	})
	return sizeBytes, err
}

func (t *tx) endChunks(k dataset.Kind) error {
	committed, err := chunks(t.ctx, t, k)
	if err != nil {
		return err
	}
	for first := range committed {
		if _, err := t.exec("delete_setting", chunkName(k, first)); err != nil {
			return err
		}
	}
	return nil
}

func chunkName(k dataset.Kind, first int64) string {
	return fmt.Sprintf("%s%s.%d", settingChunk, k, first)
}

// loadKind loads the missing chunks of a kind, and returns how many bytes all of its documents have.
func (s *Store) loadKind(
	ctx context.Context, d *dataset.Dataset, k dataset.Kind, progress store.Progress,
) (raw int64, err error) {
	committed, err := chunks(ctx, s.admin, k)
	if err != nil {
		return 0, domainError(ctx, err, false)
	}
	for _, bytes := range committed {
		raw += bytes
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var next atomic.Int64
	var mu sync.Mutex // for raw and progress
	var wg sync.WaitGroup
	// Each goroutine waits for the server most of the time.
	errs := make([]error, min(4*runtime.GOMAXPROCS(0), s.settings.Pool))
	for i := range errs {
		wg.Go(func() {
			for ctx.Err() == nil {
				first := (next.Add(1) - 1) * chunkSize
				if first >= d.Count(k) {
					return
				}
				if _, loaded := committed[first]; loaded {
					continue
				}
				documents, bytes, err := s.loadChunk(ctx, d, k, first)
				if err != nil {
					errs[i] = err
					cancel()
					return
				}
				mu.Lock()
				raw += bytes
				if progress != nil {
					progress(documents, bytes)
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil && !errors.Is(err, context.Canceled) {
			return raw, err // the other goroutines were cancelled because of it
		}
	}
	return raw, cmp.Or(errors.Join(errs...), ctx.Err())
}

func (s *Store) loadChunk(
	ctx context.Context, d *dataset.Dataset, k dataset.Kind, first int64,
) (documents int, bytes int64, err error) {
	last := min(first+chunkSize, d.Count(k))
	err = s.change(ctx, func(t *tx) error {
		bytes = 0
		var doc []byte
		for i := first; i < last; i++ {
			doc = d.Append(doc[:0], k, i)
			bytes += int64(len(doc))
			if _, err := t.exec(inserts[k], doc); err != nil {
				return err
			}
		}
		return t.set(chunkName(k, first), bytes)
	})
	return int(last - first), bytes, err
}

// LoadedDocuments returns how many documents of a kind LoadDataset has loaded. During a load the last chunk counts as
// whole, though it may be smaller.
func (s *Store) LoadedDocuments(ctx context.Context, k dataset.Kind) (n int64, err error) {
	if n, err = s.Ledger.LoadedDocuments(ctx, k); err != nil || n > 0 {
		return n, err
	}
	committed, err := chunks(ctx, s.admin, k)
	return int64(len(committed)) * chunkSize, domainError(ctx, err, false)
}

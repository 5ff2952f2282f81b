package db2

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"brokerage/internal/brokerage"
	"brokerage/internal/dataset"
	"brokerage/internal/store/bulk"
)

// chunkSize is how many documents are committed together.
const chunkSize = 500

// settingChunk begins the settings of a load under way: chunk.KIND.FIRST is how
// many bytes of documents a chunk had that is there.
const settingChunk = "chunk."

func upper(name string) string { return strings.ToUpper(name) }

// LoadDataset fills the store with a generated dataset, on several connections.
// Ended at any point, the same call goes on where it stopped, without a duplicate
// or a gap: each chunk is committed together with a note of it. Until all of it is
// there the store is not Ready. What was finished is not touched.
func (s *Store) LoadDataset(ctx context.Context, d *dataset.Dataset, progress bulk.Progress) error {
	contents := bulk.ContentsOf(d)
	done, err := s.Done(ctx, contents.Fingerprint, func(there brokerage.Contents) bool { return there == contents })
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
		for kind, next := range map[string]int64{
			"order": d.ID(dataset.Order, d.Count(dataset.Order)), "customer": d.ID(dataset.Customer, d.Count(dataset.Customer)),
			"account": d.FirstAccount(d.Count(dataset.Customer)),
		} {
			if _, err := t.exec("raise_lease", next, kind, next); err != nil {
				return err
			}
		}
		for _, k := range dataset.Kinds {
			if err := t.endChunks(k); err != nil {
				return err
			}
			if err := t.set(bulk.SettingRaw+k.String(), raw[k]); err != nil {
				return err
			}
			if err := t.set(bulk.SettingLoadedOf+k.String(), d.Count(k)); err != nil {
				return err
			}
		}
		return t.set(bulk.SettingContents, contents)
	})
}

// chunks are those of a kind that are there: the bytes of each, by its first document.
func chunks(ctx context.Context, q querier, k dataset.Kind) (there map[int64]int64, err error) {
	prefix := settingChunk + k.String() + "."
	rows, err := q.QueryContext(ctx, statements["list_settings"], prefix+"%")
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }() // it was read to its end, or the error is told
	there = make(map[int64]int64)
	for rows.Next() {
		var name, value string
		if err := rows.Scan(&name, &value); err != nil {
			return nil, err
		}
		first, err := strconv.ParseInt(strings.TrimPrefix(name, prefix), 10, 64)
		if err != nil {
			return nil, fmt.Errorf("setting %s: %w", name, err)
		}
		if there[first], err = strconv.ParseInt(value, 10, 64); err != nil {
			return nil, fmt.Errorf("setting %s: %w", name, err)
		}
	}
	return there, rows.Err()
}

func (t *tx) endChunks(k dataset.Kind) error {
	there, err := chunks(t.ctx, t, k)
	if err != nil {
		return err
	}
	for first := range there {
		if _, err := t.exec("delete_setting", chunkName(k, first)); err != nil {
			return err
		}
	}
	return nil
}

func chunkName(k dataset.Kind, first int64) string {
	return fmt.Sprintf("%s%s.%d", settingChunk, k, first)
}

// loadKind loads the chunks of a kind that are not there yet, and tells how large
// all of them are.
func (s *Store) loadKind(ctx context.Context, d *dataset.Dataset, k dataset.Kind, progress bulk.Progress) (raw int64, err error) {
	there, err := chunks(ctx, s.db, k)
	if err != nil {
		return 0, domainError(ctx, err, false)
	}
	for _, bytes := range there {
		raw += bytes
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var next atomic.Int64
	var mu sync.Mutex // progress is told by one at a time
	var wg sync.WaitGroup
	// Each waits for the server most of the time; one connection holds the lock.
	errs := make([]error, max(1, min(4*runtime.GOMAXPROCS(0), s.settings.Pool-1)))
	for i := range errs {
		wg.Go(func() {
			for ctx.Err() == nil {
				first := (next.Add(1) - 1) * chunkSize
				if first >= d.Count(k) {
					return
				}
				if _, loaded := there[first]; loaded {
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
			return raw, err // the others were cancelled because of it
		}
	}
	return raw, orElse(errors.Join(errs...), ctx.Err())
}

func (s *Store) loadChunk(ctx context.Context, d *dataset.Dataset, k dataset.Kind, first int64) (documents int, bytes int64, err error) {
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

// LoadedDocuments is how many documents of a kind LoadDataset has loaded. While
// it does, the last chunk, which may be smaller, counts as whole.
func (s *Store) LoadedDocuments(ctx context.Context, k dataset.Kind) (n int64, err error) {
	if n, err = s.Ledger.LoadedDocuments(ctx, k); err != nil || n > 0 {
		return n, err
	}
	there, err := chunks(ctx, s.db, k)
	return int64(len(there)) * chunkSize, domainError(ctx, err, false)
}

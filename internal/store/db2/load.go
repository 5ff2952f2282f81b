package db2

import (
	"cmp"
	"context"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"

	"brokerage/internal/dataset"
	"brokerage/internal/store"
	"brokerage/internal/tpox"
)

// chunkSize is how many documents are committed together. What all connections have not committed must fit into the
// logs, which have 52 MB by default (SQL0964C).
const chunkSize = 100

// LoadDataset fills the store with a generated dataset, on several connections. The store is not Ready until all is
// loaded; after an interruption it can only be emptied. A finished load is not repeated.
func (s *Store) LoadDataset(ctx context.Context, d *dataset.Dataset, progress store.Progress) error {
	contents := store.ContentsOf(d)
	done, err := s.Done(ctx, func(stored tpox.Contents) bool { return stored == contents })
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
			if err := t.set(store.SettingRaw+k.String(), raw[k]); err != nil {
				return err
			}
		}
		return t.set(store.SettingContents, contents)
	})
}

// loadKind loads the documents of a kind, and returns how many bytes they have.
func (s *Store) loadKind(
	ctx context.Context, d *dataset.Dataset, k dataset.Kind, progress store.Progress,
) (raw int64, err error) {
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
		return nil
	})
	return int(last - first), bytes, err
}

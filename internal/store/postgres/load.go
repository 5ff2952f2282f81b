package postgres

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/jackc/pgx/v5"

	"brokerage/internal/dataset"
	"brokerage/internal/store"
	"brokerage/internal/tpox"
)

// chunkSize is how many documents are copied and committed together.
const chunkSize = 2000

// LoadDataset fills the store with a generated dataset, by COPY on as many connections as there are processors, and
// makes the indexes that only queries need afterwards. Until all of it is there, indexes too, the store is not Ready;
// after an interruption it can only be emptied. A finished load is not repeated.
func (s *Store) LoadDataset(ctx context.Context, d *dataset.Dataset, progress store.Progress) error {
	contents := store.ContentsOf(d)
	done, err := s.Done(ctx, func(there tpox.Contents) bool { return there == contents })
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
	}, func(tx pgx.Tx) error {
		err := raiseLeases(ctx, tx, d.ID(dataset.Order, d.Count(dataset.Order)),
			d.ID(dataset.Customer, d.Count(dataset.Customer)), d.FirstAccount(d.Count(dataset.Customer)))
		if err != nil {
			return err
		}
		for _, k := range dataset.Kinds {
			if err := set(ctx, tx, store.SettingRaw+k.String(), raw[k]); err != nil {
				return err
			}
		}
		return set(ctx, tx, store.SettingContents, contents)
	})
}

// loadKind generates and copies the documents of a kind. It returns the sum of their sizes.
func (s *Store) loadKind(
	ctx context.Context, d *dataset.Dataset, k dataset.Kind, progress store.Progress,
) (raw int64, err error) {
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	var next atomic.Int64
	var mu sync.Mutex // for raw, and for one call of progress at a time
	var wg sync.WaitGroup
	// One more than processors, because each waits for the server now and then; the load has a connection for its lock.
	for range max(1, min(runtime.GOMAXPROCS(0)+1, int(s.pool.Config().MaxConns)-1)) {
		wg.Go(func() {
			for ctx.Err() == nil {
				first := (next.Add(1) - 1) * chunkSize
				if first >= d.Count(k) {
					return
				}
				documents, bytes, err := s.loadChunk(ctx, d, k, first)
				if err != nil {
					end(err) // the first error is that of the load
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
	return raw, context.Cause(ctx)
}

// loadChunk copies the documents of a chunk. It returns their number and size.
func (s *Store) loadChunk(
	ctx context.Context, d *dataset.Dataset, k dataset.Kind, first int64,
) (documents int, bytes int64, err error) {
	var docs [][]byte
	var keys []any
	for i := first; i < min(first+chunkSize, d.Count(k)); i++ {
		doc := d.Append(nil, k, i)
		docs = append(docs, doc)
		bytes += int64(len(doc))
		of, err := store.KeysOf(k, doc)
		if err != nil {
			return 0, 0, err
		}
		keys = append(keys, of)
	}
	// A lost connection ends the load, because the chunk may be committed.
	err = s.again(ctx, func(ctx context.Context) error {
		return pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error { return s.copyDocuments(ctx, tx, docs, keys) })
	}, isConflict)
	return len(docs), bytes, err
}

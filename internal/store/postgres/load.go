package postgres

import (
	"context"
	"fmt"
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

// chunkSetting returns the prefix of the settings of an unfinished load: chunk.KIND.FIRST holds the bytes of documents
// in a chunk that is committed.
func chunkSetting(k dataset.Kind) string { return "chunk." + k.String() + "." }

// LoadDataset fills the store with a generated dataset, by COPY on as many connections as there are processors, and
// makes the indexes that only queries need afterwards. After an interruption the same call continues where it stopped,
// without a duplicate or a gap: each chunk is committed together with a setting that records it. Until all of it is
// there, indexes too, the store is not Ready. A finished load is not repeated.
func (s *Store) LoadDataset(ctx context.Context, d *dataset.Dataset, progress store.Progress) error {
	contents := store.ContentsOf(d)
	done, err := s.loadDone(ctx, contents.Fingerprint, func(there tpox.Contents) bool { return there == contents })
	if done || err != nil {
		return err
	}
	return s.loading(ctx, contents.Fingerprint, func() error {
		for _, k := range dataset.Kinds { // customers before orders, whose rows name theirs
			if err := s.loadKind(ctx, d, k, progress); err != nil {
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
			if err := endChunks(ctx, tx, k); err != nil {
				return err
			}
			if err := set(ctx, tx, store.SettingLoadedOf+k.String(), d.Count(k)); err != nil {
				return err
			}
		}
		return set(ctx, tx, store.SettingContents, contents)
	})
}

// endChunks replaces the settings of all chunks of a kind by one with their sum.
func endChunks(ctx context.Context, tx pgx.Tx, k dataset.Kind) error {
	var raw int64
	err := tx.QueryRow(ctx, `SELECT coalesce(sum(value::bigint), 0)::bigint FROM brokerage.settings
		WHERE starts_with(name, $1)`, chunkSetting(k)).Scan(&raw)
	if err == nil {
		_, err = tx.Exec(ctx, "DELETE FROM brokerage.settings WHERE starts_with(name, $1)", chunkSetting(k))
	}
	if err != nil {
		return err
	}
	return set(ctx, tx, store.SettingRaw+k.String(), raw)
}

// loadKind generates and copies the chunks of a kind that are missing.
func (s *Store) loadKind(ctx context.Context, d *dataset.Dataset, k dataset.Kind, progress store.Progress) error {
	there, err := s.chunks(ctx, k)
	if err != nil {
		return err
	}
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	var next atomic.Int64
	var mu sync.Mutex // one call of progress at a time
	var wg sync.WaitGroup
	// One more than processors, because each waits for the server now and then; the load has a connection for its lock.
	for range max(1, min(runtime.GOMAXPROCS(0)+1, int(s.pool.Config().MaxConns)-1)) {
		wg.Go(func() {
			for ctx.Err() == nil {
				first := (next.Add(1) - 1) * chunkSize
				if first >= d.Count(k) {
					return
				}
				note := fmt.Sprint(chunkSetting(k), first)
				if there[note] {
					continue
				}
				documents, bytes, err := s.loadChunk(ctx, d, k, first, note)
				if err != nil {
					end(err) // the first error is that of the load
					return
				}
				if progress != nil {
					mu.Lock()
					progress(documents, bytes)
					mu.Unlock()
				}
			}
		})
	}
	wg.Wait()
	return context.Cause(ctx)
}

// chunks returns the names of the settings of all chunks of a kind that are committed.
func (s *Store) chunks(ctx context.Context, k dataset.Kind) (map[string]bool, error) {
	rows, _ := s.pool.Query(ctx, "SELECT name FROM brokerage.settings WHERE starts_with(name, $1)", chunkSetting(k))
	names, err := pgx.CollectRows(rows, pgx.RowTo[string]) // the error of the query, too
	there := make(map[string]bool, len(names))
	for _, name := range names {
		there[name] = true
	}
	return there, domainError(ctx, err, false)
}

// loadChunk copies the documents of a chunk and records it in a setting. It returns their number and size.
func (s *Store) loadChunk(
	ctx context.Context, d *dataset.Dataset, k dataset.Kind, first int64, note string,
) (documents int, bytes int64, err error) {
	var docs [][]byte
	var keys []any
	for i := first; i < min(first+chunkSize, d.Count(k)); i++ {
		doc := d.Append(nil, k, i)
		docs = append(docs, doc)
		bytes += int64(len(doc))
		if k == dataset.Order || s.layoutName != layoutSingle { // others need no keys
			of, err := store.KeysOf(k, doc)
			if err != nil {
				return 0, 0, err
			}
			keys = append(keys, of)
		}
	}
	// A lost connection ends the load, because the chunk may be committed: the same command continues.
	err = s.again(ctx, func(ctx context.Context) error {
		return pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
			if err := s.copyDocuments(ctx, tx, k, docs, keys); err != nil {
				return err
			}
			return set(ctx, tx, note, bytes)
		})
	}, isConflict)
	return len(docs), bytes, err
}

// LoadedDocuments returns how many documents of a kind LoadDataset has loaded. During a load the last chunk, which may
// be smaller, counts in full.
func (s *Store) LoadedDocuments(ctx context.Context, k dataset.Kind) (n int64, err error) {
	if err = s.Setting(ctx, store.SettingLoadedOf+k.String(), &n); err != nil || n > 0 {
		return n, err
	}
	there, err := s.chunks(ctx, k)
	return int64(len(there)) * chunkSize, err
}

package sqlite

import (
	"context"
	"maps"
	"os"
	"slices"
	"strconv"
	"sync/atomic"
	"time"

	"modernc.org/sqlite"

	"brokerage/internal/store"
	"brokerage/internal/tpox"
)

// Stats returns the figures of the store. It takes microseconds and waits for no other work.
func (s *Store) Stats() store.Stats {
	r, w := s.readers, s.writer
	r.mu.Lock()
	for _, reader := range r.idle { // the others are counted when they are idle again
		r.pages.add(reader.status)
	}
	r.mu.Unlock()
	stats := store.Stats{
		Connections: s.options.Pool,
		Open:        s.options.Pool,
		InUse:       len(r.running),
		Waits:       r.waits.Load(),
		Waited:      time.Duration(r.waited.Load()),
		Commits:     w.groups.Load(),
		Writes:      w.waiting.Load(),
		Groups:      w.sizes.Distribution(),
		Flushes:     w.commits.Distribution(),
		Busy:        time.Duration(w.busy.Load()),
		Hits:        r.hits.Load(),
		Misses:      r.misses.Load(),
		PageHits:    r.pages.hits.Load() + w.pages.hits.Load(),
		PageMisses:  r.pages.misses.Load() + w.pages.misses.Load(),

		WriterPageHits: w.pages.hits.Load(), WriterPageMisses: w.pages.misses.Load(), PageWrites: w.pages.writes.Load(),

		Retries: map[string]int64{"changed": s.redone.Load()}, // planned again because a document had changed meanwhile
		File:    sizeOf(s.path),
		Journal: sizeOf(s.path + "-wal"),
		IDsLeft: make(map[string]int64),
	}
	for kind, next := range s.nextIDs {
		stats.IDsLeft[kind] = tpox.IDsLeft(next.Load())
	}
	s.census.mu.Lock()
	stored, known := s.census.found, s.census.known
	stored.add(s.census.changed)
	s.census.mu.Unlock()
	for i, k := range kinds {
		p := &s.packed[i]
		stats.Kinds = append(stats.Kinds, store.KindStats{
			Kind: string(k), Known: known, Documents: stored.documents[i], Stored: stored.bytes[i],
			Packed: p.documents.Load(), PackedFrom: p.raw.Load(), PackedTo: p.stored.Load(),
		})
	}
	return stats
}

// sizeOf returns the bytes of a file; 0 if there is none.
func sizeOf(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.Size()
}

// pageReads counts the pages that SQLite found in the cache of a connection, those it read from the system, and those
// it wrote.
type pageReads struct{ hits, misses, writes atomic.Int64 }

// add adds what a connection has counted since the last call. The caller must have the connection alone, because it
// uses the connection's memory.
func (p *pageReads) add(status sqlite.DBStatus) {
	if status == nil {
		return
	}
	for _, counter := range []struct {
		op  sqlite.DBStatusOp
		sum *atomic.Int64
	}{
		{sqlite.DBStatusCacheHit, &p.hits}, {sqlite.DBStatusCacheMiss, &p.misses}, {sqlite.DBStatusCacheWrite, &p.writes},
	} {
		// SQLite counts in 32 bits, so the counter is reset each time.
		if n, _, err := status.Status(counter.op, true); err == nil && n > 0 {
			counter.sum.Add(int64(n))
		}
	}
}

// Describe returns the engine with the settings of the connection that writes.
func (s *Store) Describe() tpox.EngineInfo { return s.engine }

// faithful: a document is packed bytes to SQLite, and keys are columns beside it.
var faithful = tpox.FidelityBy(func(t *tpox.Transaction) tpox.Fidelity {
	switch {
	case t.Kind == tpox.Update:
		return tpox.EditedInService
	case t.Kind == tpox.Delete, t.Name == searchSecurities.name, t.Name == customerMaxOrder.name:
		return tpox.FromColumns
	case t.Name == getSecurityPrice.name:
		return tpox.StoredReady
	default:
		return tpox.InService
	}
})

func (s *Store) describe(ctx context.Context) (e tpox.EngineInfo, err error) {
	var journal string
	var synchronous, pageSize int
	e.Name, e.Identity, e.Faithful = "sqlite", s.stamp.Identity, faithful
	err = s.writing.QueryRowContext(ctx, `SELECT sqlite_version(), journal_mode, synchronous, page_size
		FROM pragma_journal_mode, pragma_synchronous, pragma_page_size`).Scan(&e.Version, &journal, &synchronous, &pageSize)
	names := [...]string{"off", "normal", "full", "extra"}
	e.Durability = tpox.NotDurable
	if journal == "wal" && synchronous >= 2 {
		e.Durability = tpox.Durable
	}
	compression := "zstd and S2, with trained dictionaries"
	if s.options.Uncompressed {
		compression = "none"
	}
	e.Settings = []tpox.Setting{
		{Name: "journal_mode", Value: journal}, {Name: "synchronous", Value: names[synchronous]},
		{Name: "page_size", Value: strconv.Itoa(pageSize)},
		{Name: "compression", Value: compression},
	}
	for _, name := range slices.Sorted(maps.Keys(s.settings)) { // others are read above
		if name != "synchronous" && name != "page_size" {
			e.Settings = append(e.Settings, tpox.Setting{Name: name, Value: s.settings[name]})
		}
	}
	return e, err
}

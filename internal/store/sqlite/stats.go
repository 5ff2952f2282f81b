package sqlite

import (
	"context"
	"database/sql"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"modernc.org/sqlite"

	"brokerage/internal/dataset"
	"brokerage/internal/store"
	"brokerage/internal/tpox"
)

// Stats returns the figures of the store. It takes microseconds and waits for no other work.
func (s *Store) Stats() store.Stats {
	r, w := s.readers, s.writer
	r.mu.Lock()
	for _, reader := range r.idle { // those in use are counted when they are idle again
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

		Retries: map[string]int64{"changed": s.redone.Load()}, // planned again because a document may have changed
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

// faithful holds the fidelity of each transaction. To SQLite, a document is packed bytes, with keys beside it.
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
	for _, name := range slices.Sorted(maps.Keys(s.settings)) { // synchronous and page_size are listed above
		if name != "synchronous" && name != "page_size" {
			e.Settings = append(e.Settings, tpox.Setting{Name: name, Value: s.settings[name]})
		}
	}
	return e, err
}

// A census counts the documents and their packed bytes. Store.Census reads all of them to count them; each commit
// updates the counts.
type census struct {
	mu      sync.Mutex
	known   bool
	found   change // the counts, minus what had changed by then
	changed change // since the store was opened
}

// A change is the number of documents added and their packed bytes, by kind; both may be negative.
type change struct{ documents, bytes [len(kinds)]int64 }

func (c *change) add(other change) {
	for i := range kinds {
		c.documents[i] += other.documents[i]
		c.bytes[i] += other.bytes[i]
	}
}

// Census counts the documents, for Stats. It reads all of them while the store stays in use. Until it ends, SQLite
// cannot restart the journal, which grows, so ctx should have a deadline.
func (s *Store) Census(ctx context.Context) (err error) {
	conn, err := s.reading.Conn(ctx)
	if err != nil {
		return domainError(err)
	}
	defer conn.Close()
	c := &s.census
	var before change
	err = s.exclusive(ctx, func(*sql.Conn) error {
		// Between two groups, the snapshot contains exactly the changes that are noted.
		c.mu.Lock()
		before = c.changed
		c.mu.Unlock()
		// The first read takes the snapshot.
		_, err := conn.ExecContext(ctx, "BEGIN; SELECT count(*) FROM leases")
		return err
	})
	defer func() { _, _ = conn.ExecContext(context.WithoutCancel(ctx), "ROLLBACK") }() // only read
	if err != nil {
		return err
	}
	var found change
	for _, k := range dataset.Kinds {
		i := slices.Index(kinds[:], kind(k.String()))
		row := conn.QueryRowContext(ctx, "SELECT count(*), coalesce(sum(length(doc)), 0) FROM "+tableNames[k])
		if err := row.Scan(&found.documents[i], &found.bytes[i]); err != nil {
			return domainError(err)
		}
		found.documents[i] -= before.documents[i]
		found.bytes[i] -= before.bytes[i]
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.found, c.known = found, true
	return nil
}

var tableNames = [...]string{dataset.Security: "securities", dataset.Customer: "customers", dataset.Order: "orders"}

// Space measures the database by its parts. It reads every page of the file, so it is for commands, not for metrics.
func (s *Store) Space(ctx context.Context) (space store.Space, err error) {
	for _, k := range dataset.Kinds {
		if err := s.Setting(ctx, store.SettingRaw+k.String(), &space.Raw[k]); err != nil {
			return space, err
		}
	}
	tx, err := s.reading.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err == nil {
		defer tx.Rollback()
		err = measure(ctx, tx, &space)
	}
	if err != nil {
		return space, domainError(err)
	}
	space.Journal = sizeOf(s.path + "-wal")
	return space, nil
}

// measure adds up the pages of tables and indexes. The accounts table counts as an index, because it only serves to
// find customers.
func measure(ctx context.Context, tx *sql.Tx, space *store.Space) error {
	const size = "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size"
	err := tx.QueryRowContext(ctx, size).Scan(&space.File)
	for k, table := range tableNames {
		if err == nil {
			err = tx.QueryRowContext(ctx, "SELECT count(*) FROM "+table).Scan(&space.Documents[k])
		}
	}
	if err != nil {
		return err
	}
	space.Rest = space.File
	// The schema itself belongs to no table.
	return eachRow(ctx, tx, `SELECT d.name, coalesce(s.tbl_name, ''), d.pgsize
		FROM dbstat AS d LEFT JOIN sqlite_schema AS s ON s.name = d.name
		WHERE d.aggregate = TRUE ORDER BY d.name`, nil, func(rows *sql.Rows) error {
		var name, table string
		var bytes int64
		if err := rows.Scan(&name, &table, &bytes); err != nil {
			return err
		}
		ours := table == "accounts" || slices.Contains(tableNames[:], table)
		switch k := slices.Index(tableNames[:], name); {
		case k >= 0:
			space.Stored[k] += bytes
		case ours && !strings.HasPrefix(name, "sqlite_"):
			space.Indexes = append(space.Indexes, store.IndexSpace{Name: name, Bytes: bytes})
		default:
			return nil
		}
		space.Rest -= bytes
		return nil
	})
}

package db2

import (
	"context"
	"database/sql"
	"slices"
	"strings"
	"time"

	"brokerage/internal/dataset"
	"brokerage/internal/store"
)

// statsTimeout limits a fetch of figures, but does not end a statement that runs: only the statement timeout does.
const statsTimeout = 5 * time.Second

// Stats returns the figures of the store. If the server does not answer at once, its counts are the previous call's;
// if the user may not read them, they are zero. Page counts cover all clients since the database was activated.
func (s *Store) Stats() store.Stats {
	pool := s.db.Stats() // before the next line takes a connection
	counted := s.figures.Pages.Look()
	return store.Stats{
		Connections: pool.MaxOpenConnections, Open: pool.OpenConnections, InUse: pool.InUse,
		Waits: pool.WaitCount, Waited: pool.WaitDuration,
		Retries:  map[string]int64{"transient": s.retries.Load()},
		PageHits: counted.Hits, PageMisses: counted.Misses, Kinds: s.figures.Kinds.Look().Stats(),
		IDsLeft: s.figures.IDs.Look(),
	}
}

func (s *Store) countPages(ctx context.Context) (p store.Pages, err error) {
	var asked, read int64
	_, err = row(ctx, s.db, "count_pages", nil, []any{&asked, &read})
	p = store.Pages{Hits: asked - read, Misses: read}
	// A page counts as requested before it is read, so hits may fall when the read is counted. A count that falls would
	// look like one that was reset.
	if before := s.counted; asked >= before.Hits+before.Misses {
		p.Hits, p.Misses = max(p.Hits, before.Hits), max(p.Misses, before.Misses)
	}
	if err == nil {
		s.counted = p
	}
	return p, err
}

// nextID returns the id with which the next lease begins.
func (s *Store) nextID(ctx context.Context, kind string) (next int64, err error) {
	_, err = row(ctx, s.db, "leased", []any{kind}, []any{&next})
	return next, err
}

func (s *Store) estimate(ctx context.Context) (all store.Estimates, err error) {
	err = eachRow(ctx, s.db, statements["estimate_documents"], nil, func(rows *sql.Rows) error {
		var name string
		var documents int64
		err := rows.Scan(&name, &documents)
		if kind, is := kindOf(name); is {
			all[kind].Known, all[kind].Documents = documents >= 0, max(0, documents)
		}
		return err
	})
	if err != nil {
		return all, err
	}
	err = eachRow(ctx, s.db, statements["space"], nil, func(rows *sql.Rows) error {
		name, data, _, err := spaceOf(rows)
		if kind, is := kindOf(name); is {
			all[kind].Stored = data
		}
		return err
	})
	return all, err
}

// Space measures the tables. Db2 keeps all indexes of a table in one object and reports its size; File is the sum over
// the tables in sql/space.sql.
func (s *Store) Space(ctx context.Context) (space store.Space, err error) {
	for _, k := range dataset.Kinds {
		if err := s.Setting(ctx, store.SettingRaw+k.String(), &space.Raw[k]); err != nil {
			return space, err
		}
		if _, err := row(ctx, s.admin, "count_"+tables[k], nil, []any{&space.Documents[k]}); err != nil {
			return space, domainError(ctx, err, false)
		}
	}
	err = eachRow(ctx, s.admin, statements["space"], nil, func(rows *sql.Rows) error {
		name, data, indexes, err := spaceOf(rows)
		space.File += data + indexes
		if kind, is := kindOf(name); is {
			space.Stored[kind] = data
			space.Indexes = append(space.Indexes, store.IndexSpace{Name: "of " + tables[kind], Bytes: indexes})
		} else {
			space.Rest += data + indexes
		}
		return err
	})
	return space, domainError(ctx, err, false)
}

// spaceOf reads a row of the result of sql/space.sql; data and indexes are in bytes.
func spaceOf(rows *sql.Rows) (table string, data, indexes int64, err error) {
	err = rows.Scan(&table, &data, &indexes)
	return table, data * 1024, indexes * 1024, err
}

func kindOf(table string) (dataset.Kind, bool) {
	i := slices.IndexFunc(tables[:], func(known string) bool { return strings.EqualFold(known, table) })
	return dataset.Kind(max(i, 0)), i >= 0
}

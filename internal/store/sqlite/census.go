package sqlite

import (
	"context"
	"database/sql"
	"slices"
	"sync"

	"brokerage/internal/dataset"
)

// A census counts the documents and their packed bytes. Census counts them once, which reads all of them; after that,
// each commit updates the counts.
type census struct {
	mu      sync.Mutex
	known   bool
	found   change // the counts, minus what had changed by then
	changed change // since the store was opened
}

// A change is added to a census.
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

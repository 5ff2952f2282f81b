package sqlite

import (
	"context"
	"slices"
	"sync"

	"brokerage/internal/dataset"
)

// census is how many documents there are, and what they take as they are stored.
// They are counted once, which reads all of them; after that it is followed what
// is committed.
type census struct {
	mu      sync.Mutex
	known   bool
	found   change // when they were counted, without what had changed since the store was opened
	changed change // since the store was opened
}

// change is what writing changes of a census.
type change struct{ documents, bytes [len(kinds)]int64 }

func (c *change) add(other change) {
	for i := range kinds {
		c.documents[i] += other.documents[i]
		c.bytes[i] += other.bytes[i]
	}
}

func (c *census) add(committed change) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.changed.add(committed)
}

// now is what there is, if it is known.
func (c *census) now() (there change, known bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	there = c.found
	there.add(c.changed)
	return there, c.known
}

// Census counts the documents, for Stats: it reads all of them, beside what else
// goes on. The journal cannot be emptied meanwhile, so ctx should have an end.
func (s *Store) Census(ctx context.Context) (err error) {
	conn, err := s.reading.Conn(ctx)
	if err != nil {
		return domainError(err)
	}
	defer conn.Close()
	var before change
	err = s.between(ctx, func(*connection) error {
		// The snapshot is taken between two groups: it has what is noted by then, and no more.
		before = s.census.changes()
		if _, err := conn.ExecContext(ctx, "BEGIN"); err != nil {
			return err
		}
		var rows int // whatever it is: to read is to take the snapshot
		return conn.QueryRowContext(ctx, "SELECT count(*) FROM leases").Scan(&rows)
	})
	defer func() { _, _ = conn.ExecContext(context.WithoutCancel(ctx), "ROLLBACK") }() // it has only read
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
	}
	s.census.set(found, before)
	return nil
}

func (c *census) changes() change {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.changed
}

// set takes what was found, and what of it had been noted as a change already.
func (c *census) set(found, noted change) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := range kinds {
		found.documents[i] -= noted.documents[i]
		found.bytes[i] -= noted.bytes[i]
	}
	c.found, c.known = found, true
}

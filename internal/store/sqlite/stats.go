package sqlite

import "database/sql"

// Stats is what goes on in a store, for metrics.
type Stats struct {
	Reading sql.DBStats // the connections for reading
	Commits int64       // since the store was opened, each of one or more writes
	Writes  int64       // that wait for their commit now
}

// Stats looks at the store. It takes no time to speak of, and waits for nobody.
func (s *Store) Stats() Stats {
	return Stats{
		Reading: s.reading.Stats(),
		Commits: s.writer.groups.Load(),
		Writes:  s.writer.waiting.Load(),
	}
}

package postgres

import (
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"brokerage/internal/tpox"
)

// The versions of PostgreSQL that the tests run on, and the oldest that has what the statements need.
const (
	testedVersions = "15 and 17"
	oldest         = 15
)

// Setting is a setting of the server.
type Setting = tpox.Setting

// durability names the settings that decide whether an acknowledged write survives a power failure. The store does not
// change them.
var durability = []string{
	"fsync", "full_page_writes", "synchronous_commit", "synchronous_standby_names", "wal_level", "wal_sync_method",
	"data_checksums",
}

// Describe returns the version and the settings of the server, as they were when the store was opened. Its Durability
// is Durable when the settings promise that a committed write survives a power failure. It does not know whether the
// disk keeps that promise.
func (s *Store) Describe() tpox.EngineInfo {
	e := s.engine
	e.Settings = slices.Clone(e.Settings)
	return e
}

// Checksums reports whether the server detects damage of its files when it reads them.
func (s *Store) Checksums() bool {
	return slices.Contains(s.engine.Settings, Setting{Name: "data_checksums", Value: "on"})
}

// inspect reads the version and the settings of the server. It returns an error for one that the store cannot use.
func (s *Store) inspect(ctx context.Context, conn *pgx.Conn) error {
	e := tpox.EngineInfo{Name: Scheme, Durability: tpox.Durable}
	var number int
	var encoding string
	err := conn.QueryRow(ctx, `SELECT current_setting('server_version_num')::int, current_setting('server_version'),
		current_setting('server_encoding')`).Scan(&number, &e.Version, &encoding)
	if err != nil {
		return err
	}
	major := number / 10000
	switch {
	case major < oldest:
		return fmt.Errorf("PostgreSQL %s is too old: %s are tested, and %d is the oldest that works",
			e.Version, testedVersions, oldest)
	case encoding != "UTF8":
		return fmt.Errorf("the database has encoding %s, but documents need UTF8: "+
			"CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0", encoding)
	}
	if _, err := conn.Exec(ctx, `SELECT xpath('/a', XMLPARSE(DOCUMENT '<a/>'))`); err != nil {
		return withoutXML(err)
	}
	rows, _ := conn.Query(ctx, `SELECT name, setting FROM pg_settings
		WHERE name = ANY($1) ORDER BY array_position($1, name)`, durability) // CollectRows returns the error
	if e.Settings, err = pgx.CollectRows(rows, pgx.RowToStructByPos[Setting]); err != nil {
		return err
	}
	for _, name := range []string{"fsync", "full_page_writes", "synchronous_commit"} {
		if slices.Contains(e.Settings, Setting{Name: name, Value: "off"}) {
			e.Durability = tpox.NotDurable
		}
	}
	if major != 15 && major != 17 {
		s.notice("PostgreSQL %d is untested: %s are tested", major, testedVersions)
	}
	s.engine = e
	return nil
}

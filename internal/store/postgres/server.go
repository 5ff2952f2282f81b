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

// durability names the settings that decide how safe acknowledged writes are. The store does not change them.
var durability = []string{
	"fsync", "full_page_writes", "synchronous_commit", "synchronous_standby_names", "wal_level", "wal_sync_method",
	"data_checksums",
}

// Describe returns the version and the settings of the server, as they were when the store was opened. Durability is
// Durable if the settings promise that a committed write survives a power failure. Whether the disk keeps that
// promise is not known.
func (s *Store) Describe() tpox.EngineInfo {
	e := s.engine
	e.Settings = slices.Clone(e.Settings)
	return e
}

// hasSetting reports whether a setting of the server has this value.
func (s *Store) hasSetting(name, value string) bool {
	return slices.Contains(s.engine.Settings, tpox.Setting{Name: name, Value: value})
}

// inspect reads the version and the settings of the server. It returns an error for one that the store cannot use.
func (s *Store) inspect(ctx context.Context, conn *pgx.Conn) error {
	s.engine = tpox.EngineInfo{Name: Scheme, Durability: tpox.Durable}
	var major int
	var encoding string
	err := conn.QueryRow(ctx, `SELECT current_setting('server_version_num')::int / 10000,
		current_setting('server_version'), current_setting('server_encoding')`).Scan(&major, &s.engine.Version, &encoding)
	switch {
	case err != nil:
		return err
	case major < oldest:
		return fmt.Errorf("PostgreSQL %s is too old: %s are tested, and %d is the oldest that works",
			s.engine.Version, testedVersions, oldest)
	case encoding != "UTF8":
		return fmt.Errorf("the database has encoding %s, but documents need UTF8: "+
			"CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0", encoding)
	case major != 15 && major != 17:
		s.notice("PostgreSQL %d is untested: %s are tested", major, testedVersions)
	}
	_, err = conn.Exec(ctx, `SELECT xpath('/a', XMLPARSE(DOCUMENT '<a/>'))`)
	if codeOf(err) == featureNotSupported {
		return fmt.Errorf("this PostgreSQL was built without libxml2, and has no SQL/XML: "+
			"use one built --with-libxml, as those of Debian, Red Hat, Alpine and Docker are: %w", err)
	} else if err != nil {
		return err
	}
	rows, _ := conn.Query(ctx, `SELECT name, setting FROM pg_settings
		WHERE name = ANY($1) ORDER BY array_position($1, name)`, durability) // CollectRows returns the error
	s.engine.Settings, err = pgx.CollectRows(rows, pgx.RowToStructByPos[tpox.Setting])
	for _, name := range []string{"fsync", "full_page_writes", "synchronous_commit"} {
		if s.hasSetting(name, "off") {
			s.engine.Durability = tpox.NotDurable
		}
	}
	return err
}

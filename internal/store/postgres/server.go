package postgres

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"brokerage/internal/brokerage"
)

// The versions of PostgreSQL that the tests run on, and the oldest that has what the statements need.
const (
	testedVersions = "15 and 17"
	oldest         = 15
)

// Server describes the server of a store.
type Server struct {
	Major    int
	Version  string
	Settings []Setting // those that decide whether a commit survives a crash
}

// Setting is a setting of the server.
type Setting = brokerage.Setting

// durability names the settings that decide whether an acknowledged write survives a power failure. The store does not
// change them.
var durability = []string{
	"fsync", "full_page_writes", "synchronous_commit", "synchronous_standby_names", "wal_level", "wal_sync_method",
	"data_checksums",
}

// Durable reports whether the settings promise that a committed write survives a power failure; what the disk does is
// another matter.
func (s Server) Durable() bool {
	return !slices.ContainsFunc(s.Settings, func(setting Setting) bool {
		switch setting.Name {
		case "fsync", "full_page_writes", "synchronous_commit":
			return setting.Value == "off"
		}
		return false
	})
}

// Checks reports whether the server detects damage of its files when it reads them.
func (s Server) Checks() bool {
	return slices.Contains(s.Settings, Setting{Name: "data_checksums", Value: "on"})
}

func (s Server) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "PostgreSQL %s", s.Version)
	for _, setting := range s.Settings {
		fmt.Fprintf(&b, ", %s=%s", setting.Name, setting.Value)
	}
	return b.String()
}

func (s Server) tested() bool { return s.Major == 15 || s.Major == 17 }

// Server returns the server of the store and its settings at Open.
func (s *Store) Server() Server { return s.server }

// inspect returns the server of a connection, or an error for one that the store cannot use.
func inspect(ctx context.Context, conn *pgx.Conn) (s Server, err error) {
	var number int
	var encoding string
	err = conn.QueryRow(ctx, `SELECT current_setting('server_version_num')::int, current_setting('server_version'),
		current_setting('server_encoding')`).Scan(&number, &s.Version, &encoding)
	if err != nil {
		return s, err
	}
	s.Major = number / 10000
	switch {
	case s.Major < oldest:
		return s, fmt.Errorf("PostgreSQL %s is too old: %s are tested, and %d is the oldest that works",
			s.Version, testedVersions, oldest)
	case encoding != "UTF8":
		return s, fmt.Errorf("the database has encoding %s, and documents need UTF8: "+
			"CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0", encoding)
	}
	if _, err := conn.Exec(ctx, `SELECT xpath('/a', XMLPARSE(DOCUMENT '<a/>'))`); err != nil {
		return s, withoutXML(err)
	}
	rows, err := conn.Query(ctx, `SELECT name, setting FROM pg_settings
		WHERE name = ANY($1) ORDER BY array_position($1, name)`, durability)
	if err != nil {
		return s, err
	}
	s.Settings, err = pgx.CollectRows(rows, pgx.RowToStructByPos[Setting])
	return s, err
}

// withoutXML explains the error of a server that was built without libxml2.
func withoutXML(err error) error {
	if driver, ok := errors.AsType[*pgconn.PgError](err); ok && driver.Code == featureNotSupported {
		return fmt.Errorf("this PostgreSQL was built without libxml2, and has no SQL/XML: "+
			"use one built --with-libxml, as those of Debian, Red Hat, Alpine and Docker are: %w", err)
	}
	return err
}

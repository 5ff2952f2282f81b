package sqlite

import (
	"context"
	"database/sql"
	"strconv"

	"brokerage/internal/brokerage"
)

// Describe returns the engine with the settings of the connection that writes.
func (s *Store) Describe() brokerage.Engine { return s.engine }

func (s *Store) describe(ctx context.Context, conn *sql.Conn) (e brokerage.Engine, err error) {
	var journal string
	var synchronous, pageSize int
	e.Name = "sqlite"
	err = conn.QueryRowContext(ctx, `SELECT sqlite_version(), journal_mode, synchronous, page_size
		FROM pragma_journal_mode, pragma_synchronous, pragma_page_size`).Scan(&e.Version, &journal, &synchronous, &pageSize)
	names := [...]string{"off", "normal", "full", "extra"}
	e.Durability = brokerage.NotDurable
	if journal == "wal" && synchronous >= 2 {
		e.Durability = brokerage.Durable
	}
	compression := "zstd and S2, with trained dictionaries"
	if s.options.Uncompressed {
		compression = "none"
	}
	e.Settings = []brokerage.Setting{
		{Name: "journal_mode", Value: journal}, {Name: "synchronous", Value: names[synchronous]},
		{Name: "page_size", Value: strconv.Itoa(pageSize)},
		{Name: "data_checksums", Value: "on"}, // in every file of this program
		{Name: "compression", Value: compression},
	}
	return e, err
}

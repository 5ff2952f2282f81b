package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"os"
	"strings"

	"brokerage/internal/dataset"
	"brokerage/internal/store/bulk"
)

// Space says what takes the bytes of a database.
type (
	Space      = bulk.Space
	IndexSpace = bulk.IndexSpace
)

var tableNames = [...]string{dataset.Security: "securities", dataset.Customer: "customers", dataset.Order: "orders"}

// Space reads every page of the file, so it is for commands, not for metrics.
func (s *Store) Space(ctx context.Context) (space Space, err error) {
	for _, k := range dataset.Kinds {
		if err := s.Setting(ctx, bulk.SettingRaw+k.String(), &space.Raw[k]); err != nil {
			return space, err
		}
	}
	tx, err := s.reading.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return space, domainError(err)
	}
	defer func() { _ = tx.Rollback() }() // it has only read
	const size = "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size"
	if err := tx.QueryRowContext(ctx, size).Scan(&space.File); err != nil {
		return space, domainError(err)
	}
	for _, k := range dataset.Kinds {
		if err := tx.QueryRowContext(ctx, "SELECT count(*) FROM "+tableNames[k]).Scan(&space.Documents[k]); err != nil {
			return space, domainError(err)
		}
	}
	if err := measure(ctx, tx, &space); err != nil {
		return space, domainError(err)
	}
	info, err := os.Stat(s.path + "-wal")
	switch {
	case err == nil:
		space.Journal = info.Size()
	case errors.Is(err, fs.ErrNotExist):
		err = nil
	}
	return space, err
}

// measure adds up the pages of tables and indexes. The table accounts counts as an index, because it only serves to
// find customers.
func measure(ctx context.Context, tx *sql.Tx, space *Space) error {
	rows, err := tx.QueryContext(ctx, `SELECT d.name, s.tbl_name, d.pgsize
		FROM dbstat AS d LEFT JOIN sqlite_schema AS s ON s.name = d.name
		WHERE d.aggregate = TRUE ORDER BY d.name`)
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }() // its error is that of Err
	space.Rest = space.File
	for rows.Next() {
		var name string
		var table sql.NullString // the schema itself has none
		var bytes int64
		if err := rows.Scan(&name, &table, &bytes); err != nil {
			return err
		}
		if share(space, name, table.String, bytes) {
			space.Rest -= bytes
		}
	}
	return rows.Err()
}

// share adds bytes to their table or index, and reports false for anything else.
func share(space *Space, name, table string, bytes int64) bool {
	for _, k := range dataset.Kinds {
		if name == tableNames[k] {
			space.Stored[k] += bytes
			return true
		}
	}
	switch table {
	case "accounts", "orders", "customers", "securities":
		if !strings.HasPrefix(name, "sqlite_") {
			space.Indexes = append(space.Indexes, IndexSpace{Name: name, Bytes: bytes})
			return true
		}
	}
	return false
}

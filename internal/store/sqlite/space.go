package sqlite

import (
	"context"
	"database/sql"
	"slices"
	"strings"

	"brokerage/internal/dataset"
	"brokerage/internal/store"
)

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

// measure adds up the pages of tables and indexes. The table accounts counts as an index, because it only serves to
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

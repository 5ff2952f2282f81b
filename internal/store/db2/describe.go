package db2

import (
	"context"
	"database/sql"
	"fmt"

	"brokerage/internal/brokerage"
)

// inspect asks what the server is, and refuses one that the store cannot work with.
func inspect(ctx context.Context, db *sql.DB) (is brokerage.Engine, err error) {
	// Each commit is flushed: Db2 has no setting against it.
	is = brokerage.Engine{Name: "db2", Durability: brokerage.Durable}
	if _, err := row(ctx, db, "server_version", nil, []any{&is.Version}); err != nil {
		return is, fmt.Errorf("connecting: %w", err)
	}
	rows, err := db.QueryContext(ctx, statements["server_settings"])
	if err != nil {
		return is, err
	}
	defer func() { _ = rows.Close() }() // it was read to its end, or the error is told
	for rows.Next() {
		var name string
		var value sql.NullString
		if err := rows.Scan(&name, &value); err != nil {
			return is, err
		}
		if name == "codeset" && value.String != "UTF-8" {
			return is, fmt.Errorf("the database has codeset %s, and documents need UTF-8: CREATE DATABASE … USING CODESET UTF-8", value.String)
		}
		is.Settings = append(is.Settings, brokerage.Setting{Name: name, Value: value.String})
	}
	return is, rows.Err()
}

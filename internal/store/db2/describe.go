package db2

import (
	"context"
	"database/sql"
	"fmt"

	"brokerage/internal/brokerage"
)

// faithful: each transaction is SQL/XML and XQuery on the document. The service edits none.
var faithful = brokerage.FaithfulBy(func(*brokerage.Transaction) brokerage.Faithful { return brokerage.InDatabase })

// inspect reads the server's version and settings, and refuses a database that the store cannot work with.
func inspect(ctx context.Context, db *sql.DB) (is brokerage.Engine, err error) {
	// Db2 flushes its log at each commit, and has no setting against that.
	is = brokerage.Engine{Name: "db2", Durability: brokerage.Durable, Faithful: faithful}
	if _, err := row(ctx, db, "server_version", nil, []any{&is.Version}); err != nil {
		return is, fmt.Errorf("connecting: %w", err)
	}
	return is, eachRow(ctx, db, statements["server_settings"], nil, func(rows *sql.Rows) error {
		var name string
		var value sql.NullString
		if err := rows.Scan(&name, &value); err != nil {
			return err
		}
		if name == "codeset" && value.String != "UTF-8" {
			return fmt.Errorf("the database has codeset %s, but documents need UTF-8: "+
				"create it by CREATE DATABASE … USING CODESET UTF-8", value.String)
		}
		is.Settings = append(is.Settings, brokerage.Setting{Name: name, Value: value.String})
		return nil
	})
}

package postgres

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"brokerage/internal/dataset"
	"brokerage/internal/store"
)

// Space measures the database. The size of a table is its rows with what is stored out of line and the maps of its
// pages, without its indexes. Tables that find documents count as indexes: everything in them comes from documents.
func (s *Store) Space(ctx context.Context) (space store.Space, err error) {
	for _, k := range dataset.Kinds {
		if err := s.Setting(ctx, store.SettingRaw+k.String(), &space.Raw[k]); err != nil {
			return space, err
		}
	}
	// The parts of statements that measure the database: of a cluster, all nodes together.
	database, table, whole := "SELECT pg_database_size(current_database())", "pg_table_size", "pg_total_relation_size"
	if s.distributed {
		database = `SELECT sum(result::bigint)::bigint
			FROM run_command_on_all_nodes('SELECT pg_database_size(current_database())')`
		table, whole = "citus_table_size", "citus_total_relation_size"
	}
	indexes := fmt.Sprintf(`SELECT t.name, %[1]s(c.oid) - CASE WHEN t.finds THEN 0 ELSE %[2]s(c.oid) END
		FROM (VALUES ('accounts', true), ('account_orders', true), ('security_search', true), ('orders', false),
			('customers', false), ('securities', false)) AS t (name, finds)
		JOIN pg_class AS c ON c.oid = to_regclass('brokerage.' || t.name) ORDER BY 1`, whole, table)
	err = pgx.BeginTxFunc(ctx, s.pool, snapshot, func(tx pgx.Tx) error {
		if err := tx.QueryRow(ctx, database).Scan(&space.File); err != nil {
			return err
		}
		space.Rest = space.File
		for _, k := range dataset.Kinds {
			name := "brokerage." + tableNames[k]
			err := tx.QueryRow(ctx, "SELECT (SELECT count(*) FROM "+name+"), "+table+"($1::regclass)", name).
				Scan(&space.Documents[k], &space.Stored[k])
			if err != nil {
				return err
			}
			space.Rest -= space.Stored[k]
		}
		rows, _ := tx.Query(ctx, indexes) // CollectRows returns the error
		if space.Indexes, err = pgx.CollectRows(rows, pgx.RowToStructByPos[store.IndexSpace]); err != nil {
			return err
		}
		for _, index := range space.Indexes {
			space.Rest -= index.Bytes
		}
		return nil
	})
	return space, domainError(ctx, err, false)
}

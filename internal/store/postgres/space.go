package postgres

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"brokerage/internal/dataset"
	"brokerage/internal/store"
)

// Space measures the database. The size of a table is its rows with what is stored out of line and the maps of its
// pages, without its indexes. accounts counts as an index: everything in it comes from the customers.
func (s *Store) Space(ctx context.Context) (space store.Space, err error) {
	for _, k := range dataset.Kinds {
		if err := s.Setting(ctx, store.SettingRaw+k.String(), &space.Raw[k]); err != nil {
			return space, err
		}
	}
	err = pgx.BeginTxFunc(ctx, s.pool, snapshot, func(tx pgx.Tx) error {
		if err := tx.QueryRow(ctx, s.sizes().database).Scan(&space.File); err != nil {
			return err
		}
		space.Rest = space.File
		for _, k := range dataset.Kinds {
			name := "brokerage." + tableNames[k]
			err := tx.QueryRow(ctx, "SELECT (SELECT count(*) FROM "+name+"), "+s.sizes().table, name).
				Scan(&space.Documents[k], &space.Stored[k])
			if err != nil {
				return err
			}
			space.Rest -= space.Stored[k]
		}
		rows, _ := tx.Query(ctx, s.sizes().indexes) // CollectRows returns the error
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

// sizes are the parts of statements that measure a layout.
type sizes struct{ database, table, indexes string }

func (s *Store) sizes() sizes {
	const database = "SELECT pg_database_size(current_database())"
	// The indexes of all parts of a table count together, and what only finds documents is an index.
	const divided = `SELECT t.name, CASE WHEN t.found_by THEN %[2]s ELSE %[2]s - %[1]s END
		FROM (VALUES ('account_homes', true), ('order_homes', true), ('security_search', true),
			('orders', false), ('customers', false), ('securities', false)) AS t (name, found_by) ORDER BY 1`
	switch s.layoutName {
	case layoutPartitioned:
		of := func(size, table string) string {
			return fmt.Sprintf(`(SELECT coalesce(sum(%[1]s(p.relid)), %[1]s(%[2]s::regclass))::bigint
				FROM pg_partition_tree(%[2]s::regclass) AS p)`, size, table)
		}
		const each = "('brokerage.' || t.name)"
		return sizes{database, of("pg_table_size", "$1"),
			fmt.Sprintf(divided, of("pg_table_size", each), of("pg_total_relation_size", each))}
	case layoutCitus:
		const each = "(('brokerage.' || t.name)::regclass)"
		return sizes{
			"SELECT sum(result::bigint)::bigint FROM run_command_on_all_nodes('SELECT pg_database_size(current_database())')",
			"citus_table_size($1::regclass)", fmt.Sprintf(divided, "citus_table_size"+each, "citus_total_relation_size"+each)}
	default:
		return sizes{database, "pg_table_size($1::regclass)", `SELECT c.relname, pg_total_relation_size(c.oid)
			FROM pg_class AS c LEFT JOIN pg_index AS i ON i.indexrelid = c.oid
			WHERE c.oid = 'brokerage.accounts'::regclass
			OR i.indrelid IN ('brokerage.orders'::regclass, 'brokerage.customers'::regclass, 'brokerage.securities'::regclass)
			ORDER BY c.relname`}
	}
}

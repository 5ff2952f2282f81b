package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"

	"brokerage/internal/dataset"
	"brokerage/internal/store/bulk"
)

// Space measures the database. The size of a table is its rows with what is stored out of line and the maps of its
// pages, without its indexes. accounts counts as an index: everything in it comes from the customers.
func (s *Store) Space(ctx context.Context) (space bulk.Space, err error) {
	for _, k := range dataset.Kinds {
		if err := s.Setting(ctx, bulk.SettingRaw+k.String(), &space.Raw[k]); err != nil {
			return space, err
		}
	}
	err = pgx.BeginTxFunc(ctx, s.pool, snapshot, func(tx pgx.Tx) error {
		if err := tx.QueryRow(ctx, "SELECT pg_database_size(current_database())").Scan(&space.File); err != nil {
			return err
		}
		space.Rest = space.File
		for _, k := range dataset.Kinds {
			name := "brokerage." + tableNames[k]
			err := tx.QueryRow(ctx, "SELECT (SELECT count(*) FROM "+name+"), pg_table_size($1::regclass)", name).
				Scan(&space.Documents[k], &space.Stored[k])
			if err != nil {
				return err
			}
			space.Rest -= space.Stored[k]
		}
		rows, _ := tx.Query(ctx, `SELECT c.relname, pg_total_relation_size(c.oid)
			FROM pg_class AS c LEFT JOIN pg_index AS i ON i.indexrelid = c.oid
			WHERE c.oid = 'brokerage.accounts'::regclass
			OR i.indrelid IN ('brokerage.orders'::regclass, 'brokerage.customers'::regclass, 'brokerage.securities'::regclass)
			ORDER BY c.relname`) // CollectRows returns the error
		if space.Indexes, err = pgx.CollectRows(rows, pgx.RowToStructByPos[bulk.IndexSpace]); err != nil {
			return err
		}
		for _, index := range space.Indexes {
			space.Rest -= index.Bytes
		}
		return nil
	})
	return space, domainError(ctx, err, false)
}

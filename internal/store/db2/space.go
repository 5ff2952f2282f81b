package db2

import (
	"context"
	"database/sql"
	"slices"
	"strings"

	"brokerage/internal/dataset"
	"brokerage/internal/store/bulk"
)

// Space measures what the tables take. Db2 keeps all indexes of a table in one object and measures that; File is the
// sum of what belongs to the schema.
func (s *Store) Space(ctx context.Context) (space bulk.Space, err error) {
	for _, k := range dataset.Kinds {
		if err := s.Setting(ctx, bulk.SettingRaw+k.String(), &space.Raw[k]); err != nil {
			return space, err
		}
		if _, err := row(ctx, s.db, "count_"+tables[k], nil, []any{&space.Documents[k]}); err != nil {
			return space, domainError(ctx, err, false)
		}
	}
	err = s.eachTable(ctx, func(k dataset.Kind, documents bool, data, indexes int64) {
		space.File += data + indexes
		if documents {
			space.Stored[k] = data
			space.Indexes = append(space.Indexes, bulk.IndexSpace{Name: "of " + tables[k], Bytes: indexes})
		} else {
			space.Rest += data + indexes
		}
	})
	return space, domainError(ctx, err, false)
}

// eachTable calls each with the size in bytes of every table and of its indexes. documents says that a table is the one
// of a kind.
func (s *Store) eachTable(
	ctx context.Context, each func(k dataset.Kind, documents bool, dataBytes, indexBytes int64),
) error {
	return eachRow(ctx, s.db, statements["space"], nil, func(rows *sql.Rows) error {
		var table string
		var data, indexes int64
		err := rows.Scan(&table, &data, &indexes)
		kind, is := kindOf(table)
		each(kind, is, data*1024, indexes*1024)
		return err
	})
}

// kindOf returns the kind whose documents are in a table of the catalog.
func kindOf(table string) (k dataset.Kind, is bool) {
	i := slices.Index(tables[:], strings.ToLower(table))
	return dataset.Kind(max(i, 0)), i >= 0
}

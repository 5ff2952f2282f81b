package db2

import (
	"context"
	"database/sql"
	"strings"

	"brokerage/internal/dataset"
	"brokerage/internal/store"
)

// Space measures the tables. Db2 keeps all indexes of a table in one object and reports its size; File is the sum over
// the schema.
func (s *Store) Space(ctx context.Context) (space store.Space, err error) {
	for _, k := range dataset.Kinds {
		if err := s.Setting(ctx, store.SettingRaw+k.String(), &space.Raw[k]); err != nil {
			return space, err
		}
		if _, err := row(ctx, s.admin, "count_"+tables[k], nil, []any{&space.Documents[k]}); err != nil {
			return space, domainError(ctx, err, false)
		}
	}
	err = eachRow(ctx, s.admin, statements["space"], nil, func(rows *sql.Rows) error {
		name, data, indexes, err := spaceOf(rows)
		space.File += data + indexes
		if kind, is := kindOf(name); is {
			space.Stored[kind] = data
			space.Indexes = append(space.Indexes, store.IndexSpace{Name: "of " + tables[kind], Bytes: indexes})
		} else {
			space.Rest += data + indexes
		}
		return err
	})
	return space, domainError(ctx, err, false)
}

// spaceOf reads a row of the result of sql/space.sql; data and indexes are in bytes.
func spaceOf(rows *sql.Rows) (table string, data, indexes int64, err error) {
	err = rows.Scan(&table, &data, &indexes)
	return table, data * 1024, indexes * 1024, err
}

func kindOf(table string) (dataset.Kind, bool) {
	for _, k := range dataset.Kinds {
		if strings.EqualFold(tables[k], table) {
			return k, true
		}
	}
	return 0, false
}

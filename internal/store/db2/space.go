package db2

import (
	"context"
	"database/sql"

	"brokerage/internal/dataset"
	"brokerage/internal/store/bulk"
)

// Space measures. Db2 keeps all indexes of a table in one object and measures
// that; File is the sum of what belongs to the schema.
func (s *Store) Space(ctx context.Context) (space bulk.Space, err error) {
	for _, k := range dataset.Kinds {
		if err := s.Setting(ctx, bulk.SettingRaw+k.String(), &space.Raw[k]); err != nil {
			return space, err
		}
		if _, err := row(ctx, s.db, "count_"+tables[k], nil, []any{&space.Documents[k]}); err != nil {
			return space, domainError(ctx, err, false)
		}
	}
	err = s.eachTable(ctx, "space", func(rows *sql.Rows) error {
		name, data, indexes, err := spaceOf(rows)
		space.File += data + indexes
		if kind, is := kindOf(name); is {
			space.Stored[kind] = data
			space.Indexes = append(space.Indexes, bulk.IndexSpace{Name: "of " + tables[kind], Bytes: indexes})
		} else {
			space.Rest += data + indexes
		}
		return err
	})
	return space, domainError(ctx, err, false)
}

// eachTable runs a query with a row for each table.
func (s *Store) eachTable(ctx context.Context, name string, each func(*sql.Rows) error) error {
	rows, err := s.db.QueryContext(ctx, statements[name])
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }() // it was read to its end, or the error is told
	for rows.Next() {
		if err := each(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

// spaceOf reads a row of the query space, in bytes.
func spaceOf(rows *sql.Rows) (table string, data, indexes int64, err error) {
	err = rows.Scan(&table, &data, &indexes)
	return table, data * 1024, indexes * 1024, err
}

func kindOf(table string) (dataset.Kind, bool) {
	for _, k := range dataset.Kinds {
		if upper(tables[k]) == table {
			return k, true
		}
	}
	return 0, false
}

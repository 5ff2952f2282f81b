package db2

import (
	"context"

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
	rows, err := s.db.QueryContext(ctx, statements["space"])
	if err != nil {
		return space, domainError(ctx, err, false)
	}
	defer func() { _ = rows.Close() }() // it was read to its end, or the error is told
	for rows.Next() {
		var name string
		var data, indexes int64
		if err := rows.Scan(&name, &data, &indexes); err != nil {
			return space, domainError(ctx, err, false)
		}
		data, indexes = data*1024, indexes*1024
		space.File += data + indexes
		if kind, is := kindOf(name); is {
			space.Stored[kind] = data
			space.Indexes = append(space.Indexes, bulk.IndexSpace{Name: "of " + tables[kind], Bytes: indexes})
		} else {
			space.Rest += data + indexes
		}
	}
	return space, domainError(ctx, rows.Err(), false)
}

func kindOf(table string) (dataset.Kind, bool) {
	for _, k := range dataset.Kinds {
		if upper(tables[k]) == table {
			return k, true
		}
	}
	return 0, false
}

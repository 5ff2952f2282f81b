package sqlite

import (
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/dataset"
)

// The file is shared out completely, and what grows is what was written.
func TestSpace(t *testing.T) {
	d := generator(t, "tiny")
	s := loaded(t, d)
	require.NoError(t, s.control(t.Context(), "PRAGMA wal_checkpoint(TRUNCATE)"))
	space, err := s.Space(t.Context())
	require.NoError(t, err)

	info, err := os.Stat(s.path)
	require.NoError(t, err)
	require.Equal(t, info.Size(), space.File, "without a journal, the file is the whole database")
	require.Zero(t, space.Journal)
	var names []string
	all := space.Rest
	for _, index := range space.Indexes {
		names = append(names, index.Name)
		all += index.Bytes
		require.Positive(t, index.Bytes, index.Name)
	}
	require.Equal(
		t, []string{"accounts", "accounts_customer", "orders_cash", "securities_search", "securities_symbol"}, names,
	)
	for _, k := range dataset.Kinds {
		raw := int64(0)
		for i := range d.Count(k) {
			raw += int64(len(d.Append(nil, k, i)))
		}
		require.Equal(t, raw, space.Raw[k], k)
		require.Equal(t, d.Count(k), space.Documents[k], k)
		require.Greater(t, space.Stored[k], raw/10, k)
		require.Less(t, space.Stored[k], raw, k)
		all += space.Stored[k]
	}
	require.Equal(t, space.File, all)
	require.Positive(t, space.Rest, "dictionaries at least")

	for id := range int64(500) {
		_, err := s.InsertOrder(t.Context(), now(), order(d, 900_000+id))
		require.NoError(t, err)
	}
	after, err := s.Space(t.Context())
	require.NoError(t, err)
	require.Greater(t, after.Stored[dataset.Order], space.Stored[dataset.Order])
	require.Equal(t, space.Stored[dataset.Customer], after.Stored[dataset.Customer])
	require.Equal(t, space.Raw, after.Raw, "of loads only")
	require.Equal(t, int64(2500), after.Documents[dataset.Order])
	require.Positive(t, after.Journal)
}

// What measures is a part of SQLite that a build may leave out.
func TestSpace_CanBeMeasured(t *testing.T) {
	rows, err := empty(t).reading.QueryContext(t.Context(), "PRAGMA compile_options")
	require.NoError(t, err)
	defer rows.Close()
	var options []string
	for rows.Next() {
		var option string
		require.NoError(t, rows.Scan(&option))
		options = append(options, option)
	}
	require.NoError(t, rows.Err())
	require.True(t, slices.Contains(options, "ENABLE_DBSTAT_VTAB"), options)
}

package sqlite

import (
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/dataset"
)

// The file is shared out completely, and what grows is what was written.
func TestSpace(t *testing.T) {
	d, s := tiny, tinyStore(t)
	require.NoError(t, s.control(t.Context(), "PRAGMA wal_checkpoint(TRUNCATE)"))
	space, err := s.Space(t.Context())
	require.NoError(t, err)

	require.Equal(t, sizeOf(s.path), space.File, "without a journal, the file is the whole database")
	require.Zero(t, space.Journal)
	var names []string
	all := space.Rest
	for _, index := range space.Indexes {
		names = append(names, index.Name)
		all += index.Bytes
		require.Positive(t, index.Bytes, index.Name)
	}
	want := []string{"accounts", "accounts_customer", "orders_cash", "securities_search", "securities_symbol"}
	require.Equal(t, want, names)
	for _, k := range dataset.Kinds {
		raw := rawBytes(k)
		require.Equal(t, raw, space.Raw[k], k)
		require.Equal(t, d.Count(k), space.Documents[k], k)
		require.Greater(t, space.Stored[k], raw/10, k)
		require.Less(t, space.Stored[k], raw, k)
		all += space.Stored[k]
	}
	require.Equal(t, space.File, all)
	require.Positive(t, space.Rest, "dictionaries at least")

	for id := range int64(500) {
		insert(t, s, 900_000+id)
	}
	after, err := s.Space(t.Context())
	require.NoError(t, err)
	require.Greater(t, after.Stored[dataset.Order], space.Stored[dataset.Order])
	require.Equal(t, space.Stored[dataset.Customer], after.Stored[dataset.Customer])
	require.Equal(t, space.Raw, after.Raw, "of loads only")
	require.Equal(t, int64(2500), after.Documents[dataset.Order])
	require.Positive(t, after.Journal)
}

// rawBytes returns the bytes of all documents of a kind in the dataset tiny.
func rawBytes(k dataset.Kind) (n int64) {
	for i := range tiny.Count(k) {
		n += int64(len(tiny.Append(nil, k, i)))
	}
	return n
}

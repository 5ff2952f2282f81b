package postgres

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/dataset"
	"brokerage/internal/store/postgres/pgtest"
	"brokerage/internal/testenv"
	"brokerage/internal/tpox"
)

// A bit of a table is flipped on a server with checksums: orders on that page are refused, all others are returned, and
// verify reports it.
func TestDamage(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	server := pgtest.Start(t)
	d := generator(t)
	url := server.URL(server.Database(t))
	s := opened(t, url, Options{})
	require.NoError(t, s.LoadDataset(t.Context(), d, nil))
	want := make(map[tpox.ID]string)
	for i := range d.Count(dataset.Order) {
		got, err := s.GetOrder(t.Context(), orderID(d, i))
		require.NoError(t, err)
		want[orderID(d, i)] = string(got)
	}
	exec(t, s.pool, "CHECKPOINT")
	file := value[string](t, s.pool, "SELECT pg_relation_filepath('brokerage.orders')")
	size := value[int64](t, s.pool, "SELECT pg_relation_size('brokerage.orders')")
	require.NoError(t, s.Close())
	server.Halt(t)
	server.FlipBit(t, file, rand.Int64N(size*8))
	server.Again(t)

	s = opened(t, url, Options{})
	refused := 0
	for id, want := range want {
		got, err := s.GetOrder(t.Context(), id)
		if tpox.Is[*tpox.Damaged](err) {
			refused++
			continue
		}
		require.NoError(t, err)
		require.Equal(t, want, string(got))
	}
	require.Positive(t, refused)
	require.Less(t, refused, 100, "a page")
	findings := verified(t, s)
	require.Len(t, findings, 1)
	require.Contains(t, findings[0], "stored data is damaged, and the rest was not read")
}

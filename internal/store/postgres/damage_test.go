package postgres

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/brokerage"
	"brokerage/internal/dataset"
	"brokerage/internal/store/postgres/pgtest"
)

// A bit of a table is flipped on a server that has checksums: no order is answered from its page, all others are, and
// verify says so. Without checksums the store says that, and cannot know.
func TestDamage(t *testing.T) {
	server := pgtest.Start(t)
	d := generator(t, "tiny")
	url := server.URL(server.Database(t))
	s := opened(t, url, Options{})
	require.True(t, s.Server().Checks())
	require.NoError(t, s.LoadDataset(t.Context(), d, nil))
	want := make(map[brokerage.ID]string)
	for i := range d.Count(dataset.Order) {
		id := brokerage.ID(d.ID(dataset.Order, i))
		got, err := s.GetOrder(t.Context(), id)
		require.NoError(t, err)
		want[id] = string(got)
	}
	var file string
	var pages int64
	_, err := s.pool.Exec(t.Context(), "CHECKPOINT")
	require.NoError(t, err)
	scan(t, s.pool, []any{&file, &pages},
		"SELECT pg_relation_filepath('brokerage.orders'), pg_relation_size('brokerage.orders') / 8192")
	require.NoError(t, s.Close())
	server.Halt(t)
	server.FlipBit(t, file, rand.Int64N(pages*8192*8))
	server.Again(t)

	s = opened(t, url, Options{})
	refused := 0
	for id, want := range want {
		got, err := s.GetOrder(t.Context(), id)
		if _, isDamaged := errors.AsType[*brokerage.Damaged](err); isDamaged {
			refused++
			continue
		}
		require.NoError(t, err)
		require.Equal(t, want, string(got))
	}
	require.Positive(t, refused)
	require.Less(t, refused, 100, "a page")
	var findings []string
	_, err = s.Verify(context.Background(), func(f string) error { findings = append(findings, f); return nil }, nil)
	require.NoError(t, err)
	require.Len(t, findings, 1)
	require.Contains(t, findings[0], "what is stored is damaged, and the rest was not read")
	require.NoError(t, s.Close())

	server.Halt(t)
	server.DisableChecksums(t)
	server.Again(t)
	require.False(t, opened(t, url, Options{}).Server().Checks())
}

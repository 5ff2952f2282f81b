//go:build db2

package db2

import (
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/dataset"
	"brokerage/internal/store/bulk"
)

// What Stats asks goes through the real driver. The bench has no buffer pools, and nobody has collected statistics
// there: it has figures that stand for some.
func TestStats_Bench(t *testing.T) {
	s := openBench(t, onBench(t), Settings{})
	p, err := s.countPages(t.Context())
	require.NoError(t, err)
	require.Equal(t, bulk.Pages{Hits: 1505, Misses: 102}, p)
	kinds, err := s.estimate(t.Context())
	require.NoError(t, err)
	for _, k := range dataset.Kinds {
		require.False(t, kinds[k].Known, k)
		require.Positive(t, kinds[k].Stored, k)
	}
}

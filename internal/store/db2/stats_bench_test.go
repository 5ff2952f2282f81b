//go:build db2

package db2

import (
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/dataset"
	"brokerage/internal/store/bulk"
)

// The queries of Stats run through the real driver. The stand-in has no buffer pools and no statistics, but invented
// figures for them.
func TestStats_Bench(t *testing.T) {
	s := openBench(t, onBench(t), Options{})
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

package store_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/store"
)

func TestHistogram(t *testing.T) {
	sizes := store.NewHistogram(1, 2, 4)
	require.Zero(t, sizes.Distribution().Count())
	for _, value := range []float64{0.5, 1, 1.5, 2, 3, 4, 4.5, 100} { // a bound belongs to its bucket
		sizes.Add(value)
	}
	d := sizes.Distribution()
	require.Equal(t, []float64{1, 2, 4}, d.Bounds)
	require.Equal(t, []uint64{2, 2, 2, 2}, d.Counts)
	require.EqualValues(t, 8, d.Count())
	require.InDelta(t, 116.5, d.Sum, 1e-9)

	sizes.Add(1)
	require.EqualValues(t, 8, d.Count()) // what was returned does not change
}

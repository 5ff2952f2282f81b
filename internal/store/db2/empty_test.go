//go:build db2

package db2

import (
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/dataset"
	"brokerage/internal/tpox"
)

// Empty leaves nothing, and the same load restores everything. After a failure halfway the store is not ready, and
// Empty can run again.
func TestEmpty(t *testing.T) {
	s := openBench(t, onBench(t), Options{Pool: 4})
	order := tpox.ID(few().ID(dataset.Order, 1))
	_, err := s.GetOrder(t.Context(), order)
	require.NoError(t, err)

	text := statements["empty_custacc"]
	t.Cleanup(func() { statements["empty_custacc"] = text })
	statements["empty_custacc"] = "TRUNCATE TABLE nothing IMMEDIATE"
	require.Error(t, s.Empty(t.Context()))
	statements["empty_custacc"] = text
	var unavailable *tpox.Unavailable
	require.ErrorAs(t, s.Ready(t.Context()), &unavailable)
	require.Error(t, s.LoadDataset(t.Context(), few(), nil), "it would meet what is left")

	require.NoError(t, s.Empty(t.Context()))
	require.NoError(t, s.Ready(t.Context()))
	var missing *tpox.NotFound
	_, err = s.GetOrder(t.Context(), order)
	require.ErrorAs(t, err, &missing)
	for _, k := range dataset.Kinds {
		n, err := s.LoadedDocuments(t.Context(), k)
		require.NoError(t, err)
		require.Zero(t, n)
	}
	require.NoError(t, s.LoadDataset(t.Context(), few(), nil))
	_, err = s.GetOrder(t.Context(), order)
	require.NoError(t, err)
}

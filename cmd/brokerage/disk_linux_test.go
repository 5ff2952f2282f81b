package main

import (
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/dataset"
	"brokerage/internal/testenv"
)

func TestGenerate_FullDisk(t *testing.T) {
	t.Parallel()
	dir := testenv.SmallDisk(t, "4m")

	t.Run("Foreseen", func(t *testing.T) {
		requireOneLine(t, brokerage(t.Context(), "generate", "--out", dir), exitFailed, "needs about")
		require.Empty(t, names(t, dir))
	})
	t.Run("Met", func(t *testing.T) {
		files := tiny(dataset.TPoX2).Files(dir, nil, dataset.Part{Number: 1, Of: 1}, false)
		_, err := files.Write(t.Context(), 2, func(int) {})
		require.ErrorIs(t, err, syscall.ENOSPC)
		for _, name := range names(t, dir) {
			require.NotContains(t, name, "partial")
		}
	})
}

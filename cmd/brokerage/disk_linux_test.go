package main

import (
	"io"
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
		g := generation{data: tiny(dataset.TPoX2), progress: startProgress(io.Discard, 1)}
		g.folder = newDataFolder(dir, g.data.Spec(), false)
		var shares []share
		for _, kind := range dataset.Kinds {
			shares = append(shares, share{kind, 0, g.data.Count(kind)})
		}
		err := g.run(t.Context(), 2, shares, nil)
		g.progress.finish()
		require.ErrorIs(t, err, syscall.ENOSPC)
		for _, name := range names(t, dir) {
			require.NotContains(t, name, "partial")
		}
	})
}

package main

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/testenv"
)

// The scripts agree with the registry and with the contract.
func TestGenerate_IsCurrent(t *testing.T) {
	files, err := generate("..")
	require.NoError(t, err)
	for name, want := range files {
		text := testenv.Text(t, filepath.Join("..", name))
		require.Equal(t, string(want), text, "run go generate ./loadtest: %s", name)
	}
}

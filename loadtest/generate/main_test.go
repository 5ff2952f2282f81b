package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// The scripts agree with the registry and with the contract.
func TestGenerate_IsCurrent(t *testing.T) {
	files, err := generate("..")
	require.NoError(t, err)
	for name, want := range files {
		text, err := os.ReadFile(filepath.Join("..", name))
		require.NoError(t, err)
		require.Equal(t, string(want), string(text), "run go generate ./loadtest: %s", name)
	}
}

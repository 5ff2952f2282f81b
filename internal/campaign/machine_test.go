package campaign

import (
	"os"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestThisMachine(t *testing.T) {
	folder := t.TempDir()
	m, err := ThisMachine(folder)
	require.NoError(t, err)
	require.Positive(t, m.FlushP50)
	require.GreaterOrEqual(t, m.FlushP99, m.FlushP50)
	if runtime.GOOS == "linux" {
		require.NotEmpty(t, m.Kernel)
		require.NotEmpty(t, m.FileSystem)
	}
	left, err := os.ReadDir(folder)
	require.NoError(t, err)
	require.Empty(t, left)
}

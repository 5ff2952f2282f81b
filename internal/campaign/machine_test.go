package campaign

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestThisMachine(t *testing.T) {
	folder := t.TempDir()
	m, err := ThisMachine(folder)
	require.NoError(t, err)
	require.Equal(t, runtime.GOMAXPROCS(0), m.Cores)
	require.Equal(t, runtime.GOOS, m.OS)
	require.Positive(t, m.FlushP50)
	require.GreaterOrEqual(t, m.FlushP99, m.FlushP50)
	if runtime.GOOS == "linux" {
		require.Greater(t, m.Memory, int64(64<<20))
		require.NotEmpty(t, m.Kernel)
		require.NotEmpty(t, m.FileSystem)
	}
	left, err := os.ReadDir(folder)
	require.NoError(t, err)
	require.Empty(t, left)
	_, err = ThisMachine(filepath.Join(folder, "none"))
	require.ErrorIs(t, err, os.ErrNotExist)
}

package campaign

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/workload"
)

func TestNumbers(t *testing.T) {
	require.Equal(t, map[string]float64{"VmHWM": 1234, "read_bytes": 7},
		numbers([]byte("Name:\tbrokerage\nVmHWM:\t    1234 kB\nread_bytes: 7\nno colon\nempty:\n")))
}

// Only input and output during the measured time count.
func TestWatch_AddService(t *testing.T) {
	began := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	var w watch
	for i := range 100 {
		w.samples = append(w.samples, sample{began.Add(time.Duration(i) * time.Second),
			map[string]float64{"write_bytes": float64(i * i)}})
	}
	run := workload.Run{Started: began.Add(2 * time.Second), Warmed: 20.4, Measured: 60,
		Usage: workload.Usage{Service: &workload.Process{}}}
	w.addService(&run, os.Getpid())
	require.Equal(t, workload.Change{Before: 22 * 22, After: 82 * 82}, run.Usage.Figures["process_disk_written_bytes"])
	if runtime.GOOS == "linux" {
		require.Greater(t, run.Usage.Service.MemoryPeak, int64(1<<20))
	}
}

func TestWatch_NoProcess(t *testing.T) {
	w := watchService(0)
	w.end()
	var run workload.Run
	w.addService(&run, 0)
	require.Nil(t, run.Usage.Figures)
}

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

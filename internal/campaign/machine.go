package campaign

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/prometheus/procfs"

	"brokerage/internal/drive"
)

// ThisMachine describes the computer, and the disk of a folder, which must exist.
func ThisMachine(folder string) (m Machine, err error) {
	m.Machine = drive.ThisMachine()
	m.Host, _ = os.Hostname() // empty if it is unknown
	release, _ := os.ReadFile("/proc/sys/kernel/osrelease")
	m.Kernel = string(bytes.TrimSpace(release))
	m.FileSystem = fileSystem(folder)
	m.FlushP50, m.FlushP99, err = flushes(folder)
	return m, err
}

// fileSystem returns the type of the file system that a folder is on: that of the mount with the longest path.
func fileSystem(folder string) (kind string) {
	mounts, _ := procfs.GetMounts() // only Linux has them
	longest := -1
	for _, m := range mounts {
		under := strings.HasPrefix(folder+"/", strings.TrimSuffix(m.MountPoint, "/")+"/")
		if under && len(m.MountPoint) >= longest { // a later mount hides an earlier one
			longest, kind = len(m.MountPoint), m.FSType
		}
	}
	return kind
}

// flushes measures how long a small write and its flush take, in microseconds.
func flushes(folder string) (p50, p99 float64, err error) {
	f, err := os.CreateTemp(folder, ".campaign-flush-*")
	if err != nil {
		return 0, 0, err
	}
	defer func() { err = errors.Join(err, f.Close(), os.Remove(f.Name())) }()
	block := make([]byte, 4096)
	var took []time.Duration
	for began := time.Now(); len(took) < 100 && time.Since(began) < 3*time.Second; { // on a slow disk, fewer are enough
		start := time.Now()
		if _, err := f.Write(block); err != nil {
			return 0, 0, err
		}
		if err := f.Sync(); err != nil {
			return 0, 0, fmt.Errorf("%s: %w", f.Name(), err)
		}
		took = append(took, time.Since(start))
	}
	slices.Sort(took)
	micros := func(share int) float64 { return float64(took[(len(took)-1)*share/100].Microseconds()) }
	return micros(50), micros(99), nil
}

//go:build unix

package drive

import (
	"os"
	"runtime"
	"syscall"

	"brokerage/internal/probe"
	"brokerage/internal/result"
)

// readSelf returns what this process has used.
func readSelf() result.ProcessUsage {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u) // fails only for another address or process
	if runtime.GOOS != "darwin" && runtime.GOOS != "ios" {
		u.Maxrss <<= 10 // kilobytes, except on Apple systems
	}
	return result.ProcessUsage{
		CPUSeconds:  float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9,
		MemoryAfter: int64(probe.Here.Process(os.Getpid()).Figures[probe.Memory]), MemoryPeak: u.Maxrss,
	}
}

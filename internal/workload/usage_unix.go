//go:build unix

package workload

import (
	"runtime"
	"syscall"
)

// readSelf returns what this process has used.
func readSelf() Process {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u) // fails only for another address or process
	if runtime.GOOS != "darwin" && runtime.GOOS != "ios" {
		u.Maxrss <<= 10 // kilobytes, except on Apple systems
	}
	return Process{
		CPUSeconds: float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9, MemoryAfter: residentMemory(), MemoryPeak: u.Maxrss,
	}
}

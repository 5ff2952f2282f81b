//go:build unix

package workload

import (
	"runtime"
	"syscall"
)

// readSelf returns what this process has used.
func readSelf() (p processReading, peak int64) {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return p, 0
	}
	peak = u.Maxrss
	if runtime.GOOS != "darwin" && runtime.GOOS != "ios" {
		peak <<= 10 // kilobytes, except on Apple systems
	}
	return processReading{cpuSeconds: float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9, memoryBytes: residentMemory()}, peak
}

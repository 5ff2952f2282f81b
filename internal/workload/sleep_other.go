//go:build !linux

package workload

import "time"

// sleepPrecisely is as precise as Go's timers are here.
func sleepPrecisely(long time.Duration) { time.Sleep(long) }

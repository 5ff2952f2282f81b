package workload

import (
	"syscall"
	"time"
)

// sleepPrecisely sleeps to within a tenth of a millisecond. Go's own timers wake
// up to a millisecond late when nothing else happens, which would be in every
// time that an open model measures.
func sleepPrecisely(long time.Duration) {
	t := syscall.NsecToTimespec(int64(long))
	_ = syscall.Nanosleep(&t, nil) // a signal ends it early, and the caller looks at the clock
}

//go:build !linux

package drive

import "time"

// sleeper sleeps with the precision of Go's timers.
type sleeper struct{}

func newSleeper() *sleeper { return &sleeper{} }

func (*sleeper) sleep(long time.Duration) { time.Sleep(long) }

func (*sleeper) close() {}

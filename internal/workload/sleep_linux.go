package workload

import (
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// sleeper sleeps to within a tenth of a millisecond. Go's own timers wake up to a
// millisecond late when nothing else happens, which would be in every time that an
// open model measures. The kernel's clock is waited for as answers are, and
// together with them: whoever sleeps in a system call is looked after by Go, which
// starts another thread in its place, and at 3,000 arrivals a second that was an
// eighth of the processor time.
type sleeper struct{ clock *os.File }

func newSleeper() *sleeper {
	fd, err := unix.TimerfdCreate(unix.CLOCK_MONOTONIC, unix.TFD_NONBLOCK|unix.TFD_CLOEXEC)
	if err != nil {
		return &sleeper{}
	}
	return &sleeper{os.NewFile(uintptr(fd), "clock")}
}

// sleep may be shorter, and the caller looks at the clock.
func (s *sleeper) sleep(long time.Duration) {
	if long <= 0 {
		return // a clock set to nothing is never due
	}
	var ticks [8]byte
	if s.set(long) {
		if _, err := s.clock.Read(ticks[:]); err == nil {
			return
		}
	}
	time.Sleep(long)
}

func (s *sleeper) set(long time.Duration) bool {
	if s.clock == nil {
		return false
	}
	clock, err := s.clock.SyscallConn()
	if err != nil {
		return false
	}
	due := unix.ItimerSpec{Value: unix.NsecToTimespec(int64(long))}
	failed := clock.Control(func(fd uintptr) { err = unix.TimerfdSettime(int(fd), 0, &due, nil) })
	return failed == nil && err == nil
}

func (s *sleeper) close() {
	if s.clock != nil {
		_ = s.clock.Close()
	}
}

package httpapi

import "golang.org/x/sys/unix"

const canTellReset = true

// isReset reports whether a TCP connection whose input has ended was reset. It does not wait.
func isReset(fd uintptr) bool {
	polled := []unix.PollFd{{Fd: int32(fd)}} //nolint:gosec // a descriptor fits
	_, err := unix.Poll(polled, 0)
	return err == nil && polled[0].Revents&(unix.POLLERR|unix.POLLHUP) != 0
}

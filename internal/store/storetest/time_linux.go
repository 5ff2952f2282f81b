package storetest

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// processorTime returns the processor time that this process and others, which are idle at the moment, have used.
func processorTime(others []int) (sum time.Duration) {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		panic(err) // it cannot fail
	}
	sum = time.Duration(used.Utime.Nano() + used.Stime.Nano())
	for _, pid := range others {
		threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", pid)) // the pattern is valid
		for _, thread := range threads {
			b, err := os.ReadFile(thread)
			if err != nil {
				continue // the thread has ended meanwhile
			}
			text, _, _ := strings.Cut(string(b), " ")
			n, _ := strconv.ParseInt(text, 10, 64)
			sum += time.Duration(n)
		}
	}
	return sum
}

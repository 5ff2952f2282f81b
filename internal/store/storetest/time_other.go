//go:build !linux

package storetest

import "time"

var began = time.Now()

// processorTime returns the wall clock time, because processor time is not available here.
func processorTime([]int) time.Duration { return time.Since(began) }

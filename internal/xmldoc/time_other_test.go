//go:build !linux

package xmldoc_test

import (
	"testing"
	"time"
)

var began = time.Now()

// processorTime returns the wall clock, because threads have no clock of their own here.
func processorTime(testing.TB) time.Duration { return time.Since(began) }

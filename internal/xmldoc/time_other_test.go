//go:build !linux

package xmldoc_test

import (
	"testing"
	"time"
)

var began = time.Now()

// processorTime returns the clock where threads have none of their own.
func processorTime(testing.TB) time.Duration { return time.Since(began) }

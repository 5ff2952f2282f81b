package main

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/testenv"
)

// processorTime returns the processor time of a process, in ticks of 10 ms.
func processorTime(t testing.TB, pid int) time.Duration {
	t.Helper()
	text := testenv.Text(t, fmt.Sprintf("/proc/%d/stat", pid))
	fields := strings.Fields(text[strings.LastIndexByte(text, ')')+1:])
	var ticks int64
	for _, field := range fields[11:13] { // utime and stime
		n, err := strconv.ParseInt(field, 10, 64)
		require.NoError(t, err)
		ticks += n
	}
	return time.Duration(ticks) * 10 * time.Millisecond
}

// mostMemory returns the peak memory of a process, in bytes.
func mostMemory(t testing.TB, pid int) int64 {
	t.Helper()
	_, rest, ok := strings.Cut(testenv.Text(t, fmt.Sprintf("/proc/%d/status", pid)), "VmHWM:")
	require.True(t, ok)
	kilobytes, err := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
	require.NoError(t, err)
	return kilobytes << 10
}

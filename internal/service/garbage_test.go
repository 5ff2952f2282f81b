package service

import (
	"bytes"
	"log/slog"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/probe"
)

func TestGarbagePercent(t *testing.T) {
	for live, want := range map[uint64]int{
		0: percentMax, 1 << 20: percentMax, 32 << 20: 400, 40 << 20: 320, 64 << 20: 200, 256 << 20: 50, 1 << 30: percentMin,
	} {
		require.Equal(t, want, garbagePercent(128<<20, live), "%d MiB live", live>>20)
	}
}

// collectorTargets returns GOGC and GOMEMLIMIT as they are in effect.
func collectorTargets() (percent, limit uint64) {
	samples := []metrics.Sample{{Name: "/gc/gogc:percent"}, {Name: "/gc/gomemlimit:bytes"}}
	metrics.Read(samples)
	return samples[0].Value.Uint64(), samples[1].Value.Uint64()
}

// The percentage falls while live memory grows, and rises again.
func TestBoundGarbage(t *testing.T) {
	before, _ := collectorTargets()
	restore := boundGarbage(64 << 20)
	becomes := func(least, most uint64) {
		t.Helper()
		require.Eventually(t, func() bool {
			runtime.GC()
			percent, _ := collectorTargets()
			return percent >= least && percent <= most
		}, 30*time.Second, time.Millisecond)
	}
	becomes(percentMax, percentMax) // a test has little live memory
	live := make([]byte, 40<<20)
	becomes(percentMin+1, 160)
	more := make([]byte, 256<<20)
	becomes(percentMin, percentMin)
	runtime.KeepAlive(live)
	runtime.KeepAlive(more)
	becomes(percentMax, percentMax)
	require.NoError(t, restore())
	runtime.GC()
	runtime.GC()
	after, _ := collectorTargets()
	require.Equal(t, before, after)
}

// What the variables of Go set stays.
func TestTuneCollector_Variables(t *testing.T) {
	usable := probe.Here.UsableMemory()
	if usable == 0 {
		t.Skip("the memory of this computer is unknown")
	}
	for name, c := range map[string]struct{ percent, limit string }{
		"None": {}, "GOGC": {"50", ""}, "GOMEMLIMIT": {"", "300MiB"}, "Both": {"off", "300MiB"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("GOGC", c.percent) // the runtime has read it before
			t.Setenv("GOMEMLIMIT", c.limit)
			defer debug.SetGCPercent(debug.SetGCPercent(100))
			percentBefore, limitBefore := collectorTargets()
			var logged bytes.Buffer
			s := &service{log: slog.New(slog.NewTextHandler(&logged, nil))}
			s.tuneCollector()
			percent, limit := collectorTargets()
			require.Equal(t, c.percent == "", percent != percentBefore)
			require.Equal(t, c.limit == "", limit != limitBefore)
			if c.limit == "" {
				require.Equal(t, uint64(usable/4*3), limit)
			}
			require.Contains(t, logged.String(), "usable_memory=")
			for _, shut := range s.closers {
				require.NoError(t, shut())
			}
			percent, limit = collectorTargets()
			require.Equal(t, percentBefore, percent)
			require.Equal(t, limitBefore, limit)
		})
	}
}

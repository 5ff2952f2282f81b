package service

import (
	"bytes"
	"log/slog"
	"runtime/debug"
	"runtime/metrics"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/probe"
)

// collectorTargets returns GOGC and GOMEMLIMIT as they are in effect.
func collectorTargets() (percent, limit uint64) {
	samples := []metrics.Sample{{Name: "/gc/gogc:percent"}, {Name: "/gc/gomemlimit:bytes"}}
	metrics.Read(samples)
	return samples[0].Value.Uint64(), samples[1].Value.Uint64()
}

// Targets that GOGC and GOMEMLIMIT set are not changed.
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
			require.Equal(t, c.limit == "", strings.Contains(logged.String(), "go_limit="))
			for _, shut := range s.closers {
				require.NoError(t, shut())
			}
			percent, limit = collectorTargets()
			require.Equal(t, percentBefore, percent)
			require.Equal(t, limitBefore, limit)
		})
	}
}

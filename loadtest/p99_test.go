package loadtest_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The 99th percentile has a limit only if P99 sets one. A default of 10 s could not fail a run, because the service's
// own timeout is shorter.
func TestK6_P99(t *testing.T) {
	requireK6(t)
	bounds := func(settings ...string) map[string][]string {
		found := map[string][]string{}
		for name, all := range inspect(t, append(settings, "WORKLOAD=query")...).Thresholds {
			if strings.Contains(strings.Join(all, " "), "p(99)") {
				found[name] = all
			}
		}
		return found
	}
	require.Empty(t, bounds())
	require.Empty(t, bounds("P99=0"))
	set := bounds("P99=250")
	require.Len(t, set, 7, "one for each query")
	require.Equal(t, []string{"p(99)<250"}, set["http_req_duration{phase:measured,name:get_order}"])

	s := newService(t, true)
	run := s.with("WORKLOAD=query USERS=2 DURATION=3s RAMP=1s OUT=none")
	require.NotContains(t, runK6(t, run...).stderr, "thresholds on metrics")
	o := runK6(t, append(run, "P99=0.001")...)
	require.NotZero(t, o.code)
	require.Contains(t, o.stderr, "thresholds on metrics 'http_req_duration{phase:measured,name:")
}

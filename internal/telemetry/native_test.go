package telemetry

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Durations are counted in classic buckets, which every Prometheus reads, and in native ones. The test is inside the
// package because the text format lacks native buckets, and reading protobuf would need two more modules.
func TestMetrics_Native(t *testing.T) {
	m := New(BuildInfo{})
	for range 10 {
		m.Observe("get_order", OK, 700*time.Microsecond, 0, 0, "")
	}
	families, err := m.registry.Gather()
	require.NoError(t, err)
	found := false
	for _, family := range families {
		if family.GetName() != "brokerage_transaction_duration_seconds" {
			continue
		}
		for _, metric := range family.GetMetric() {
			h := metric.GetHistogram()
			require.EqualValues(t, 3, h.GetSchema()) // eight buckets for each doubling
			require.Len(t, h.GetBucket(), len(durations))
			if metric.GetLabel()[0].GetValue() == "get_order" {
				found = true
				require.EqualValues(t, 10, h.GetSampleCount())
				require.Equal(t, []int64{10}, h.GetPositiveDelta())
			}
		}
	}
	require.True(t, found)
}

// A request that is traced is the exemplar of its bucket, and no other is.
func TestMetrics_Exemplars(t *testing.T) {
	const trace = "000102030405060708090a0b0c0d0e0f"
	m := New(BuildInfo{})
	m.Observe("get_order", OK, 700*time.Microsecond, 0, 0, "")
	m.Observe("get_order", OK, 7*time.Millisecond, 0, 0, trace)
	families, err := m.registry.Gather()
	require.NoError(t, err)
	var found []string
	for _, family := range families {
		for _, metric := range family.GetMetric() {
			for _, bucket := range metric.GetHistogram().GetBucket() {
				if e := bucket.GetExemplar(); e != nil {
					found = append(found, fmt.Sprint(family.GetName(), " ", metric.GetLabel()[0].GetValue(), " ",
						bucket.GetUpperBound(), " ", e.GetLabel()[0].GetName(), "=", e.GetLabel()[0].GetValue(), " ", e.GetValue()))
				}
			}
		}
	}
	require.Equal(t, []string{
		"brokerage_transaction_duration_seconds get_order 0.01 trace_id=" + trace + " 0.007",
	}, found)
}

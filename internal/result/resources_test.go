package result

import (
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/probe"
)

func TestResources_Process(t *testing.T) {
	r := &Resources{Seconds: []float64{0, 1, 2}, Series: []Series{
		{OfDatabase, probe.UserSeconds, true, []float64{0, 1, 1.5}},
		{OfDatabase, probe.SystemSeconds, true, []float64{0, .25, .5}},
		{OfDatabase, probe.Memory, false, []float64{100, 300, 200}},
	}}
	require.Equal(t, &ProcessUsage{CPUSeconds: 2, CPU: .5, MemoryPeak: 300},
		r.Process(OfDatabase, 2))
	require.Nil(t, r.Process(OfService, 2))
	require.Nil(t, (*Resources)(nil).Process(OfDatabase, 2))
}

package result

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Limit names the resource that was used up, if one was.
func TestRun_Limit(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(r *Run)
		want   string
	}{
		"Processor": {func(r *Run) { r.Usage.Host.CPU = .93 },
			"the processor: 93 % busy (service 66 %, load generator 21 %)"},
		"Others": {func(r *Run) { r.Usage.Host.CPU, r.Usage.Others = .93, new(.2) },
			"the processor: 93 % busy (service 66 %, load generator 21 %), 20 % by other programs"},
		"Generator": {func(r *Run) { r.Usage.Generator.CPU = .9 }, "the load generator, which used 90 %"},
		"Disk":      {func(r *Run) { r.Usage.Host.IOWait = .45 }, "the disk: processors waited for it 45 % of the time"},
		"Connections": {func(r *Run) {
			r.Settings = map[string]string{"pool": "4"}
			r.Resources = &Resources{Seconds: []float64{0, 1}, Series: []Series{
				{Of: OfStore, Figure: "brokerage_store_connections_in_use", Values: []float64{4, 4}}}}
		}, "the connections to the database, of which 100 % were in use"},
		"Waits":   {func(*Run) {}, "neither the processor (40 % busy "},
		"Unknown": {func(r *Run) { r.Usage = Usage{} }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := Run{Machine: Machine{Cores: 2}, Target: Target{Kind: HTTP}, Model: Model{Users: 100},
				Usage: Usage{Host: &Host{CPU: .4}, Generator: ProcessUsage{CPU: .21}, Service: &ProcessUsage{CPU: .66}}}
			c.change(&r)
			require.True(t, strings.HasPrefix(r.Limit(), c.want), r.Limit())
			require.Equal(t, c.want == "", r.Limit() == "")
		})
	}
}

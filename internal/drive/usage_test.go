package drive

import (
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/probe"
	"brokerage/internal/result"
)

// Other programs used the busy time that the processes of the run did not use, if the times of all these are known.
func TestOthers(t *testing.T) {
	host := probe.Figures{probe.UserSeconds: 10, probe.SystemSeconds: 4, probe.InterruptSeconds: 1,
		probe.StealSeconds: 2, probe.IOWaitSeconds: 1, probe.IdleSeconds: 3}
	of := func(seconds float64) *result.ProcessUsage { return &result.ProcessUsage{CPUSeconds: seconds} }
	for name, c := range map[string]struct {
		target            result.Target
		service, database *result.ProcessUsage
		want              float64 // below 0: not known
	}{
		"Embedded":       {result.Target{Kind: result.Direct, SameHost: true, Engine: "sqlite"}, nil, nil, .6},
		"Service":        {result.Target{Kind: result.HTTP, SameHost: true, Engine: "sqlite"}, of(5), nil, .35},
		"ServiceHidden":  {result.Target{Kind: result.HTTP, SameHost: true, Engine: "sqlite"}, nil, nil, -1},
		"Elsewhere":      {result.Target{Kind: result.HTTP, Engine: "postgres"}, of(5), nil, .6},
		"Server":         {result.Target{Kind: result.HTTP, SameHost: true, Engine: "postgres"}, of(5), of(3), .2},
		"ServerHidden":   {result.Target{Kind: result.HTTP, SameHost: true, Engine: "postgres"}, of(5), nil, -1},
		"MoreThanAll":    {result.Target{Kind: result.HTTP, SameHost: true, Engine: "null"}, of(500), nil, 0},
		"DirectToServer": {result.Target{Kind: result.Direct, SameHost: true, Engine: "db2"}, nil, nil, -1},
	} {
		t.Run(name, func(t *testing.T) {
			u := result.Usage{Generator: *of(3), Service: c.service, Database: c.database}
			got := others(&u, host, c.target)
			if c.want < 0 {
				require.Nil(t, got)
				return
			}
			require.InDelta(t, c.want, *got, 1e-9)
		})
	}
}

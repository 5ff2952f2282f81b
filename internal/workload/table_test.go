package workload

import (
	"bytes"
	"io"
	"os"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"brokerage/internal/testenv"
	"brokerage/internal/tpox"
)

// written returns what is written, whose lines must be narrow.
func written(t testing.TB, write func(w io.Writer) error) string {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, write(&out))
	for line := range strings.Lines(out.String()) {
		if !strings.HasPrefix(line, "Note: ") && !strings.HasPrefix(line, "INVALID: ") {
			require.LessOrEqual(t, utf8.RuneCountInString(strings.TrimSuffix(line, "\n")), 100, line)
		}
	}
	return out.String()
}

// example returns a run with every kind of figure, and large numbers.
func example(t testing.TB) *Run {
	t.Helper()
	d := definition(t, "mixed")
	mix, err := d.parts()
	require.NoError(t, err)
	all := make([]*aggregate, len(mix))
	of := make(map[*Transaction]*aggregate)
	for p := range mix {
		all[p] = newAggregate()
		of[mix[p].Transaction] = all[p]
		for i := range int64(mix[p].share * 1000) {
			took := time.Duration(p+1)*100*time.Microsecond + time.Duration(i)*time.Microsecond
			all[p].add(&sample{took: int64(took), outcome: done})
		}
	}
	of[sellSecurity].add(&sample{took: int64(45 * time.Second), outcome: sellSecurity.refused(tpox.NotHeld)})
	of[getOrder].add(&sample{took: int64(2 * time.Millisecond), outcome: outcome{unexpected, "404 not-found"}})
	of[getOrder].add(&sample{took: int64(30 * time.Second), outcome: timedOut})
	of[getOrder].add(&sample{took: int64(3 * time.Millisecond), outcome: done, waiting: true})
	of[getSecurity].add(&sample{outcome: outcome{class: abandoned}, waiting: true})
	of[deleteOrder].add(&sample{outcome: outcome{class: emptied}})
	r := &Run{
		Format: RunFormat, Tool: Tool{"drive", "v1.2.3"},
		Target:   Target{Kind: httpTarget, URL: "http://127.0.0.1:8080", SameHost: true},
		Workload: WorkloadStamp{Name: d.Name, SHA256: d.SHA256, Validate: true, Mix: d.Mix},
		Model:    Model{Kind: Open, Users: 50, Rate: 2000, Every: 60},
		Ramp:     20, Duration: 60, Warmed: 20.5, Measured: 60, Seed: 7, Ended: Complete, Started: time.Unix(1e9, 0).UTC(),
		Dataset: DatasetStamp{
			Fingerprint: "tpox-2/tiny/seed-1/v1/500-200-2000", Scale: "tiny", Profile: "tpox-2", Seed: 1,
			Securities: 500, Customers: 200, Orders: 2000,
		},
		Settings: map[string]string{},
		Prepared: &Prepared{Seconds: 1, Orders: 2500, Customers: 250, Unexpected: map[string]int64{"timeout": 1}},
		Arrivals: &Arrivals{Due: 1010, Started: 1005, Dropped: 3, Queued: 2, Late: 17},
		Usage: Usage{
			Generator: ProcessUsage{CPUSeconds: 12.3, CPU: 0.1025, MemoryBefore: 40e6, MemoryAfter: 55e6, MemoryPeak: 60e6},
			Service:   &ProcessUsage{CPUSeconds: 61.5, CPU: 0.5125, MemoryBefore: 1.2e9, MemoryAfter: 1.25e9},
			Host:      &Host{CPU: 0.93, IOWait: 0.04, ReadBytes: 123e6, WriteBytes: 45.6e9},
		},
		Machine: Machine{CPU: "some", Cores: 2, OS: "linux", Arch: "amd64"},
	}
	require.NoError(t, r.total(all, mix))
	return r
}

func TestRun_Write(t *testing.T) {
	const golden = "testdata/table.golden"
	text := written(t, example(t).Write)
	if os.Getenv("UPDATE_GOLDEN") != "" {
		require.NoError(t, os.WriteFile(golden, []byte(text), 0o644))
	}
	require.Equal(t, testenv.Text(t, golden), text)
}

// On a narrow terminal two columns are left out, and only sentences exceed its width.
func TestRun_Write_Narrow(t *testing.T) {
	for columns, heads := range map[int]string{
		80:  "share mean p50 p90 p95 p99 p99.9 max",
		93:  "share mean p50 p90 p95 p99 p99.9 max",
		94:  "share total min mean p50 p90 p95 p99 p99.9 max",
		120: "share total min mean p50 p90 p95 p99 p99.9 max",
	} {
		var out bytes.Buffer
		require.NoError(t, example(t).WriteWidth(&out, columns))
		blocks := strings.Split(out.String(), "\n\n")
		above, _, _ := strings.Cut(blocks[1], "\n")
		require.Equal(t, heads, strings.Join(strings.Fields(above), " "))
		for line := range strings.Lines(blocks[1] + "\n" + blocks[3]) { // the table, and what became of all
			require.LessOrEqual(t, utf8.RuneCountInString(strings.TrimSuffix(line, "\n")), columns)
		}
	}
}

func TestInterval_WriteTransactions(t *testing.T) {
	i := Interval{From: 60, To: 120, Rows: example(t).Transactions}
	i.Rows[1] = Row{Name: "get_security"} // none was due
	text := written(t, i.WriteTransactions)
	require.Equal(t, len(i.Rows)-1, strings.Count(text, "\n"))
	require.NotContains(t, text, "get_security ")
	require.Contains(t, text,
		"        get_order                    102 tx      1.7/s  p50 0.151  p99 3.000 ms  errors 2\n")
}

func TestRun_Write_Large(t *testing.T) {
	r := example(t)
	for i := range r.Transactions {
		row := &r.Transactions[i]
		row.Count, row.Share = 99_999_999, 1
		row.Latency = Latency{Total: 9e10, Min: 1e7, Max: 3.5e9, Mean: 1e7, P50: 1e7, P90: 3e7, P95: 3e7, P99: 3e8}
	}
	written(t, r.Write)
}

// Percentiles are at most a thousandth above those of the sorted values.
func TestAggregate_Percentiles(t *testing.T) {
	sum := newAggregate()
	for i := int64(1); i <= 100_000; i++ {
		sum.add(&sample{took: i * 1000, outcome: done})
	}
	l := sum.latency()
	for want, got := range map[float64]float64{50_000: l.P50, 90_000: l.P90, 95_000: l.P95, 99_000: l.P99} {
		require.GreaterOrEqual(t, got, want)
		require.LessOrEqual(t, got, want*1.001)
	}
	require.InDelta(t, 1.0, l.Min, 0)
	require.InDelta(t, 100_000.0, l.Max, 0)
	require.InDelta(t, 50_000.5, l.Mean, 1e-6)
}

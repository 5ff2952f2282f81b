package result

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

// exampleMix is the mix of all 17 transactions, with the weights of the scenario.
var exampleMix = func() (mix []Mixed) {
	for _, t := range tpox.Transactions {
		if t.Weight > 0 {
			mix = append(mix, Mixed{t.Name, t.Kind.String(), float64(t.Weight) / 100})
		}
	}
	return mix
}()

// example returns a run with every kind of figure, and large numbers.
func example(t testing.TB) *Run {
	t.Helper()
	all := make([]*aggregate, len(exampleMix))
	of := make(map[string]*aggregate)
	for p, m := range exampleMix {
		all[p] = newAggregate()
		of[m.Name] = all[p]
		for i := range int64(m.Share * 1000) {
			all[p].add(&Record{Took: time.Duration(p+1)*100*time.Microsecond + time.Duration(i)*time.Microsecond})
		}
	}
	of["sell_security"].add(&Record{Took: 45 * time.Second, Outcome: Outcome{Expected, string(tpox.NotHeld)}})
	of["get_order"].add(&Record{Took: 2 * time.Millisecond, Outcome: Outcome{Unexpected, NotFound}})
	of["get_order"].add(&Record{Took: 30 * time.Second, Outcome: Outcome{Unanswered, Timeout}})
	of["get_order"].add(&Record{Took: 3 * time.Millisecond, Waiting: true})
	of["get_security"].add(&Record{Outcome: Outcome{Class: Abandoned}, Waiting: true})
	of["delete_order"].add(&Record{Outcome: Outcome{Class: Empty}})
	r := &Run{
		Format: Format, Tool: Tool{"drive", "v1.2.3"},
		Target: Target{Kind: HTTP, URL: "http://127.0.0.1:8080", SameHost: true},
		Workload: WorkloadStamp{
			Name: "mixed", SHA256: strings.Repeat("a", 64), Validate: true, Mix: []Part{{"get_order", 1}},
		},
		Model: Model{Kind: Open, Users: 50, Rate: 2000, Every: 60},
		Ramp:  20, Duration: 60, Warmed: 20.5, Measured: 60, Seed: 7, Ended: Complete, Started: time.Unix(1e9, 0).UTC(),
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
	require.NoError(t, r.finish(all, exampleMix))
	return r
}

// verbose returns what writes all that is known of a run.
func verbose(r *Run) func(io.Writer) error {
	return func(w io.Writer) error { return r.Write(w, true) }
}

func TestRun_Write(t *testing.T) {
	const golden = "testdata/table.golden"
	text := written(t, verbose(example(t)))
	if os.Getenv("UPDATE_GOLDEN") != "" {
		require.NoError(t, os.WriteFile(golden, []byte(text), 0o644))
	}
	require.Equal(t, testenv.Text(t, golden), text)
}

// By default there are fewer columns, which fit on any terminal, and a line for what went wrong when nothing did. The
// answer is last.
func TestRun_Write_Brief(t *testing.T) {
	brief := func(r *Run) (text string, lines []string) {
		text = written(t, func(w io.Writer) error { return r.Write(w, false) })
		return text, strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	}
	r := example(t)
	text, lines := brief(r)
	require.Regexp(t, `\ntransaction +count +% +ms +ms +ms\n`, text)
	require.Contains(t, text, "UNEXPECTED of get_order: 404 not-found 1, timeout 1\n")
	require.Contains(t, text, "Processor, of 2: service 51 %, load generator 10 %\n")
	require.Equal(t, "INVALID: 16.7 transactions a second, goodput 16.7; p50 0.601, p99 1.704, max 45000 ms",
		lines[len(lines)-1])

	for i := range r.Transactions {
		r.Transactions[i].Unexpected = nil
	}
	r.Total = Row{Name: "total", Due: 1000, Count: 990, Good: 985, Waiting: 10, Late: 10}
	text, _ = brief(r)
	require.Contains(t, text, "\nNothing went wrong: 1,000 answered, 5 refusals that the workload expects\n")
	require.NotContains(t, text, "unanswered")

	r.Model, r.Total.Late = Model{Kind: Closed, Users: 10}, 0
	text, _ = brief(r)
	require.Contains(t, text, "\nNothing went wrong: 990 answered, 10 in progress at the end, 5 refusals ")
	r.Model.Kind = Open
	text, _ = brief(r)
	require.Contains(t, text, " unanswered ", "in the open model they wait")
}

func TestRun_Write_Large(t *testing.T) {
	r := example(t)
	for i := range r.Transactions {
		row := &r.Transactions[i]
		row.Count, row.Share = 99_999_999, 1
		row.Latency = Latency{Total: 9e10, Min: 1e7, Max: 3.5e9, Mean: 1e7, P50: 1e7, P90: 3e7, P95: 3e7, P99: 3e8}
	}
	written(t, verbose(r))
}

// Percentiles are at most a thousandth above those of the sorted values.
func TestAggregate_Percentiles(t *testing.T) {
	sum := newAggregate()
	for i := int64(1); i <= 100_000; i++ {
		sum.add(&Record{Took: time.Duration(i) * time.Microsecond})
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

// The result of a search is its rates, what limits, and the answer, which is last; it is valid by the schema.
func TestRun_Write_Curve(t *testing.T) {
	r := example(t)
	r.Curve = &Curve{Goal: "p99=20ms", Found: 950, Low: 900, High: 1000, Slices: 8, Disturbed: 2, Seconds: 65, Within: 300,
		Limit: "the disk", Steps: []CurveStep{
			{Rate: 900, TPS: 900, Seconds: 10, Latency: Latency{P50: 556, P99: 1111}, Met: 3},
			{Rate: 1600, TPS: 1600, Seconds: 10, Latency: Latency{P50: 1e6, P99: 1e6}, Errors: .5, Met: 1, Misses: 2,
				Missed: "errors: 50 % failed"},
		}}
	requireSchema(t, r)
	text := written(t, verbose(r))
	require.NotContains(t, text, "unanswered")
	require.Contains(t, text, "\n       900    3 of 3        900   0.556   0.000   1.111   0.000        0\n")
	require.Contains(t, text,
		"\n     1,600    1 of 3      1,600    1000   0.000    1000   0.000       50  errors: 50 % failed\n")
	require.Contains(t, text, "\n2 of 8 slices were repeated, because others disturbed them\nWhat limits: the disk\n")
	require.True(t, strings.HasSuffix(text,
		"\nHighest rate with p99=20ms: 900 to 1,000 a second, most likely 950 (95 %), after 1:05\n"), text)
	require.Equal(t, "1:05 of at most 5:00  6 tries  900 to 1,000 a second  2 slices repeated", r.Curve.Progress())

	open := Curve{Goal: "p99=20ms", Low: 900, Seconds: 65, Steps: r.Curve.Steps}
	require.Equal(t, "Highest rate with p99=20ms: at least 900 a second, after 1:05; a longer --within says more",
		open.Answer())
	open.Low, open.Changed = 0, true
	require.Contains(t, open.Answer(), "the speed of the target changed")
}

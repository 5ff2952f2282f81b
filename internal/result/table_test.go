package result

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/testenv"
	"brokerage/internal/testenv/schematest"
	"brokerage/internal/tpox"
)

// requireSchema requires that a result is valid by its schema.
func requireSchema(t testing.TB, r *Run) {
	t.Helper()
	text, err := json.Marshal(r)
	require.NoError(t, err)
	schematest.Require(t, schematest.Compile(t, Schema), text)
}

// written returns a result as text, and its last line.
func written(t testing.TB, r *Run, verbose bool) (text, last string) {
	t.Helper()
	var out strings.Builder
	require.NoError(t, r.Write(&out, verbose))
	lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	return out.String(), lines[len(lines)-1]
}

// example returns a run with every kind of outcome, and large numbers.
func example(t testing.TB) *Run {
	t.Helper()
	var mix []Row
	of := make(map[string]int)
	for _, t := range tpox.Transactions {
		if t.Weight > 0 { // that of the scenario
			of[t.Name] = len(mix)
			mix = append(mix, Row{Name: t.Name, Kind: t.Kind.String(), Weight: float64(t.Weight) / 100})
		}
	}
	tally := NewTally(mix)
	for p, m := range mix {
		for i := range int64(m.Weight * 1000) {
			tally.Add(&Record{Transaction: p, Took: time.Duration(p+1)*100*time.Microsecond + time.Duration(i)*time.Microsecond})
		}
	}
	for _, r := range []Record{
		{Transaction: of["sell_security"], Took: 45 * time.Second, Outcome: Outcome{Expected, string(tpox.NotHeld)}},
		{Transaction: of["get_order"], Took: 2 * time.Millisecond, Outcome: Outcome{Unexpected, NotFound}},
		{Transaction: of["get_order"], Took: 30 * time.Second, Outcome: Outcome{Unanswered, Timeout}},
		{Transaction: of["get_order"], Took: 3 * time.Millisecond, Waiting: true},
		{Transaction: of["get_security"], Outcome: Outcome{Class: Abandoned}, Waiting: true},
		{Transaction: of["delete_order"], Outcome: Outcome{Class: Empty}},
	} {
		tally.Add(&r)
	}
	tally.Cut(time.Minute)
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
		Prepared: &Prepared{Orders: 2500, Customers: 250, Unexpected: map[string]int64{"timeout": 1}},
		Arrivals: &Arrivals{Due: 1010, Started: 1005, Dropped: 3, Queued: 2, Late: 17},
		Usage: Usage{
			Generator: ProcessUsage{CPUSeconds: 12.3, CPU: 0.1025, MemoryPeak: 60e6},
			Service:   &ProcessUsage{CPUSeconds: 61.5, CPU: 0.5125},
			Host:      &Host{CPU: 0.93, IOWait: 0.04},
			Others:    new(.04),
		},
		Machine: Machine{CPU: "some", Cores: 2, OS: "linux", Arch: "amd64"},
	}
	tally.Finish(r)
	requireSchema(t, r)
	return r
}

// The text of a result, verbose or not, is that of a golden file.
func TestRun_Write(t *testing.T) {
	for verbose, golden := range map[bool]string{true: "testdata/verbose.golden", false: "testdata/table.golden"} {
		text, _ := written(t, example(t), verbose)
		if os.Getenv("UPDATE_GOLDEN") != "" {
			require.NoError(t, os.WriteFile(golden, []byte(text), 0o644))
		}
		require.Equal(t, testenv.Text(t, golden), text)
	}
}

// What other programs used has a line of its own.
func TestRun_WriteOthers(t *testing.T) {
	r := example(t)
	r.Usage.Others = new(.47)
	text, _ := written(t, r, false)
	require.Contains(t, text, "\nOther programs used 47 % of the machine\n")
}

// Percentiles are at most a thousandth above those of the sorted values.
func TestTally_Percentiles(t *testing.T) {
	tally := NewTally([]Row{{Name: "get_order", Kind: "query", Weight: 1}})
	for i := int64(1); i <= 100_000; i++ {
		tally.Add(&Record{Took: time.Duration(i) * time.Microsecond})
	}
	l := tally.Cut(time.Second).Latency
	for want, got := range map[float64]float64{50_000: l.P50, 90_000: l.P90, 99_000: l.P99, 100_000: l.Max} {
		require.GreaterOrEqual(t, got, want)
		require.LessOrEqual(t, got, want*1.001)
	}
	require.InEpsilon(t, 1, l.Min, .001)
	require.InEpsilon(t, 50_000.5, l.Mean, .001)
}

// The text of a search has its rates, what limits the target, and the Answer last; its JSON is valid by the schema.
func TestRun_Write_Curve(t *testing.T) {
	r := example(t)
	r.Curve = &Curve{Goal: "p99=20ms", Found: 950, Low: 900, High: 1000, Slices: 8, Disturbed: 2, Seconds: 65, Within: 300,
		Limit: "the disk", Steps: []CurveStep{
			{Rate: 900, TPS: 900, Seconds: 10, Latency: Latency{P50: 556, P99: 1111}, Met: 3},
			{Rate: 1600, TPS: 1600, Seconds: 10, Latency: Latency{P50: 1e6, P99: 1e6}, Errors: .5, Met: 1, Misses: 2,
				Missed: "errors: 50 % failed"},
		}}
	requireSchema(t, r)
	text, last := written(t, r, true)
	require.NotContains(t, text, "unanswered")
	require.Regexp(t, `\n +1,600 +1 of 3 +1,600 +1,000 +0 +1,000 +0 +50.0  errors: 50 % failed\n`, text)
	require.Contains(t, text, "\n2 of 8 slices were disturbed, by other programs or a stalled clock, and repeated\n"+
		"What limits: the disk\n")
	require.Equal(t, "Highest rate with p99=20ms: 900 to 1,000 a second (95 %), most likely 950, after 1:05", last)
	r.Curve.Seconds = 301 // the time was over
	require.Contains(t, r.Curve.Answer(), "most likely 950, after 5:01; a longer --within narrows it")

	for says, c := range map[string]Curve{
		"Highest rate with p99=20ms: at least 900 a second, after 1:05; a longer --within narrows": {Low: 900,
			Steps: r.Curve.Steps},
		"the speed of the target changed":                    {Changed: true, Steps: r.Curve.Steps},
		"3 of 4 slices were disturbed, by other programs":    {Disturbed: 3, Slices: 4},
		"no rate had as many transactions as the goal needs": {},
		"No rate meets p99=20ms: it was missed even at 900 a second (p99)": {
			Steps: []CurveStep{{Rate: 900, Misses: 3, Missed: "p99"}}},
	} {
		c.Goal, c.Seconds = "p99=20ms", 65
		require.Contains(t, c.Answer(), says)
	}
}

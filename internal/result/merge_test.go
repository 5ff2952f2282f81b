package result

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// copied returns a copy that shares nothing with the run.
func copied(t testing.TB, r *Run) *Run {
	t.Helper()
	text, err := json.Marshal(r)
	require.NoError(t, err)
	var other Run
	require.NoError(t, json.Unmarshal(text, &other))
	return &other
}

// Results that are not all parts of one load are refused, each with one line that says why.
func TestMerge_Refuses(t *testing.T) {
	parts := func() (names []string, runs []*Run) {
		for n := range 3 {
			r := copied(t, example(t))
			r.Part = &LoadPart{Number: n + 1, Of: 3, Users: 16, Host: "h", StartAt: time.Unix(1e9, 0).UTC()}
			r.Settings = map[string]string{"durability": "full"}
			names, runs = append(names, fmt.Sprintf("%d.json", n+1)), append(runs, r)
		}
		return names, runs
	}
	names, runs := parts()
	merged, err := Merge(names, runs)
	require.NoError(t, err)
	one, all := runs[0].Total, merged.Total
	for _, n := range [][2]int64{{one.Due, all.Due}, {one.Count, all.Count}, {one.Good, all.Good},
		{one.Unanswered, all.Unanswered}, {one.Dropped, all.Dropped}, {one.Waiting, all.Waiting}, {one.Late, all.Late}} {
		require.Equal(t, 3*n[0], n[1])
	}
	require.Equal(t, 3*runs[0].Transactions[0].Due, merged.Transactions[0].Due)
	require.InDelta(t, runs[0].Total.Latency.P99, merged.Total.Latency.P99, 0)
	require.Equal(t, 3*runs[0].Arrivals.Due, merged.Arrivals.Due)

	for name, c := range map[string]struct {
		change func(r *Run) // of the third part
		says   string
	}{
		"NoPart":     {func(r *Run) { r.Part = nil }, "3.json is not a part of a load"},
		"Doubled":    {func(r *Run) { r.Part.Number = 2 }, "2.json and 3.json are both part 2 of 3"},
		"Of":         {func(r *Run) { r.Part.Of = 4 }, "the number of parts is 3 in the first and 4 in the second"},
		"Seed":       {func(r *Run) { r.Seed++ }, "the seed is 7 in the first and 8 in the second"},
		"Workload":   {func(r *Run) { r.Workload.SHA256 = "x" }, "the workload is "},
		"Dataset":    {func(r *Run) { r.Dataset.Fingerprint = "other" }, "the dataset is "},
		"Users":      {func(r *Run) { r.Model.Users++ }, "the model is "},
		"Duration":   {func(r *Run) { r.Duration++ }, "the duration is 60 in the first and 61 in the second"},
		"Engine":     {func(r *Run) { r.Target.Engine = "db2" }, "the target is "},
		"Setting":    {func(r *Run) { r.Settings["durability"] = "off" }, "the settings are map[durability:full] in"},
		"Start":      {func(r *Run) { r.Part.StartAt = time.Unix(2e9, 0) }, "the time to start is 2001-09-09 01:46:40"},
		"Unreadable": {func(r *Run) { r.Transactions[0].Histogram = "" }, "part 3: the histogram of get_order cannot"},
		"Counts":     {func(r *Run) { r.Transactions[0].Count++ }, "the histogram of get_order has "},
	} {
		t.Run(name, func(t *testing.T) {
			names, runs := parts()
			c.change(runs[2])
			_, err := Merge(names, runs)
			require.ErrorContains(t, err, c.says)
			require.NotContains(t, err.Error(), "\n")
		})
	}
	_, err = Merge(names[:2], runs[:2])
	require.EqualError(t, err, "part 3 of 3 is missing")
}

// A merged result of parts that did not run together is INVALID.
func TestMerge_Apart(t *testing.T) {
	for name, c := range map[string]struct {
		change func(r *Run)
		says   string
	}{
		"Later":   {func(r *Run) { r.Started = r.Started.Add(3 * time.Second) }, "at different times, up to 3.00 s apart"},
		"Shorter": {func(r *Run) { r.Measured -= 5 }, "part 2 was measured for 55 s, others for 60 s"},
		"Busy":    {func(r *Run) { r.Usage.Generator.CPU = .9 }, "the load generator used 90 % of its processors"},
	} {
		t.Run(name, func(t *testing.T) {
			var runs []*Run
			for n := range 2 {
				r := copied(t, example(t))
				r.Part = &LoadPart{Number: n + 1, Of: 2, Users: 25, Host: fmt.Sprint(n)}
				runs = append(runs, r)
			}
			merged, err := Merge(make([]string, 2), runs)
			require.NoError(t, err)
			require.NotContains(t, fmt.Sprint(merged.Validity.Reasons), c.says)
			c.change(runs[1])
			merged, err = Merge(make([]string, 2), runs)
			require.NoError(t, err)
			require.Contains(t, fmt.Sprint(merged.Validity.Reasons), c.says)
		})
	}
}

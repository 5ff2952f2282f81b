package result

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// parts returns the parts of a load, and the names of their files.
func parts(t testing.TB, of int) (names []string, runs []*Run) {
	t.Helper()
	text, err := json.Marshal(example(t))
	require.NoError(t, err)
	for n := range of {
		r := &Run{}
		require.NoError(t, json.Unmarshal(text, r))
		r.Part = &LoadPart{Number: n + 1, Of: of, Users: 16, Host: fmt.Sprint(n), StartAt: time.Unix(1e9, 0).UTC()}
		r.Settings = map[string]string{"durability": "full"}
		names, runs = append(names, fmt.Sprintf("%d.json", n+1)), append(runs, r)
	}
	return names, runs
}

// Results that are not all parts of one load are refused, each with one line that says why.
func TestMerge_Refuses(t *testing.T) {
	for name, c := range map[string]struct {
		change func(r *Run) // of the third part
		says   string
	}{
		"NoPart":     {func(r *Run) { r.Part = nil }, "3.json is not a part of a load"},
		"Doubled":    {func(r *Run) { r.Part.Number = 2 }, "2.json and 3.json are both part 2 of 3"},
		"Missing":    {func(r *Run) { r.Part.Number = 4 }, "part 3 of 3 is missing"},
		"Of":         {func(r *Run) { r.Part.Of = 4 }, "the number of parts is 3 in the first and 4 in the second"},
		"Seed":       {func(r *Run) { r.Seed++ }, "the seed is 7 in the first and 8 in the second"},
		"Workload":   {func(r *Run) { r.Workload.SHA256 = "x" }, "the workload is mixed, file aaaaaaaaaaaa, "},
		"Dataset":    {func(r *Run) { r.Dataset.Fingerprint = "other" }, "the dataset is "},
		"Users":      {func(r *Run) { r.Model.Users++ }, "the model is "},
		"Duration":   {func(r *Run) { r.Duration++ }, "the duration is 60 in the first and 61 in the second"},
		"Engine":     {func(r *Run) { r.Target.Engine = "db2" }, "the target is "},
		"Setting":    {func(r *Run) { r.Settings["durability"] = "off" }, "the settings are map[durability:full] in"},
		"Start":      {func(r *Run) { r.Part.StartAt = time.Unix(2e9, 0) }, "the time to start is 2001-09-09 01:46:40"},
		"Unreadable": {func(r *Run) { r.Transactions[0].Histogram = "" }, "part 3: the histogram of get_order cannot"},
		"Counts":     {func(r *Run) { r.Transactions[0].Count++ }, "the histogram of get_order counts "},
	} {
		t.Run(name, func(t *testing.T) {
			names, runs := parts(t, 3)
			c.change(runs[2])
			_, err := Merge(names, runs)
			require.ErrorContains(t, err, c.says)
			require.NotContains(t, err.Error(), "\n")
		})
	}
}

// A merged result of parts that did not run together, or one of which was busy or disturbed, is INVALID.
func TestMerge_Apart(t *testing.T) {
	for name, c := range map[string]struct {
		change func(r *Run)
		says   string
	}{
		"Later":   {func(r *Run) { r.Started = r.Started.Add(3 * time.Second) }, "at different times, up to 3.00 s apart"},
		"Shorter": {func(r *Run) { r.Measured -= 5 }, "part 2 was measured for 55 s, others for 60 s"},
		"Busy":    {func(r *Run) { r.Usage.Generator.CPU = .9 }, "the load generator used 90 % of its processors"},
		"Others":  {func(r *Run) { r.Usage.Others = new(.2) }, "other programs used 20 % of the machine"},
	} {
		t.Run(name, func(t *testing.T) {
			names, runs := parts(t, 2)
			merged, err := Merge(names, runs)
			require.NoError(t, err)
			require.NotContains(t, fmt.Sprint(merged.Validity.Reasons), c.says)
			c.change(runs[1])
			merged, err = Merge(names, runs)
			require.NoError(t, err)
			require.Contains(t, fmt.Sprint(merged.Validity.Reasons), c.says)
		})
	}
}

package report

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/result"
)

// side makes one side of runs with these rates, a minute apart. Latency follows from the rate, as in a closed model.
func side(t testing.TB, name string, change func(*result.Run), rates ...float64) *File {
	t.Helper()
	var files []*File
	for i, rate := range rates {
		r := run("mixed", 100, rate, uint64(i))
		r.Started = r.Started.Add(time.Duration(i) * time.Minute)
		if change != nil {
			change(&r)
		}
		files = append(files, &File{Name: fmt.Sprintf("%s-%d.json", name, i+1), Run: &r})
	}
	together, err := Together(files)
	require.NoError(t, err)
	return together
}

func TestComparison_Verdict(t *testing.T) {
	p99 := func(factor float64) func(*result.Run) {
		return func(r *result.Run) { r.Total.Latency.P99 *= factor }
	}
	invalid := func(r *result.Run) { r.Validity = result.Validity{Reasons: []string{"not steady"}} }
	a := side(t, "a", nil, 4000, 4020, 3980)
	for name, c := range map[string]struct {
		b    *File
		word string
		text string
	}{
		"Faster": {side(t, "b", nil, 4800, 4820, 4780), isBetter,
			"goodput × 1.200, better, larger than noise; p99 × 0.8"},
		"Slower": {side(t, "b", nil, 3200, 3220, 3180), isWorse,
			"goodput × 0.800, worse, larger than noise; p99 × 1.2"},
		"FasterOneWay": {side(t, "b", p99(3), 4800, 4820, 4780), isMixed,
			"goodput × 1.200, better, larger than noise; p99 × 2.4"},
		"TailAlone":   {side(t, "b", p99(.5), 4000, 4010, 3990), isBetter, "goodput × 1.000, within noise; p99 × 0."},
		"Scattered":   {side(t, "b", nil, 3000, 4800, 6000), isSame, "goodput × 1.200, within noise; p99 × "},
		"FourToThree": {side(t, "b", nil, 4800, 4820, 4780, 4790), isBetter, "goodput × 1.1"},
		"TwoToThree": {side(t, "b", nil, 4800, 4820), isUnknown,
			"too few runs: how far runs scatter is known from 3 on each side, and A has 3, B 2. Measure both 3 times or more " +
				"(brokerage drive --repeat 3"},
		"Invalid": {side(t, "b", invalid, 4800, 4820, 4780), isUnknown,
			"a side has INVALID runs, whose figures prove nothing"},
	} {
		t.Run(name, func(t *testing.T) {
			compared := comparison(t, a, c.b)
			verdict := compared.conclude()
			require.Equal(t, c.word, verdict.Word, verdict.Text)
			require.Contains(t, verdict.Text, c.text)
			require.Contains(t, plainText(t, compared), "\nVerdict on B against A: "+c.word+": "+verdict.Text+".\n")
			page := html(t, compared)
			requirePage(t, page)
			require.Contains(t, page, `<section class="banner verdict">`)
			require.Contains(t, page, "a-3.json")
		})
	}
	t.Run("Campaign", func(t *testing.T) {
		x, y := &File{Name: "x", Campaign: madeUpCampaign()}, campaignOf("y", 4800, .01)
		require.Equal(t, isBetter, comparison(t, campaignOf("a", 4000, .01), y).conclude().Word)
		verdict := comparison(t, x, x).conclude()
		require.Equal(t, isSame, verdict.Word)
		require.Regexp(t, `^of \d+ figures \(goodput and p99 of each workload\) 0 are better, 0 worse, \d+ within noise, `+
			`and of 0 the noise is unknown$`, verdict.Text)
	})
	t.Run("CampaignOnce", func(t *testing.T) {
		x := campaignOf("x", 4000, .01)
		x.Campaign.Steps[5].Runs = x.Campaign.Steps[5].Runs[:1]
		require.Equal(t, conclusion{isUnknown,
			"too few runs: how far runs scatter is known from 3 on each side, and A has 1, B 1. Run both campaigns with " +
				"--repeat 3"}, comparison(t, x, x).conclude())
	})
}

// The repeats of a side must be separate runs of the same measurement.
func TestTogether_Refuses(t *testing.T) {
	one := func(name string, change func(*result.Run)) *File {
		r := run("mixed", 100, 4000, 1)
		r.Started = r.Started.Add(time.Minute)
		if change != nil {
			change(&r)
		}
		return &File{Name: name, Run: &r}
	}
	first := run("mixed", 100, 4100, 2)
	a := &File{Name: "a", Run: &first}
	for name, c := range map[string]struct {
		b    *File
		want string
	}{
		"Users": {one("b", func(r *result.Run) { r.Model.Users = 50 }),
			`a and b are not repeats of one measurement: Users differs: "100" and "50"`},
		"Machine":  {one("b", func(r *result.Run) { r.Machine.Cores = 4 }), "Processor differs"},
		"Dataset":  {one("b", func(r *result.Run) { r.Dataset.Fingerprint = "other" }), "their datasets differ"},
		"Workload": {one("b", func(r *result.Run) { r.Workload.Name = "query" }), "their workloads differ"},
		"Campaign": {campaignOf("b", 4000, .01), "a campaign contains its repeats"},
		"Same":     {a, "a and a are the same run"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Together([]*File{a, c.b})
			require.ErrorContains(t, err, c.want)
			require.NotContains(t, err.Error(), "\n")
		})
	}
	_, err := Together(nil)
	require.Error(t, err)
	_, err = Together([]*File{a, one("b", nil)})
	require.NoError(t, err)
}

package report

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/campaign"
	"brokerage/internal/result"
)

// campaignOf returns a campaign of one workload with three repeats of the given throughput and scatter.
func campaignOf(name string, most, scatter float64) *File {
	c := madeUpCampaign()
	c.Steps = append(c.Steps[:5:5], steps("mixed", most, scatter, nil, 100)...)
	return &File{Name: name, Campaign: c}
}

func compared1(t testing.TB, a, b *File, figure string) compared {
	t.Helper()
	for _, f := range comparison(t, a, b).figures {
		if f.Name == figure {
			return f
		}
	}
	t.Fatalf("%s is not compared", figure)
	return compared{}
}

func TestCompare(t *testing.T) {
	for name, c := range map[string]struct {
		most, scatter float64
		want          string
	}{
		"Same":          {4000, .01, "within noise"},
		"Faster":        {4800, .01, "better, larger than noise"},
		"Slower":        {3200, .01, "worse, larger than noise"},
		"FasterInNoise": {4800, .15, "within noise"},
	} {
		t.Run(name, func(t *testing.T) {
			a, b := campaignOf("a.json", 4000, c.scatter), campaignOf("b.json", c.most, c.scatter)
			f := compared1(t, a, b, "throughput, tps")
			require.Equal(t, c.want, f.outcome())
			require.InDelta(t, c.most/4000, f.ratio(), 1e-9)
		})
	}
	t.Run("LowerIsBetter", func(t *testing.T) {
		f := compared1(t, campaignOf("a.json", 4000, .01), campaignOf("b.json", 8000, .01), "p99, ms")
		require.Equal(t, "better, larger than noise", f.outcome())
		require.InDelta(t, .5, f.ratio(), .05)
	})
	t.Run("MeasuredOnce", func(t *testing.T) {
		b := campaignOf("b.json", 4000, .01)
		b.Campaign.Steps[3].Space.Total /= 2
		f := compared1(t, campaignOf("a.json", 4000, .01), b, "size of the database")
		require.Equal(t, "noise unknown", f.outcome())
		require.InDelta(t, .5, f.ratio(), 1e-9)
	})
	t.Run("SingleRuns", func(t *testing.T) {
		x, y := run("mixed", 100, 4000, 1), run("mixed", 50, 2000, 1)
		a, b := &File{Name: "a.json", Run: &x}, &File{Name: "b.json", Run: &y}
		require.Equal(t, "noise unknown", compared1(t, a, b, "throughput, tps").outcome())
		c := comparison(t, a, b)
		require.Equal(t, []difference{{"Users", "100", "50"}}, c.differ)
		require.Zero(t, countVerdicts(c.figures).byChance)
	})
}

func TestCompare_Identical(t *testing.T) {
	c := comparison(t, &File{Name: "a.json", Campaign: madeUpCampaign()},
		&File{Name: "b.json", Campaign: madeUpCampaign()})
	sum := countVerdicts(c.figures)
	require.Zero(t, sum.better+sum.worse)
	require.Positive(t, sum.within)
	require.Positive(t, sum.unknown, "the load is measured once")
	require.True(t, slices.ContainsFunc(c.figures,
		func(f compared) bool { return f.Name == "insert-customers, stage 2, a second" }))
	require.Empty(t, c.differ)
	require.Empty(t, c.remarks)
}

func TestCompare_Refuses(t *testing.T) {
	single := func(change func(*result.Run)) *File {
		r := run("mixed", 100, 4000, 1)
		r.Settings = map[string]string{"durability": durability}
		change(&r)
		return &File{Name: "b.json", Run: &r}
	}
	many := func(change func(*campaign.Record)) *File {
		f := campaignOf("b.json", 4000, .01)
		change(f.Campaign)
		return f
	}
	a, r := campaignOf("a.json", 4000, .01), single(func(*result.Run) {})
	r.Name = "a.json"
	for name, c := range map[string]struct {
		a, b *File
		want string
	}{
		"Kinds": {a, single(func(*result.Run) {}), "a.json is a campaign and b.json is a run"},
		"Dataset": {a, many(func(c *campaign.Record) { c.Dataset.Fingerprint = "other" }),
			`their datasets differ: "made-up-xxs-tpox-2-seed-1" and "other"`},
		"Durability": {a, many(func(c *campaign.Record) { c.Store.Durability = "none" }),
			`their durability settings differ: "flushed`},
		"WorkloadFile": {a, many(func(c *campaign.Record) { c.Steps[5].Runs[0].Run.Workload.SHA256 = "other" }),
			`their workloads differ: "mixed, file made-up-mixe, validate true"`},
		"Validation": {a, many(func(c *campaign.Record) { c.Steps[5].Runs[0].Run.Workload.Validate = false }),
			"validate false"},
		"NothingInCommon": {a, many(func(c *campaign.Record) { c.Steps = nil }), "have no measurement in common"},
		"RunDataset":      {r, single(func(r *result.Run) { r.Dataset.Fingerprint = "other" }), "their datasets differ"},
		"RunDurability": {r, single(func(r *result.Run) { r.Settings = map[string]string{"durability": "none"} }),
			"their durability settings differ"},
		"RunWorkload": {r, single(func(r *result.Run) { r.Workload.Name = "query" }), "their workloads differ"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Compare(c.a, c.b)
			require.ErrorContains(t, err, c.want)
			require.NotContains(t, err.Error(), "\n")
		})
	}
}

// k6 cannot know how durable a commit is.
func TestCompare_DurabilityNotSaid(t *testing.T) {
	x, y := run("mixed", 100, 4000, 1), run("mixed", 100, 4000, 1)
	y.Settings = nil
	require.Equal(t, []string{"b.json does not state how durable a commit is: the two may differ in it"},
		comparison(t, &File{Name: "a.json", Run: &x}, &File{Name: "b.json", Run: &y}).remarks)
}

func TestComparison_Text(t *testing.T) {
	a, b := campaignOf("a.json", 4000, .01), campaignOf("b.json", 4800, .01)
	b.Campaign.Store.Settings = map[string]string{"synchronous": "full"}
	b.Campaign.Steps[5].Runs[0].Run.Validity = result.Validity{Reasons: []string{"not steady"}}
	b.Campaign.Steps = append(b.Campaign.Steps, steps("query", 100, .01, nil, 25)...)
	text := plainText(t, comparison(t, a, b))
	require.Contains(t, text, "B INVALID: 1 of 6 runs must not be quoted, by the rules of the scenario: not steady "+
		"(mixed, 100 users, run 1)\n")
	require.Contains(t, text, "Settings differs: A compression = zstd")
	require.Contains(t, text, "query, 25 users: only in b.json\n")
	require.Regexp(t, `\nmixed +100 +throughput, tps +3,704 +±1\.0 % +4,444 +±1\.0 % +× 1\.200 +better, larger than `+
		`noise\n`, text)
	require.Contains(t, text, "three pooled standard deviations")
	require.NotContains(t, text, "SAME HOST")
	for line := range strings.SplitSeq(text, "\n") {
		if strings.Contains(line, "get_order") {
			require.Contains(t, line, "larger than noise", "transactions are shown where they differ")
		}
	}
}

// The counts include figures that the table does not show, and the text says so.
func TestComparison_TextOfSingleRuns(t *testing.T) {
	of := func(name string, tps float64) *File {
		r := run("mixed", 50, tps, 1)
		return &File{Name: name, Run: &r}
	}
	c := comparison(t, of("a.json", 4000), of("b.json", 4400))
	text := plainText(t, c)
	require.Equal(t, len(c.figures), countVerdicts(c.figures).unknown)
	shown := strings.Count(text, "  × ")
	require.Positive(t, shown)
	require.Less(t, shown, len(c.figures))
	require.Contains(t, text, fmt.Sprintf("\n%d of %d figures are not shown: those of single transactions",
		len(c.figures)-shown, len(c.figures)))
	require.Contains(t, text, fmt.Sprintf("Noise unknown: %d.", len(c.figures)))
}

func TestComparison_Page(t *testing.T) {
	page := html(t, comparison(t, campaignOf("a.json", 4000, .01), campaignOf("b.json", 4800, .01)))
	requirePage(t, page)
	require.Contains(t, page, `<td class="num strong">× 1.200</td><td class="text">better, larger than noise</td>`)
	require.NotContains(t, page, `id="beside"`)
}

package report

import (
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/campaign"
	"brokerage/internal/result"
)

// campaignOf returns a campaign of one workload, with 100 users; most is as in steps.
func campaignOf(name string, most float64) *File {
	c := madeUpCampaign()
	c.Steps = append(c.Steps[:5:5], steps("mixed", most, 100)...)
	return &File{Name: name, Campaign: c}
}

// compared returns two files side by side, as they are written on a terminal.
func compared(t testing.TB, a, b *File) string {
	t.Helper()
	var text strings.Builder
	require.NoError(t, WriteComparison(&text, a, b))
	return text.String()
}

func TestWriteComparison_Refuses(t *testing.T) {
	for want, change := range map[string]func(*campaign.Record){
		`their datasets differ: "made-up-xxs-tpox-2-seed-1" and "other"`: func(c *campaign.Record) {
			c.Dataset.Fingerprint = "other"
		},
		`their durability settings differ: "flushed`: func(c *campaign.Record) { c.Store.Durability = "none" },
		`their workloads differ: "mixed, file made-up-mixe, v`: func(c *campaign.Record) {
			c.Steps[5].Run.Workload.SHA256 = "x"
		},
		"have no measurement in common": func(c *campaign.Record) { c.Steps = nil },
	} {
		b := campaignOf("b.json", 4000)
		change(b.Campaign)
		err := WriteComparison(io.Discard, campaignOf("a.json", 4000), b)
		require.ErrorContains(t, err, want)
		require.NotContains(t, err.Error(), "\n")
	}
	for want, change := range map[string]func(*result.Run){
		"their durability settings differ": func(r *result.Run) { r.Settings = map[string]string{"durability": "none"} },
		"their workloads differ":           func(r *result.Run) { r.Workload.Name = "query" },
		"weights get_order=1":              func(r *result.Run) { r.Workload.Weights = "get_order=1" },
	} {
		a, b := run("mixed", 100, 4000), run("mixed", 100, 4000)
		change(&b)
		require.ErrorContains(t, WriteComparison(io.Discard, &File{Run: &a}, &File{Run: &b}), want)
	}
	r := run("mixed", 100, 4000)
	require.ErrorContains(t, WriteComparison(io.Discard, campaignOf("a.json", 1), &File{Name: "b.json", Run: &r}),
		"a.json is a campaign and b.json is a run")
}

// Two campaigns are shown side by side, with what else differs, and without a verdict.
func TestWriteComparison(t *testing.T) {
	a, b := campaignOf("a.json", 4000), campaignOf("b.json", 4800)
	b.Campaign.Store.Settings = map[string]string{"synchronous": "full"}
	b.Campaign.Steps[2].Space.Total /= 2
	b.Campaign.Steps[5].Run.Validity = result.Validity{Reasons: []string{"not steady"}}
	b.Campaign.Steps = append(b.Campaign.Steps, steps("query", 100, 25)...)
	text := compared(t, a, b)
	require.Contains(t, text, "B INVALID: 1 of 2 runs must not be quoted: not steady (mixed at 100 users)\n")
	require.Contains(t, text, "Store settings differs: A compression = zstd")
	require.Contains(t, text, "query at 25 users: only in b.json\n")
	require.Regexp(t, `\nmixed at 100 users +A +B +B/A\n +throughput, tps +3,704 +4,444 +× 1\.200\n`, text)
	require.Regexp(t, `\nspace +A +B +B/A\n +size of the database +520 MB +260 MB +× 0\.500\n`, text)
	require.Regexp(t, `\n +get_order, p99 ms +[\d.]+ +[\d.]+ +× `, text)
	require.Contains(t, text, "brokerage compare measures both sides in turn")
	require.NotContains(t, compared(t, a, campaignOf("c.json", 4000)), "differs: ")
}

// Two runs with different numbers of users can be shown together. The text names one whose durability is not known.
func TestWriteComparison_Runs(t *testing.T) {
	x, y := run("mixed", 100, 4000), run("mixed", 50, 2000)
	y.Settings = nil
	text := compared(t, &File{Name: "a.json", Run: &x}, &File{Name: "b.json", Run: &y})
	require.Contains(t, text, "Load differs: A 100 users, no think time; seed 1; B 50 users, no think time; seed 1\n")
	require.Contains(t, text, "\nb.json does not state how durable a commit is: the two may differ in it\n")
	require.Contains(t, text, "× 0.500")
	text = compared(t, &File{Name: "b.json", Run: &y}, &File{Name: "a.json", Run: &x})
	require.Contains(t, text, "\nSettings differs: A none; B durability = flushed")
}

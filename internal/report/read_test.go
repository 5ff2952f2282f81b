package report

import (
	"encoding/json"
	"io"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/campaign"
	"brokerage/internal/result"
	"brokerage/internal/testenv"
)

func encoded(t testing.TB, v any) string {
	t.Helper()
	text, err := json.MarshalIndent(v, "", "  ")
	require.NoError(t, err)
	return string(text)
}

func TestRead(t *testing.T) {
	r := run("mixed", 10, 1000)
	for name, want := range map[string]any{"run.json": &r, "campaign.json": madeUpCampaign()} {
		f, err := Read(testenv.File(t, name, encoded(t, want)))
		require.NoError(t, err)
		require.Contains(t, []any{f.Run, f.Campaign}, want)
	}
}

func TestRead_Refuses(t *testing.T) {
	good := encoded(t, run("mixed", 10, 1000))
	with := func(change func(*result.Run)) string {
		r := run("query", 1, 10)
		change(&r)
		return encoded(t, r)
	}
	inCampaign := func(change func(c *campaign.Record)) string {
		c := madeUpCampaign()
		change(c)
		return encoded(t, c)
	}
	for name, c := range map[string]struct{ text, want string }{
		"NotJSON":       {"<html>", "not a result of brokerage campaign, brokerage drive --json or k6 run --out json: "},
		"CutShort":      {good[:len(good)/2], "unexpected end of JSON input"},
		"TextForNumber": {strings.Replace(good, `"tps": 1000`, `"tps": "many"`, 1), "tps"},
		"NoFormat":      {`{"tps": 1}`, `its format is ""; this build reads brokerage-campaign/1 and brokerage-run/1`},
		"LaterVersion":  {`{"format": "brokerage-run/2"}`, `its format is "brokerage-run/2"`},
		"UnknownField":  {strings.Replace(good, `"tps"`, `"xps"`, 1), `unknown field "xps"`},
		"Negative":      {with(func(r *result.Run) { r.TPS = -1 }), "below zero"},
		"SumOpen":       {with(func(r *result.Run) { r.Total.Due = r.Total.Count + 58 }), "of total were due, but"},
		"TotalIsNotSum": {with(func(r *result.Run) { r.Total.Count++; r.Total.Due++ }), "the total counts"},
		"Samples":       {with(func(r *result.Run) { r.Resources.Seconds = nil }), "does not have a value for each sample"},
		"RunInCampaign": {inCampaign(func(c *campaign.Record) { c.Steps[5].Run.Format = "brokerage-run/0" }),
			"step 6, mixed, 25 users: a run has format"},
		"StageOfInserts": {inCampaign(func(c *campaign.Record) { c.Steps[0].Inserts[1].Run.TPS = -1 }),
			"population: time, count or rate is below zero"},
		"Parts": {with(func(r *result.Run) { r.Parts = []result.LoadPart{{Number: 2, Of: 2}} }),
			"part 2 has no machine or no load generator"},
		"RunNoPlan": {inCampaign(func(c *campaign.Record) { c.Steps[5].Plan = nil }), "has a run, but no plan"},
	} {
		t.Run(name, func(t *testing.T) {
			path := testenv.File(t, "r.json", c.text)
			_, err := Read(path)
			require.ErrorContains(t, err, c.want)
			require.NotContains(t, err.Error(), "\n")
			require.True(t, strings.HasPrefix(err.Error(), path+": "), err.Error())
		})
	}
}

// Whatever figures a file has, it is refused or a page is made of it.
func TestRead_HostileFigures(t *testing.T) {
	numbers := regexp.MustCompile(`(?m)-?\d[\d.e+-]*(,?)$`)
	r, found := run("mixed", 10, 1000), run("mixed", 10, 1000)
	found.Curve = madeUpCurve()
	r.Parts = []result.LoadPart{{Number: 1, Of: 1, Machine: &result.Machine{}, Generator: &result.ProcessUsage{}}}
	for _, text := range []string{encoded(t, r), encoded(t, found), encoded(t, madeUpCampaign())} {
		places := numbers.FindAllStringIndex(text, -1)
		made, tries := 0, 60
		for i := range tries {
			place := places[i*len(places)/tries]
			figure := []string{"1e308", "-1e18", "5e-324", "9223372036854775807", "-9223372036854775808"}[i%5]
			comma := strings.Repeat(",", strings.Count(text[place[0]:place[1]], ","))
			f := new(File)
			if f.parse([]byte(text[:place[0]]+figure+comma+text[place[1]:])) != nil {
				continue
			}
			made++
			require.NotPanics(t, func() {
				var page strings.Builder
				require.NoError(t, f.WriteHTML(&page))
				require.NotRegexp(t, "NaN|[+-]Inf", page.String())
				_ = WriteComparison(io.Discard, f, f) // figures that are all 0 have nothing in common
			}, "%s in %s", figure, text[max(0, place[0]-80):place[1]])
		}
		require.Greater(t, made, 10)
	}
}

// A line break in a result's text does not begin a line of a comparison.
func TestRead_LineBreaks(t *testing.T) {
	r := run("mixed", 10, 1000)
	r.Workload.Name, r.Tool.Version = "mixed\nforged", `1\n2`
	r.Validity = result.Validity{Reasons: []string{"not steady\nforged: better"}}
	text := strings.Replace(encoded(t, r), `not steady\n`, `not steady\u000A`, 1)
	f, err := Read(testenv.File(t, "r.json", text))
	require.NoError(t, err)
	require.Equal(t, `1\n2`, f.Run.Tool.Version, "a backslash is no line break")
	shown := compared(t, f, f)
	require.NotContains(t, shown, "\nforged")
	require.Contains(t, shown, "forged: better")
}

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
	r := run("mixed", 10, 1000, 1)
	for name, want := range map[string]any{"run.json": &r, "campaign.json": madeUpCampaign()} {
		f, err := Read(testenv.File(t, name, encoded(t, want)))
		require.NoError(t, err)
		require.Contains(t, []any{f.Run, f.Campaign}, want)
	}
}

func TestParse_Refuses(t *testing.T) {
	good := encoded(t, run("mixed", 10, 1000, 1))
	with := func(change func(*result.Run)) string {
		r := run("query", 1, 10, 1)
		change(&r)
		return encoded(t, r)
	}
	inCampaign := func(change func(c *campaign.Record)) string {
		c := madeUpCampaign()
		change(c)
		return encoded(t, c)
	}
	for name, c := range map[string]struct{ text, want string }{
		"Empty":    {"", "r.json:1:1: unexpected end of JSON input"},
		"NotJSON":  {"<html>", "r.json:1:1: invalid character '<'"},
		"Array":    {"[]", "r.json:1:1: "},
		"Damaged":  {strings.Replace(good, `"seed": 1`, `"seed": #`, 1), `invalid character '#'`},
		"CutShort": {good[:len(good)/2], "unexpected end of JSON input"},
		"TextForNumber": {strings.Replace(good, `"measuredSeconds": 120`, `"measuredSeconds": "long"`, 1),
			"measuredSeconds"},
		"Place":    {"{\n  \"format\": \"brokerage-run/1\",\n  \"tps\": \"a\"\n}", "r.json:3:"},
		"NoFormat": {`{"tps": 1}`, "r.json: has no format"},
		"OtherFormat": {`{"format": "k6-summary"}`,
			`r.json: is of format "k6-summary"; this build reads brokerage-campaign/1 and brokerage-run/1`},
		"LaterVersion": {`{"format": "brokerage-run/2"}`, `is of format "brokerage-run/2"`},
		"UnknownField": {strings.Replace(good, `"tps"`, `"xps"`, 1), `unknown field "xps"`},
		"NoWorkload":   {with(func(r *result.Run) { r.Workload.Name = "" }), "the workload has no name"},
		"Negative":     {with(func(r *result.Run) { r.TPS = -1 }), "below zero"},
		"Tiny":         {with(func(r *result.Run) { r.TPS = 5e-324 }), "the figure 5e-324 is not that"},
		"SumOpen": {with(func(r *result.Run) { r.Total.Due = r.Total.Count + 58 }),
			"of total were due, but"},
		"MoreGood": {with(func(r *result.Run) { r.Transactions[0].Good = r.Transactions[0].Count + 1 }),
			"get_order succeeded"},
		"TotalIsNotSum": {with(func(r *result.Run) { r.Total.Count++; r.Total.Due++ }), "the total counts"},
		"RunInCampaign": {inCampaign(func(c *campaign.Record) { c.Steps[5].Run.Format = "brokerage-run/0" }),
			"step mixed, 25 users: a run has format"},
		"StageOfInserts": {inCampaign(func(c *campaign.Record) { c.Steps[0].Inserts[1].Run.TPS = -1 }),
			"step population: stage 2: "},
		"RunsNoPlan": {inCampaign(func(c *campaign.Record) { c.Steps[5].Plan = nil }), "has a run and no plan"},
		"StepNoName": {inCampaign(func(c *campaign.Record) { c.Steps[0].Name = "" }), "step 1 has no name"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Parse("r.json", []byte(c.text))
			require.ErrorContains(t, err, c.want)
			require.NotContains(t, err.Error(), "\n")
			require.True(t, strings.HasPrefix(err.Error(), "r.json:"), err.Error())
		})
	}
}

// Whatever figures a file has, it is refused or a page is made of it.
func TestParse_HostileFigures(t *testing.T) {
	numbers := regexp.MustCompile(`(?m)-?\d[\d.e+-]*(,?)$`)
	r := run("mixed", 10, 1000, 1)
	r.Curve = madeUpCurve()
	for name, c := range map[string]struct {
		text  string
		tries int // of places, for each figure: the page of a campaign takes longest
	}{
		"Run": {encoded(t, r), 20}, "Campaign": {encoded(t, madeUpCampaign()), 4},
	} {
		t.Run(name, func(t *testing.T) {
			text := c.text
			made, places := 0, numbers.FindAllStringIndex(text, -1)
			apart := max(1, len(places)/c.tries)
			for _, figure := range []string{"1e308", "1e18", "-1e18", "1e-99", "9223372036854775807", "-9223372036854775808"} {
				for i := 0; i < len(places); i += apart {
					place := places[i]
					comma := strings.Repeat(",", strings.Count(text[place[0]:place[1]], ","))
					hostile := text[:place[0]] + figure + comma + text[place[1]:]
					f, err := Parse("r.json", []byte(hostile))
					if err != nil {
						continue
					}
					made++
					require.NotPanics(t, func() {
						require.NoError(t, f.WriteHTML(io.Discard))
						_ = WriteComparison(io.Discard, f, f) // figures that are all 0 have nothing in common
					}, "%s in %s", figure, text[max(0, place[0]-80):place[1]])
				}
			}
			require.Greater(t, made, 5)
		})
	}
}

// A line break in a result's text does not begin a line of a comparison.
func TestParse_LineBreaks(t *testing.T) {
	r := run("mixed", 10, 1000, 1)
	r.Workload.Name, r.Tool.Version = "mixed\nforged", `1\n2`
	r.Validity = result.Validity{Reasons: []string{"not steady\nforged: better"}}
	text := strings.Replace(encoded(t, r), `not steady\n`, `not steady\u000A`, 1)
	f, err := Parse("r.json", []byte(text))
	require.NoError(t, err)
	require.Equal(t, `1\n2`, f.Run.Tool.Version, "a backslash is no line break")
	shown := compared(t, f, f)
	require.NotContains(t, shown, "\nforged")
	require.Contains(t, shown, "forged: better")
}

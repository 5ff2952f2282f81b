package report

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/campaign"
	"brokerage/internal/result"
)

// requirePage requires a page that loads nothing, with every title and lead of its sections and without dead links.
func requirePage(t testing.TB, page string) {
	t.Helper()
	wrong := `NaN|Inf\b|%!|ZgotmplZ|<script|url\(|@import| (src|style)=|<h2></h2>|<p class="lead"></p>`
	require.Empty(t, regexp.MustCompile(`.{0,40}(`+wrong+`).{0,40}`).FindString(page))
	require.Contains(t, page, `Content-Security-Policy" content="default-src &#39;none&#39;; style-src &#39;sha256-`)
	for _, link := range regexp.MustCompile(`href="([^"]*)"`).FindAllStringSubmatch(page, -1) {
		require.Equal(t, 1, strings.Count(page, ` id="`+strings.TrimPrefix(link[1], "#")+`"`), link[1])
	}
}

func sectionsOf(page string) []string {
	var ids []string
	for _, m := range regexp.MustCompile(`<section class="part" id="([a-z]+)"`).FindAllStringSubmatch(page, -1) {
		ids = append(ids, m[1])
	}
	return ids
}

// cells returns the texts of the first row that begins with name.
func cells(t testing.TB, page, name string) []string {
	t.Helper()
	row := regexp.MustCompile(`<tr[^>]*><td class="text">` + regexp.QuoteMeta(name) + `[ <].*?</tr>`).FindString(page)
	require.NotEmpty(t, row, name)
	var texts []string
	for _, m := range regexp.MustCompile(`<td[^>]*>(.*?)</td>`).FindAllStringSubmatch(row, -1) {
		texts = append(texts, strings.TrimSpace(regexp.MustCompile(`<[^>]*>`).ReplaceAllString(m[1], "")))
	}
	return texts
}

func part(t testing.TB, page, id string) string {
	t.Helper()
	_, rest, ok := strings.Cut(page, `<section class="part" id="`+id+`"`)
	require.True(t, ok, id)
	text, _, _ := strings.Cut(rest, "\n</section>\n")
	return text
}

func TestPage_Campaign(t *testing.T) {
	page := html(t, FromCampaign(madeUpCampaign()))
	requirePage(t, page)
	require.Equal(t, []string{"users", "scaling", "growth", "space", "statistics", "goodput", "resources",
		"published", "steps"}, sectionsOf(page))
	require.NotRegexp(t, ">(INVALID|SMOKE|SCALED)<", page)
	require.Contains(t, page, "<dt>Store settings</dt><dd>compression = zstd with trained dictionaries; "+
		"journal_mode = wal; synchronous = full</dd>")

	space := part(t, page, "space")
	require.Equal(t, []string{"security", "20,833", "129 MB", "6.19 kB", "61.0 MB", "47.3 %"}, cells(t, space, "security"))
	require.Equal(t, []string{"database", "570,833", "1.21 GB", "", "520 MB", "43.0 %"}, cells(t, space, "database"))
	growth := part(t, page, "growth")
	require.Contains(t, growth, `<td class="num">1</td><td class="num">500,000</td><td class="num">112,000</td>`+
		`<td class="num strong">5,600</td><td class="num">30.2</td><td class="num">100 %</td>`)
	require.Contains(t, growth, `<td class="num strong">2,000</td><td class="num">47.5</td>`,
		"by workload, though measured alternately; in GB of documents an hour")
	require.Contains(t, part(t, page, "users"), `5,648 <small>30.5 GB/h</small>`)
	require.Contains(t, part(t, page, "scaling"), "× 1.56")
	require.Equal(t, 2, strings.Count(part(t, page, "scaling"), `class="chart `), "one for each width")
	require.Contains(t, part(t, page, "steps"), "planned")
}

// A section without data is left out, and no other.
func TestPage_OnlyWhatThereIs(t *testing.T) {
	of := func(name string) func(*campaign.Step) bool {
		return func(s *campaign.Step) bool { return s.Name == name }
	}
	for name, c := range map[string]struct {
		keep func(*campaign.Step) bool
		want []string
	}{
		"Nothing": {of(""), nil},
		"Load":    {of("load"), []string{"steps"}},
		"Space":   {of("space"), []string{"space", "steps"}},
		"Inserts": {of("population"), []string{"growth", "steps"}},
		"Crash":   {of("crash"), []string{"steps"}},
		"Mixed": {of("mixed, 100 users"),
			[]string{"users", "statistics", "goodput", "resources", "published", "steps"}},
		"Cores": {func(s *campaign.Step) bool { return s.Plan != nil && s.Plan.CPUs > 0 }, []string{"scaling", "steps"}},
	} {
		record := madeUpCampaign()
		record.Steps = slices.DeleteFunc(record.Steps, func(s campaign.Step) bool { return !c.keep(&s) })
		page := html(t, FromCampaign(record))
		requirePage(t, page)
		require.Equal(t, c.want, sectionsOf(page), name)
	}
}

func TestPage_Run(t *testing.T) {
	r := run("mixed", 100, 4000)
	order, total := &r.Transactions[0], &r.Total
	order.Latency = result.Latency{Total: 96e6, Min: 250, Max: 1_234_500, Mean: 2000, P50: 1500, P90: 3210, P95: 12_340,
		P99: 99_960}
	order.Good, order.Unanswered, order.Unexpected = order.Good-7, 7, map[string]int64{"timeout": 7}
	order.Waiting, order.Late, order.Due = 5, 3, order.Due+5
	total.Good, total.Unanswered, total.Waiting, total.Late, total.Dropped = total.Good-7, 7, 1005, 3, 20_000
	total.Due = total.Count + total.Waiting + total.Dropped
	machine := madeUpMachine()
	r.Parts = []result.LoadPart{{Number: 2, Of: 3, Users: 33, Host: "generator-b", Measuring: r.Started, Measured: 120,
		TPS: 1333, Generator: &r.Usage.Generator, Machine: &machine}}
	require.NoError(t, checkRun(&r))
	page := html(t, &File{Name: "run.json", Run: &r})
	requirePage(t, page)
	require.Equal(t, []string{"statistics", "goodput", "time", "generators", "resources"}, sectionsOf(page))
	require.Equal(t, []string{"2", "generator-b", "33", "10:00:00.000", "120", "1,333", "21 %",
		"Made-up processor 3000, 2 cores"}, cells(t, part(t, page, "generators"), "2"))
	require.Contains(t, page, "<b>4,000</b> a second")
	require.Contains(t, page, "<dt>Limit</dt><dd>the processor: 91 % busy ")
	require.Contains(t, page, "<dt>Settings</dt><dd>durability = "+durability+"</dd>")
	require.Equal(t, []string{"get_order Q1", "48,000", "10.00 %", "96.0", "0.250", "1,235", "2.00", "1.50", "3.21",
		"12.3", "100"}, cells(t, part(t, page, "statistics"), "get_order"))

	outcomes, reasons, _ := strings.Cut(part(t, page, "goodput"), "by reason")
	require.Equal(t, []string{"mixed at 100 users", "get_order", "48,005", "47,993", "0", "7", "0", "5", "3", "0.015 %"},
		cells(t, outcomes, "mixed"))
	require.Contains(t, outcomes, "501,005", "of all")
	require.NotContains(t, outcomes, "get_security", "which were all answered")
	require.Contains(t, reasons, `not-held</td><td class="num">288</td><td class="num">2.00 %</td>`)
}

// The curve of a search is drawn as far as it can be read: the latency of an overloaded target is in the table alone.
func TestPage_Curve(t *testing.T) {
	r := run("mixed", 100, 3600)
	r.Curve = madeUpCurve()
	page := html(t, &File{Run: &r})
	requirePage(t, page)
	require.Equal(t, []string{"curve"}, sectionsOf(page), "it has no transactions")
	require.Contains(t, page, "<h1>Highest rate of mixed</h1>")
	curve := part(t, page, "curve")
	require.Contains(t, curve,
		"Highest rate with p99=20ms: 3,400 to 3,800 a second (95 %), most likely 3,600, after 2:10. "+
			"What limits: the processors of this machine: service 55 %, load generator 35 %. 3 of 40 slices were disturbed")
	require.Contains(t, curve, "p99=20ms: 12 % took longer")
	wide, _, _ := strings.Cut(curve, "chart narrow")
	require.Equal(t, 1+9, strings.Count(wide, "<circle"), "the rates that can be drawn, and the legend")
}

// A run without transactions, usage or intervals has a page, too.
func TestPage_BareRun(t *testing.T) {
	r := run("query", 10, 100)
	r = result.Run{Workload: r.Workload, Model: r.Model, Ended: result.TargetDied}
	page := html(t, &File{Name: "run.json", Run: &r})
	requirePage(t, page)
	require.Equal(t, []string{"statistics", "goodput"}, sectionsOf(page))
	require.Contains(t, page, "ENDED EARLY")
}

func TestPage_Stamps(t *testing.T) {
	for name, c := range map[string]struct {
		validity       result.Validity
		invalid, smoke bool
	}{
		"Valid":        {result.Validity{Valid: true}, false, false},
		"Smoke":        {result.Validity{Smoke: true}, false, true},
		"Invalid":      {result.Validity{Reasons: []string{"dropped 5 arrivals"}}, true, false},
		"SmokeInvalid": {result.Validity{Smoke: true, Reasons: []string{"dropped 5 arrivals"}}, true, true},
	} {
		r := run("mixed", 10, 100)
		r.Validity = c.validity
		page := html(t, &File{Name: "run.json", Run: &r})
		require.Equal(t, c.invalid, strings.Contains(page, "<strong>INVALID</strong>"), name)
		require.Equal(t, c.invalid, strings.Contains(page, "<li>dropped 5 arrivals</li>"), name)
		require.Equal(t, c.smoke, strings.Contains(page, "<strong>SMOKE</strong>"), name)
	}
	record := madeUpCampaign()
	record.Complete, record.Unfinished, record.Smoke = false, "interrupted after step 9", true
	record.Settings.Preset, record.Settings.DataScale = "paper-2007", 0.02
	record.Steps[6].Run.Validity, record.Steps[6].Again = result.Validity{Reasons: []string{"not steady"}}, true
	one := slices.IndexFunc(record.Steps, func(s campaign.Step) bool { return s.Plan != nil && s.Plan.CPUs > 0 })
	record.Steps[one].Run.Validity = record.Steps[6].Run.Validity
	page := html(t, FromCampaign(record))
	require.Contains(t, page, "2 of 22 runs must not be quoted")
	require.Contains(t, page, "<li>not steady (mixed at 50 users; mixed, 1 core at 100 users)</li>")
	require.Contains(t, part(t, page, "users"), `<tr class="invalid"><td class="num">50 <small>INVALID</small></td>`)
	require.Contains(t, part(t, page, "scaling"), " <small>INVALID</small></td>")
	require.Contains(t, page, "interrupted after step 9")
	require.Contains(t, page, "paper-2007, with 0.02 times its documents and 1 times its durations")
	require.Contains(t, part(t, page, "steps"), "the second run: the first was unsteady or disturbed")
	require.Contains(t, part(t, page, "published"), "ours is a smoke run")
}

// Names and reasons come from files that anyone may have written.
func TestPage_Escapes(t *testing.T) {
	const evil = `"><script>alert(1)</script>`
	record := madeUpCampaign()
	record.Store.Engine, record.Dataset.Scale, record.Steps[4].Name = evil, evil, evil
	for i := range record.Steps {
		if r := record.Steps[i].Run; r != nil {
			record.Steps[i].Plan.Label = evil + record.Steps[i].Plan.Label
			r.Validity = result.Validity{Reasons: []string{evil}}
			r.Transactions[0].Name = evil
		}
	}
	page := html(t, &File{Name: evil, Campaign: record})
	requirePage(t, page)
	require.NotContains(t, page, `">&lt;script`)
}

// The best of several groups is a valid one, if there is any.
func TestBest(t *testing.T) {
	measured := func(tps float64, reasons ...string) group {
		return group{Run: &result.Run{TPS: tps, Validity: result.Validity{Valid: reasons == nil, Reasons: reasons}}}
	}
	slow, fast, invalid := measured(10), measured(20), measured(30, "it was not steady")
	require.Equal(t, fast, best([]group{slow, fast, invalid}))
	require.Equal(t, invalid, best([]group{invalid}))
}

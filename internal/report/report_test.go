package report

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/xml"
	"errors"
	unescape "html"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/campaign"
	"brokerage/internal/result"
)

// requirePage requires a well-formed page that loads nothing and has no dead links.
func requirePage(t testing.TB, page string) {
	t.Helper()
	decoder := xml.NewDecoder(strings.NewReader(page))
	decoder.Strict, decoder.AutoClose, decoder.Entity = false, xml.HTMLAutoClose, xml.HTMLEntity
	ids := map[string]bool{}
	var links, open []string
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		switch e := token.(type) {
		case xml.StartElement:
			open = append(open, e.Name.Local)
			require.NotEqual(t, "script", e.Name.Local)
			for _, a := range e.Attr {
				require.NotContains(t, []string{"src", "srcset", "style", "data", "action"}, a.Name.Local, "in %s", e.Name.Local)
				require.False(t, strings.HasPrefix(a.Name.Local, "on"), a.Name.Local)
				switch a.Name.Local {
				case "id":
					require.False(t, ids[a.Value], "two things are called %s", a.Value)
					ids[a.Value] = true
				case "href":
					links = append(links, a.Value)
				}
			}
		case xml.EndElement:
			require.NotEmpty(t, open)
			require.Equal(t, open[len(open)-1], e.Name.Local)
			open = open[:len(open)-1]
		}
	}
	require.Empty(t, open)
	for _, link := range links {
		require.True(t, strings.HasPrefix(link, "#") && ids[link[1:]], "%s leads nowhere", link)
	}
	require.Empty(t, regexp.MustCompile(`.{0,40}(NaN|Inf\b|%!|ZgotmplZ).{0,40}`).FindString(page),
		"html/template writes ZgotmplZ for an unsafe value")
	require.NotRegexp(t, `<h2></h2>|<p class="lead"></p>|<a href="#\w+"></a>`, page, "every section is in the template")
	_, style, _ := strings.Cut(page, "<style>")
	style, _, _ = strings.Cut(style, "</style>")
	require.Empty(t, regexp.MustCompile(`url\(|@import`).FindString(style))
	sum := sha256.Sum256([]byte(style))
	policy := regexp.MustCompile(`Content-Security-Policy" content="(.*?)"`).FindStringSubmatch(page)
	require.Equal(t, "default-src 'none'; style-src 'sha256-"+base64.StdEncoding.EncodeToString(sum[:])+"'; base-uri "+
		"'none'; form-action 'none'", unescape.UnescapeString(policy[1]))
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
	require.NotContains(t, page, ">INVALID<")
	require.NotContains(t, page, ">SMOKE<")
	require.NotContains(t, page, "SAME HOST", "the conclusion says so")
	require.Contains(t, page, "<dt>Store settings</dt><dd>compression = zstd with trained dictionaries; "+
		"journal_mode = wal; synchronous = full</dd>")

	require.Equal(t, []string{"security", "20,833", "129 MB", "6.19 kB", "61.0 MB", "47.3 %"},
		cells(t, part(t, page, "space"), "security"))
	require.Equal(t, []string{"database", "570,833", "1.21 GB", "", "520 MB", "43.0 %"},
		cells(t, part(t, page, "space"), "database"))
	growth := part(t, page, "growth")
	require.Contains(t, growth, `<td class="num">1</td><td class="num">500,000</td><td class="num">112,000</td>`+
		`<td class="num strong">5,600</td><td class="num">30.2</td><td class="num">100 %</td>`)
	require.Contains(t, growth, `<td class="num">1</td><td class="num">50,000</td><td class="num">40,000</td>`+
		`<td class="num strong">2,000</td><td class="num">47.5</td><td class="num">100 %</td>`,
		"by workload, though measured alternately; in GB of documents an hour")
	require.Contains(t, part(t, page, "users"), `5,648 <small>30.5 GB/h</small>`)
	require.Contains(t, part(t, page, "scaling"), "× 1.56")
	require.Contains(t, part(t, page, "steps"), "planned")
	require.Equal(t, 2, strings.Count(part(t, page, "scaling"), `class="chart `), "one for each width")
}

// A section without data is left out, and no other.
func TestPage_OnlyWhatThereIs(t *testing.T) {
	for name, c := range map[string]struct {
		keep func(*campaign.Step) bool
		want []string
	}{
		"Nothing": {func(*campaign.Step) bool { return false }, nil},
		"Load":    {func(s *campaign.Step) bool { return s.Load != nil }, []string{"steps"}},
		"Space":   {func(s *campaign.Step) bool { return s.Space != nil }, []string{"space", "steps"}},
		"Inserts": {func(s *campaign.Step) bool { return s.Inserts != nil }, []string{"growth", "steps"}},
		"Crash":   {func(s *campaign.Step) bool { return s.Kind == campaign.KindCrash }, []string{"steps"}},
		"Mixed": {func(s *campaign.Step) bool { return s.Name == "mixed, 100 users" },
			[]string{"users", "statistics", "goodput", "resources", "published", "steps"}},
		"OneTransaction": {func(s *campaign.Step) bool { return s.Name == "insert-orders, 100 users" },
			[]string{"users", "statistics", "goodput", "resources", "published", "steps"}},
		"Cores": {func(s *campaign.Step) bool { return s.Plan != nil && s.Plan.CPUs > 0 }, []string{"scaling", "steps"}},
	} {
		t.Run(name, func(t *testing.T) {
			record := madeUpCampaign()
			var kept []campaign.Step
			for i := range record.Steps {
				if c.keep(&record.Steps[i]) {
					kept = append(kept, record.Steps[i])
				}
			}
			record.Steps = kept
			page := html(t, FromCampaign(record))
			requirePage(t, page)
			require.Equal(t, c.want, sectionsOf(page))
		})
	}
}

func TestPage_Run(t *testing.T) {
	r := run("mixed", 100, 4000, 1)
	page := html(t, &File{Name: "run.json", Run: &r})
	requirePage(t, page)
	require.Equal(t, []string{"statistics", "goodput", "time", "resources"}, sectionsOf(page))
	require.Contains(t, page, "<b>4,000</b> a second")
	require.Contains(t, page, "SAME HOST")
	require.Contains(t, page, "<dt>Limit</dt><dd>the processor: 91 % busy ")
	require.Contains(t, page, "<dt>Settings</dt><dd>durability = "+durability+"</dd>")

	r.Model, r.Arrivals = result.Model{Kind: result.Open, Rate: 4000}, new(result.Arrivals)
	require.Regexp(t, `<dd>4000 arrivals a second.*(\n.*)+ timed from when each was due`, html(t, &File{Run: &r}))
	r.Tool.Name = "k6"
	require.NotContains(t, html(t, &File{Run: &r}), "timed from")

	r.Transactions[0].Latency = result.Latency{Total: 96e6, Min: 250, Max: 1_234_500, Mean: 2000, P50: 1500, P90: 3210,
		P95: 12_340, P99: 99_960}
	page = html(t, &File{Name: "run.json", Run: &r})
	require.Equal(t, []string{"get_order Q1", "48,000", "10.00 %", "96.0", "0.250", "1,235", "2.00", "1.50", "3.21",
		"12.3", "100"}, cells(t, part(t, page, "statistics"), "get_order"))
	require.Equal(t, []string{"queries", "336,000", "70.00 %"}, cells(t, part(t, page, "statistics"), "queries")[:3])
	require.Equal(t, []string{"mixed", "0", "total", "480,000", "479,709", "291", "0", "0", "0", "0", "3", "0.001 %"},
		cells(t, part(t, page, "goodput"), "mixed"))
	require.Equal(t, []string{"mixed", "sell_security", "not-held", "288", "2.00 %", "expected"},
		cells(t, strings.SplitN(part(t, page, "goodput"), "By reason", 2)[1], "mixed"))
}

// The outcomes of all transactions are shown, and those of each transaction with unanswered ones.
func TestPage_Outcomes(t *testing.T) {
	r := run("mixed", 100, 4000, 1)
	order, total := &r.Transactions[0], &r.Total
	order.Good, order.Unanswered, order.Unexpected = order.Good-7, 7, map[string]int64{"timeout": 7}
	order.Waiting, order.Late, order.Due = 5, 3, order.Due+5
	total.Good, total.Unanswered, total.Waiting, total.Late, total.Dropped = total.Good-7, 7, 1005, 3, 20_000
	total.Due = total.Count + total.Waiting + total.Dropped
	require.NoError(t, checkRun(&r))
	page := html(t, &File{Run: &r})
	requirePage(t, page)
	outcomes, _, _ := strings.Cut(part(t, page, "goodput"), "By reason")
	require.Equal(t, []string{"mixed", "100", "get_order", "48,005", "47,993", "0", "7", "0", "5", "3", "7", "0.015 %"},
		cells(t, outcomes, "mixed"))
	require.Contains(t, outcomes, "501,005")
	require.NotContains(t, outcomes, "get_security")
}

// The curve of a search is drawn as far as it can be read: the latency of an overloaded target is in the table alone.
func TestPage_Curve(t *testing.T) {
	r := run("mixed", 100, 3600, 1)
	r.Curve = madeUpCurve()
	page := html(t, &File{Run: &r})
	requirePage(t, page)
	curve := part(t, page, "curve")
	require.Contains(t, curve,
		"Highest rate with p99=20ms: 3,400 to 3,800 a second, most likely 3,600 (95 %), after 2:10. "+
			"What limits: the processors of this machine: service 55 %, load generator 35 %. 3 of 40 slices were repeated")
	require.Contains(t, page, "<h1>Highest rate of mixed</h1>")
	require.NotContains(t, page, `id="statistics"`, "it has no transactions")
	require.Equal(t, 11, strings.Count(curve, "<tr><td")+strings.Count(curve, `<tr class="soft"><td`))
	require.Contains(t, curve, "p99=20ms: 12 % took longer")
	wide, _, _ := strings.Cut(curve, "chart narrow")
	require.Equal(t, 1+9, strings.Count(wide, "<circle"), "the rates that can be drawn, and the legend")
	require.Contains(t, wide, ">p99</text>")

	r.Curve.Found, r.Curve.High = 0, 0
	require.Contains(t, part(t, html(t, &File{Run: &r}), "curve"), "Highest rate with p99=20ms: at least 3,400 a second")
}

// A merged result names its load generators.
func TestPage_Parts(t *testing.T) {
	r := run("mixed", 100, 4000, 1)
	machine := madeUpMachine()
	for n := range 3 {
		r.Parts = append(r.Parts, result.LoadPart{Number: n + 1, Of: 3, Users: 33, Host: "generator-" + string('a'+rune(n)),
			Measuring: r.Started, Measured: 120, TPS: 1333, Generator: &r.Usage.Generator, Machine: &machine})
	}
	page := html(t, &File{Run: &r})
	requirePage(t, page)
	require.Equal(t, []string{"2", "generator-b", "33", "10:00:00.000", "120", "1,333", "21 %",
		"Made-up processor 3000, 2 cores"}, cells(t, part(t, page, "generators"), "2"))
}

// A run of k6 does not know what processes used, a short one has no intervals.
func TestPage_BareRun(t *testing.T) {
	r := run("query", 10, 100, 1)
	r.Tool.Name = "k6"
	r.Usage, r.Intervals, r.PerSecond, r.Settings, r.Dataset = result.Usage{}, nil, nil, nil, result.DatasetStamp{}
	page := html(t, &File{Name: "run.json", Run: &r})
	requirePage(t, page)
	require.Equal(t, []string{"statistics", "goodput"}, sectionsOf(page))

	r.Transactions, r.Kinds, r.Total, r.TPS, r.Goodput, r.Measured = nil, nil, result.Row{}, 0, 0, 0
	r.Ended = result.TargetDied
	page = html(t, &File{Name: "run.json", Run: &r})
	requirePage(t, page)
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
		"NoReason":     {result.Validity{}, true, false},
	} {
		r := run("mixed", 10, 100, 1)
		r.Validity = c.validity
		page := html(t, &File{Name: "run.json", Run: &r})
		require.Equal(t, c.invalid, strings.Contains(page, "<strong>INVALID</strong>"), name)
		require.Equal(t, c.smoke, strings.Contains(page, "<strong>SMOKE</strong>"), name)
		for _, reason := range c.validity.Reasons {
			require.Contains(t, page, reason)
		}
	}
	record := madeUpCampaign()
	record.Complete, record.Unfinished = false, "interrupted after step 9"
	record.Steps[6].Run.Validity, record.Steps[6].Again = result.Validity{Reasons: []string{"not steady"}}, true
	one := slices.IndexFunc(record.Steps, func(s campaign.Step) bool { return s.Plan != nil && s.Plan.CPUs > 0 })
	record.Steps[one].Run.Validity = record.Steps[6].Run.Validity
	page := html(t, FromCampaign(record))
	require.Contains(t, page, "2 of 22 runs must not be quoted")
	require.Contains(t, page, "<li>not steady (mixed, 50 users; mixed, 1 core, 100 users)</li>")
	require.Contains(t, part(t, page, "users"), `<tr class="invalid"><td class="num">50 <small>INVALID</small></td>`)
	require.Contains(t, part(t, page, "scaling"), " <small>INVALID</small></td>")
	require.Contains(t, page, "interrupted after step 9")
	require.Contains(t, part(t, page, "steps"), "the second run: the first was disturbed")

	record.Smoke, record.Preset = true, "smoke"
	page = html(t, FromCampaign(record))
	require.Contains(t, page, "<strong>SMOKE</strong>")
	require.Contains(t, part(t, page, "published"), "ours is a smoke run")
}

func TestPage_Published(t *testing.T) {
	page := part(t, html(t, FromCampaign(madeUpCampaign())), "published")
	require.Contains(t, cells(t, page, "17 transactions")[6],
		"1.21 GB of data, not 1 TB (1/827); 2 cores, not 24; load generator on the same host; profile tpox-2, not tpox-1")
	require.Equal(t, "2,685 63.8 GB/h", cells(t, page, "insert CustAcc, not validated")[4], "not the validated inserts")
	require.Contains(t, page, "here insert-customers, not validated<")
	require.Equal(t, "3,056", cells(t, page, "13 transactions, not validated")[4])
	require.NotContains(t, page, "19,200", "a bulk load is compared with nothing")
	require.Equal(t, []string{"get_order Q1", "4,859,631", "84,491", "0.37", "17.4"}, cells(t, page, "get_order")[:5])
	require.Equal(t, []string{"custacc", "about 337 GB", "121.4 GB", "−64 %", "−66 %", "10.3 GB"},
		cells(t, page, "Db2 9.5, 2008")[1:])
}

// Names and reasons come from files that anyone may have written.
func TestPage_Escapes(t *testing.T) {
	const evil = `<script>alert(1)</script>" onload="x`
	record := madeUpCampaign()
	record.Store.Engine, record.Dataset.Scale, record.Steps[4].Name = evil, evil, evil
	for i := range record.Steps {
		if r := record.Steps[i].Run; r != nil {
			record.Steps[i].Plan.Label = evil + record.Steps[i].Plan.Label
			r.Validity = result.Validity{Reasons: []string{evil}}
			r.Transactions[0].Name = evil
		}
	}
	requirePage(t, html(t, &File{Name: evil, Campaign: record}))
}

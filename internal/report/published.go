package report

import (
	"fmt"
	"slices"
	"strings"

	"brokerage/internal/brokerage"
	"brokerage/internal/campaign"
	"brokerage/internal/format"
	"brokerage/internal/workload"
)

// publication is a system of which the TPoX papers report figures.
type publication struct {
	System, Hardware string
	Year             int
	Cores            int
	Size             string // of the raw data
	Bytes            float64
	Profile          string
}

var (
	power5 = publication{System: "Db2 9", Hardware: "POWER5, 8 cores", Year: 2006, Cores: 8,
		Size: "100 GB", Bytes: 100e9, Profile: "tpox-1"}
	xeon71 = publication{System: "Db2 9", Hardware: "Xeon 7140M, 4 × 2 cores", Year: 2007, Cores: 8,
		Size: "50 GB", Bytes: 50e9, Profile: "tpox-1"}
	xeon74 = publication{System: "Db2 9.5", Hardware: "Xeon 7400, 24 cores", Year: 2008, Cores: 24,
		Size: "1 TB", Bytes: 1e12, Profile: "tpox-1"}
	power6 = publication{System: "Db2 9.7", Hardware: "POWER6, 8 cores", Year: 2009, Cores: 8,
		Size: "1 TB", Bytes: 1e12, Profile: "tpox-2"}
	results = []published{
		{power5, "classic", "13 transactions, not validated", false, 150, 1980},
		{xeon71, "classic", "13 transactions, not validated", false, 200, 3752},
		{xeon74, "mixed", "17 transactions", true, 200, 6763},
		{power6, "mixed", "17 transactions", true, 300, 4107},
		{power5, "query", "seven queries", true, 150, 5480},
		{xeon71, "query", "seven queries", true, 125, 4793},
		{power5, "insert-orders", "insert orders", false, 100, 5320},
		{xeon71, "insert-orders", "insert orders", false, 100, 4500},
		{xeon74, "insert-orders", "insert orders", false, 600, 11904},
		{power6, "insert-orders", "insert orders", false, 0, 13945},
		{power5, "insert-customers", "insert CustAcc, not validated", false, 100, 1550},
		{xeon71, "insert-customers", "insert CustAcc, not validated", false, 50, 1400},
		{xeon74, "insert-customers", "insert CustAcc, not validated", false, 600, 4913},
		{power6, "insert-customers", "insert CustAcc, not validated", false, 0, 5119},
	}
)

// published is a figure of the papers, with the workload of ours that does the same.
type published struct {
	publication
	Workload  string
	Measure   string
	Validated bool // in the papers; orders and queries are validated nowhere
	Users     int  // 0 when not published
	Rate      float64
}

// publishedMeans are the mean times of Db2 9.5 at 200 users, in milliseconds: total time by count of the published
// statistics. They are data of the papers, by the names of our transactions; a test verifies that each name exists.
var publishedMeans = map[string]float64{
	"get_order": 17.4, "get_security": 6.59, "customer_profile": 16.3, "search_securities": 59.0, "account_summary": 17.7,
	"get_security_price": 6.25, "customer_max_order": 52.3, "close_account": 31.8, "open_account": 64.3,
	"update_security_price": 23.2, "update_order_status": 42.0, "buy_security": 38.1, "sell_security": 37.2,
	"delete_customer": 30.7, "delete_order": 30.9, "insert_customer": 28.8, "insert_order": 19.8,
}

// publishedSection shows the papers' figures beside those of a campaign, with what keeps them from being compared.
func publishedSection(c *campaign.Record, groups []group) section {
	plain := filter(groups, group.plain)
	t := newTable("Published figures and ours", "text:measure", "text:published", "users", "a second", "ours", "users",
		"text:not comparable because")
	t.Class = "published"
	for _, p := range results {
		for _, g := range alike(plain, p) {
			users := "–"
			if p.Users > 0 {
				users = format.Count(p.Users)
			}
			t.add("", cell{Text: p.Measure, Aside: "here " + g.name()},
				cell{Text: fmt.Sprintf("%s, %d", p.System, p.Year), Aside: p.Hardware + "; " + p.Size + ", " + p.Profile},
				users, p.Rate, g.median(tps), g.Users, strings.Join(obstacles(c, g, p), "; "))
		}
	}
	if len(t.Rows) == 0 {
		return section{}
	}
	s := section{ID: "published", Title: "Published figures and ours", Blocks: []block{{Table: t}},
		Lead: "What the TPoX papers report (2006 to 2009), for orientation. Hardware, size of the data and method differ: " +
			"a figure is neither better nor worse than another. Ours is of the same number of users where that was measured, " +
			"otherwise of the nearest, which is then stated. The papers' load came from a second host over a database " +
			"protocol, ours through HTTP; the papers delete at random, while our users delete what they have inserted."}
	mixed := filter(plain, func(g group) bool { return g.Label == "mixed" })
	for _, g := range nearest(mixed, 200) {
		note := fmt.Sprintf("Published: Db2 9.5 (2008) at 200 users. Ours: the mixed workload at %s users. In milliseconds.",
			format.Count(g.Users))
		s.Blocks = append(s.Blocks, block{Title: "Average times", Note: note, Table: timesTable(g.middle())})
	}
	s.Blocks = append(s.Blocks, block{Title: "Space", Table: publishedSpaceTable(c)})
	return s
}

// alike returns our group that did the same as a published one: the same workload, validated or not, and the same
// number of users or the nearest that was measured. Our best is returned only for a figure whose users were not
// published.
func alike(groups []group, p published) []group {
	same := filter(groups, func(g group) bool {
		stamp := g.Runs[0].Workload
		return stamp.Name == p.Workload && (p.Workload != "insert-customers" || stamp.Validate == p.Validated)
	})
	if len(same) == 0 || p.Users > 0 {
		return nearest(same, p.Users)
	}
	return []group{best(same)}
}

// obstacles returns the differences that keep two figures from being compared, the largest first.
func obstacles(c *campaign.Record, g group, p published) (all []string) {
	r, raw := g.middle(), rawBytes(c)
	add := func(obstacle bool, format string, values ...any) {
		if obstacle {
			all = append(all, fmt.Sprintf(format, values...))
		}
	}
	add(g.invalid(), "ours is INVALID")
	add(!g.invalid() && (c.Smoke || r.Validity.Smoke), "ours is a smoke run")
	add(p.Users == 0, "users not published, so ours is our best")
	add(p.Users != 0 && g.Users != p.Users, "ours measured at %s, not %d", format.Plural(g.Users, "user"), p.Users)
	part := ""
	if raw > 0 && raw < p.Bytes {
		part = fmt.Sprintf(" (1/%s)", whole(p.Bytes/raw))
	}
	add(raw > 0 && (raw < p.Bytes/2 || raw > p.Bytes*2), "%s of data, not %s%s", format.Bytes(raw), p.Size, part)
	add(c.Machine.Cores != p.Cores, "%s, not %d", format.Plural(c.Machine.Cores, "core"), p.Cores)
	add(r.Target.SameHost, "load generator on the same host")
	add(c.Dataset.Profile != p.Profile, "profile %s, not %s", c.Dataset.Profile, p.Profile)
	add(r.Target.Kind == "direct", "no application tier")
	add(true, "hardware and storage of %d", p.Year)
	return all
}

// rawBytes returns the size of the documents of the campaign's database, or 0 when it was not measured.
func rawBytes(c *campaign.Record) (raw float64) {
	for _, step := range slices.Backward(c.Steps) {
		if step.Load != nil {
			raw = float64(step.Load.Bytes)
		}
	}
	for _, step := range slices.Backward(c.Steps) {
		if step.Space != nil {
			raw = float64(step.Space.Raw)
		}
	}
	return raw
}

func timesTable(r *workload.Run) *table {
	t := newTable("Average times, published and ours", "text:transaction", "published ms", "ours ms")
	for _, transaction := range brokerage.Transactions {
		mean, published := publishedMeans[transaction.Name]
		if row := rowOf(r.Transactions, transaction.Name); published && row != nil && row.Count > 0 {
			t.add("", withCode(transaction.Name), mean, micros(row.Latency.Mean))
		}
	}
	return t
}

// publishedSpaceTable has no rows when the campaign did not measure its space.
func publishedSpaceTable(c *campaign.Record) *table {
	t := newTable("Space, published and ours", "text:system", "raw", "on disk", "of raw", "text:by kind")
	s := plainSpace(c)
	if s == nil {
		return t
	}
	t.add("", "Db2 9.5, 2008", "942 GB", "440 GB", "47 %",
		"orders −57 %, CustAcc −64 %, evidently against uncompressed tables")
	t.add("", "Db2 9.7, 2009", "slightly over 1 TB", "604 GB", "about 60 %",
		"orders −59 %, CustAcc −61 %, against its own uncompressed 1.4 TB")
	var kinds []string
	for _, k := range s.Kinds {
		if k.Raw > 0 {
			kinds = append(kinds, k.Kind+" "+percent(float64(k.Stored)/float64(k.Raw)-1, 0))
		}
	}
	t.add("total", "ours: "+joined(" ", c.Store.Engine, c.Store.Version), size(s.Raw), size(s.Total),
		percent(float64(s.Total)/float64(s.Raw), 0), strings.Join(kinds, ", "))
	return t
}

package report

import (
	"fmt"
	"strings"

	"brokerage/internal/campaign"
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
	power5  = publication{System: "Db2 9", Hardware: "POWER5, 8 cores", Year: 2006, Cores: 8, Size: "100 GB", Bytes: 100e9, Profile: "tpox-1"}
	xeon71  = publication{System: "Db2 9", Hardware: "Xeon 7140M, 4 × 2 cores", Year: 2007, Cores: 8, Size: "50 GB", Bytes: 50e9, Profile: "tpox-1"}
	xeon74  = publication{System: "Db2 9.5", Hardware: "Xeon 7400, 24 cores", Year: 2008, Cores: 24, Size: "1 TB", Bytes: 1e12, Profile: "tpox-1"}
	power6  = publication{System: "Db2 9.7", Hardware: "POWER6, 8 cores", Year: 2009, Cores: 8, Size: "1 TB", Bytes: 1e12, Profile: "tpox-2"}
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

// published is one of their figures, with the workload of ours that does the same.
type published struct {
	publication

	Workload  string
	Measure   string
	Validated bool // by what the papers did; orders and queries are not validated either way
	Users     int  // 0: not published
	Rate      float64
}

// publishedTimes are the average times of Db2 9.5 at 200 users, in milliseconds: total time by count of the published
// statistics.
var publishedTimes = []struct {
	Name string
	Mean float64
}{
	{"get_order", 17.4}, {"get_security", 6.59}, {"customer_profile", 16.3}, {"search_securities", 59.0}, {"account_summary", 17.7},
	{"get_security_price", 6.25}, {"customer_max_order", 52.3}, {"close_account", 31.8}, {"open_account", 64.3}, {"update_security_price", 23.2},
	{"update_order_status", 42.0}, {"buy_security", 38.1}, {"sell_security", 37.2}, {"delete_customer", 30.7}, {"delete_order", 30.9},
	{"insert_customer", 28.8}, {"insert_order", 19.8},
}

// publishedSection sets the papers' figures beside those of a campaign, with what keeps them from being compared.
func publishedSection(c *campaign.Record, groups []group) *section {
	plain := filter(groups, group.plain)
	t := &table{Label: "Published figures and ours", Class: "published", Columns: columns([2]string{"text", "measure"}, [2]string{"text", "published"}, [2]string{"num", "users"},
		[2]string{"num", "a second"}, [2]string{"num", "ours"}, [2]string{"num", "users"}, [2]string{"text", "not comparable because"})}
	for _, p := range results {
		ours := alike(plain, p)
		if len(ours) == 0 {
			continue
		}
		g := ours[0]
		theirUsers := "–"
		if p.Users > 0 {
			theirUsers = wholeText(float64(p.Users))
		}
		t.add("", cell{Text: p.Measure, Aside: "here " + g.name()}, cell{Text: fmt.Sprintf("%s, %d", p.System, p.Year), Aside: p.Hardware + "; " + p.Size + ", " + p.Profile}, cell{Text: theirUsers},
			cell{Text: figure(p.Rate)}, cell{Text: figure(g.values(tps).median())}, cell{Text: wholeText(float64(g.Users))},
			cell{Text: strings.Join(obstacles(c, g, p), "; ")})
	}
	if len(t.Rows) == 0 {
		return nil
	}
	s := &section{ID: "published", Title: "Published figures beside ours",
		Lead: "What the TPoX papers report (2006 to 2009), for orientation. Hardware, size of the data and method differ: a figure here is neither better nor worse than one there. " +
			"Ours is measured at the same number of users where it was, else at the nearest, which is then said. The papers' load came from a second host over a database protocol, ours through HTTP; the papers delete at random, here a user deletes what it has inserted.",
		Blocks: []block{{Table: t}}}
	for _, g := range nearest(filter(plain, func(g group) bool { return g.Label == "mixed" }), 200) {
		s.Blocks = append(s.Blocks, block{Title: "Average times", Note: fmt.Sprintf("Theirs (Db2 9.5, 2008) at 200 users, ours of the mixed workload at %s, in milliseconds.", wholeText(float64(g.Users))), Table: timesTable(g.middle())})
	}
	if b := publishedSpace(c); b != nil {
		s.Blocks = append(s.Blocks, *b)
	}
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
	if len(same) == 0 {
		return nil
	}
	if p.Users > 0 {
		return nearest(same, p.Users)
	}
	return []group{best(same)}
}

// obstacles are the differences that keep two figures from being compared, the largest first.
func obstacles(c *campaign.Record, g group, p published) []string {
	var all []string
	r := g.middle()
	switch {
	case g.invalid():
		all = append(all, "ours is INVALID")
	case c.Smoke || isSmoke(r):
		all = append(all, "ours is a smoke run")
	}
	switch {
	case p.Users == 0:
		all = append(all, "users not published, so ours is our best")
	case g.Users != p.Users:
		all = append(all, fmt.Sprintf("ours measured at %s, not %d", plural(g.Users, "user"), p.Users))
	}
	raw := rawBytes(c)
	if raw > 0 && (raw < p.Bytes/2 || raw > p.Bytes*2) {
		size := bytesText(raw) + " of data, not " + p.Size
		if raw < p.Bytes {
			size += fmt.Sprintf(" (1/%s)", wholeText(p.Bytes/raw))
		}
		all = append(all, size)
	}
	if c.Machine.Cores != p.Cores {
		all = append(all, fmt.Sprintf("%s, not %d", plural(c.Machine.Cores, "core"), p.Cores))
	}
	if r.Target.SameHost {
		all = append(all, "load generator on the same host")
	}
	if c.Dataset.Profile != p.Profile {
		all = append(all, "profile "+c.Dataset.Profile+", not "+p.Profile)
	}
	if r.Target.Kind == "direct" {
		all = append(all, "no application tier in between")
	}
	return append(all, fmt.Sprintf("hardware and storage of %d", p.Year))
}

// rawBytes is how large the documents of the campaign's database are.
func rawBytes(c *campaign.Record) float64 {
	for i := range c.Steps {
		if s := c.Steps[i].Space; s != nil {
			return float64(s.Raw)
		}
	}
	for i := range c.Steps {
		if l := c.Steps[i].Load; l != nil {
			return float64(l.Bytes)
		}
	}
	return 0
}

func timesTable(r *workload.Run) *table {
	t := &table{Label: "Average times, published and ours", Columns: columns([2]string{"text", "transaction"}, [2]string{"num", "published ms"}, [2]string{"num", "ours ms"})}
	for _, published := range publishedTimes {
		if row := rowOf(r.Transactions, published.Name); row != nil && row.Count > 0 {
			cells := texts(published.Name, figure(published.Mean), millis(row.Latency.Mean))
			cells[0].Aside = code(published.Name)
			t.add("", cells...)
		}
	}
	return t
}

func publishedSpace(c *campaign.Record) *block {
	for i := range c.Steps {
		s := c.Steps[i].Space
		if s == nil || s.Raw == 0 || c.Steps[i].Variant != nil {
			continue
		}
		ratio := float64(s.Total) / float64(s.Raw)
		t := &table{Label: "Space, published and ours", Columns: columns([2]string{"text", "system"}, [2]string{"num", "raw"}, [2]string{"num", "on disk"}, [2]string{"num", "of raw"}, [2]string{"text", "by kind"})}
		t.add("", texts("Db2 9.5, 2008", "942 GB", "440 GB", "47 %", "orders −57 %, CustAcc −64 %, evidently against uncompressed tables")...)
		t.add("", texts("Db2 9.7, 2009", "slightly over 1 TB", "604 GB", "about 60 %", "orders −59 %, CustAcc −61 %, against its own uncompressed 1.4 TB")...)
		var kinds []string
		for _, k := range s.Kinds {
			if k.Raw > 0 {
				kinds = append(kinds, fmt.Sprintf("%s %s %%", k.Kind, fixed(100*(float64(k.Stored)/float64(k.Raw)-1), 0)))
			}
		}
		t.add("total", texts("ours: "+joined(" ", c.Store.Engine, c.Store.Version), bytesText(float64(s.Raw)), bytesText(float64(s.Total)), percent(ratio, 0), strings.Join(kinds, ", "))...)
		return &block{Title: "Space", Table: t}
	}
	return nil
}

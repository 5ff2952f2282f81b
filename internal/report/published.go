package report

import (
	"fmt"
	"strings"

	"brokerage/internal/campaign"
	"brokerage/internal/format"
	"brokerage/internal/result"
	"brokerage/internal/tpox"
)

// publishedSection shows the papers' figures beside those of a campaign, with what keeps them from being compared. It
// is empty for a campaign that ran none of the papers' workloads.
func publishedSection(c *campaign.Record, groups []group) section {
	plain := filter(groups, group.plain)
	throughput, found := publishedRates(c, plain)
	if !found {
		return section{}
	}
	s := section{ID: "published", Blocks: []block{{Table: throughput}}}
	average, ours := &result.Run{}, "the mixed workload, which was not measured here."
	for _, g := range nearest(filter(plain, func(g group) bool { return g.Label == "mixed" }), 200) {
		average, ours = g.Run, fmt.Sprintf("the mixed workload at %s users.", format.Count(g.Users))
	}
	s.Blocks = append(s.Blocks,
		block{Title: "Average times", Table: timesTable(average),
			Note: "Published: Db2 9.5 (2008) at 200 users for two hours, 6,763.42 transactions a second, 405,804 a minute; " +
				"the average is total by count. Ours: " + ours},
		block{Title: "Space by kind", Table: publishedSpaceTable(c),
			Note: "The published percentages are against the uncompressed tables: in 2008 evidently, since about 337 and " +
				"626 GB follow from them; against the documents they are 66 and 54."})
	return s
}

// publishedRates returns the table of all published rates, and whether one of ours is beside any of them.
func publishedRates(c *campaign.Record, plain []group) (t *table, found bool) {
	t = newTable("Published figures and ours", "text:measure", "text:published", "users", "a second", "ours", "users",
		"text:not comparable because")
	t.Class = "published"
	for _, p := range results {
		users := "–"
		if p.Users > 0 {
			users = format.Count(p.Users)
		}
		system := cell{Text: fmt.Sprintf("%s, %d", p.System, p.Year),
			Aside: joined("; ", p.Hardware, p.Size+", "+p.Profile, p.Note)}
		ours := alike(plain, p)
		if len(ours) == 0 {
			t.add("", cell{Text: p.Measure}, system, users, p.Rate, "–", "–", "not measured here")
			continue
		}
		found = true
		g := ours[0]
		t.add("", cell{Text: p.Measure, Aside: "here " + g.name()}, system, users, p.Rate,
			cell{Text: format.Figure(tps(g.Run)), Aside: hourText(c, g.Run)}, g.Users,
			strings.Join(obstacles(c, g, p), "; "))
	}
	return t, found
}

// alike returns our group that did the same as a published one: the same workload, validated or not, and the same
// number of users or the nearest that was measured. Our best is returned only for a figure whose users were not
// published.
func alike(groups []group, p published) []group {
	same := filter(groups, func(g group) bool {
		stamp := g.Run.Workload
		return stamp.Name == p.Workload && (p.Workload != "insert-customers" || stamp.Validate == p.Validated)
	})
	if len(same) == 0 || p.Users > 0 {
		return nearest(same, p.Users)
	}
	return []group{best(same)}
}

// obstacles returns the differences that keep two figures from being compared, the largest first.
func obstacles(c *campaign.Record, g group, p published) (all []string) {
	r, raw := g.Run, rawBytes(c)
	add := func(obstacle bool, format string, values ...any) {
		if obstacle {
			all = append(all, fmt.Sprintf(format, values...))
		}
	}
	less := unfaithful(r)
	add(less != "", "%s", less)
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
func rawBytes(c *campaign.Record) float64 {
	if s := plainSpace(c); s != nil {
		return float64(s.Raw)
	}
	for _, step := range c.Steps {
		if step.Load != nil {
			return float64(step.Load.Bytes)
		}
	}
	return 0
}

// timesTable shows the published statistics of each transaction, and of each kind, beside ours.
func timesTable(r *result.Run) *table {
	t := newTable("Average times, published and ours", "text:transaction", "published count", "total s", "max s",
		"num strong:average ms", "num strong:ours ms", "ours count")
	sums := make(map[string]publishedTime)
	add := func(class string, name cell, p publishedTime, ours *result.Row) {
		values := []string{"–", "–"}
		if ours != nil && ours.Count > 0 {
			values = []string{millis(ours.Latency.Mean), format.Count(ours.Count)}
		}
		t.add(class, name, p.count, whole(p.total), format.Fixed(p.max, 2), format.Fixed(p.mean(), 1), values)
	}
	for _, transaction := range tpox.Transactions {
		p, published := publishedTimes[transaction.Name]
		if !published {
			continue
		}
		add("", withCode(transaction.Name), p, rowOf(r.Transactions, transaction.Name))
		for _, sum := range []string{transaction.Kind.String(), "total"} {
			s := sums[sum]
			sums[sum] = publishedTime{s.count + p.count, s.total + p.total, max(s.max, p.max)}
		}
	}
	for _, kind := range []string{"query", "update", "insert", "delete"} {
		add("kind", cell{Text: kind}, sums[kind], rowOf(r.Kinds, kind))
	}
	add("total", cell{Text: "total"}, sums["total"], &r.Total)
	return t
}

// publishedSpaceTable has no rows when the campaign did not measure its space.
func publishedSpaceTable(c *campaign.Record) *table {
	t := newTable("Space by kind, published and ours", "text:system", "text:documents", "uncompressed", "compressed",
		"against uncompressed", "against the documents", "indexes")
	s := plainSpace(c)
	if s == nil {
		return t
	}
	for _, row := range publishedSpace {
		t.add("", row)
	}
	indexes := int64(0)
	for _, index := range s.Indexes {
		indexes += index.Bytes
	}
	ours := func(class, system, name string, raw, stored int64, indexes string) {
		t.add(class, system, name, "–", size(stored), "–", signed(ratio(float64(stored), float64(raw))-1), indexes)
	}
	system := "ours: " + joined(" ", c.Store.Engine, c.Store.Version)
	for _, k := range s.Kinds {
		if k.Raw > 0 {
			ours("", system, k.Kind, k.Raw, k.Stored, "–")
			system = ""
		}
	}
	ours("total", system, "all, of "+format.Bytes(s.Raw)+" of documents", s.Raw, s.Total, format.Bytes(indexes))
	return t
}

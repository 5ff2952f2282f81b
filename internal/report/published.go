package report

import (
	"fmt"
	"strings"

	"brokerage/internal/campaign"
	"brokerage/internal/format"
	"brokerage/internal/tpox"
)

// publishedSection shows the papers' figures beside those of a campaign, with what keeps them from being compared. It
// is empty for a campaign that ran none of the papers' workloads.
func publishedSection(c *campaign.Record, groups []group) section {
	t := newTable("text:measure", "text:published", "users", "a second", "ours", "users", "text:not comparable because")
	t.Class = "published"
	found := false
	for _, p := range results {
		users := "–"
		if p.Users > 0 {
			users = format.Count(p.Users)
		}
		measure := cell{Text: p.Measure}
		system := cell{Text: fmt.Sprintf("%s, %d", p.System, p.Year),
			Aside: joined("; ", p.Hardware, p.Size+", "+p.Profile, p.Note)}
		g := alike(groups, p)
		if g.Run == nil {
			t.add("", measure, system, users, p.Rate, "–", "–", "not measured here")
			continue
		}
		found = true
		measure.Aside = "here " + g.Label
		t.add("", measure, system, users, p.Rate, cell{Text: format.Figure(g.Run.TPS), Aside: hourText(c, g.Run)}, g.Users,
			strings.Join(obstacles(c, g, p), "; "))
	}
	if !found {
		return section{}
	}
	s := section{ID: "published", Blocks: []block{{Table: t}}}
	if mixed := filter(groups, func(g group) bool { return g.Label == "mixed" }); len(mixed) > 0 {
		g := nearest(mixed, 200)
		s.Blocks = append(s.Blocks, block{Title: "Average times of the mixed workload", Table: timesTable(g),
			Note: "Published: Db2 9.5 (2008) at 200 users for two hours, 6,763.42 transactions a second, 405,804 a minute. " +
				"Ours: at " + format.Plural(g.Users, "user") + "."})
	}
	return s
}

// alike returns our group that is most like a published figure: the same workload, insert-customers also with the same
// validation, at the same number of users or the nearest that was measured. For a figure whose users were not
// published, it is our best. The group has no run if no workload is the same.
func alike(groups []group, p published) group {
	same := filter(groups, func(g group) bool {
		stamp := g.Run.Workload
		return stamp.Name == p.Workload && (p.Workload != "insert-customers" || stamp.Validate == p.Validated)
	})
	switch {
	case len(same) == 0:
		return group{}
	case p.Users > 0:
		return nearest(same, p.Users)
	default:
		return best(same)
	}
}

// obstacles returns the differences that keep two figures from being compared, the largest first.
func obstacles(c *campaign.Record, g group, p published) (all []string) {
	r, raw := g.Run, float64(spaceOf(c).Raw)
	add := func(obstacle bool, format string, values ...any) {
		if obstacle {
			all = append(all, fmt.Sprintf(format, values...))
		}
	}
	less := unfaithful(r)
	add(less != "", "%s", less)
	add(!g.valid(), "ours is INVALID")
	add(g.valid() && (c.Smoke || r.Validity.Smoke), "ours is a smoke run")
	add(p.Users == 0, "users not published, so ours is our best")
	add(p.Users != 0 && g.Users != p.Users, "ours measured at %s, not %d", format.Plural(g.Users, "user"), p.Users)
	add(raw > 0 && (raw < p.Bytes/2 || raw > p.Bytes*2), "%s of data, not %s", format.Bytes(raw), p.Size)
	add(c.Machine.Cores != p.Cores, "%s, not %d", format.Plural(c.Machine.Cores, "core"), p.Cores)
	add(r.Target.SameHost, "load generator on the same host")
	add(c.Dataset.Profile != p.Profile, "profile %s, not %s", c.Dataset.Profile, p.Profile)
	add(r.Target.Kind == "direct", "no application tier")
	add(true, "hardware and storage of %d", p.Year)
	return all
}

// timesTable shows the published average time of each transaction, and of all, beside ours.
func timesTable(g group) *table {
	t := newTable("text:transaction", "published count", "num strong:average ms", "num strong:ours ms", "ours count")
	all := publishedTime{}
	for _, transaction := range tpox.Transactions {
		p, published := publishedTimes[transaction.Name]
		if !published {
			continue
		}
		all.count, all.total = all.count+p.count, all.total+p.total
		for _, row := range g.Run.Transactions {
			if row.Name == transaction.Name {
				t.add("", withCode(row.Name), p.count, p.mean(), micros(row.Latency.Mean), row.Count)
			}
		}
	}
	t.add("total", "total", all.count, all.mean(), micros(g.Run.Total.Latency.Mean), g.Run.Total.Count)
	return t
}

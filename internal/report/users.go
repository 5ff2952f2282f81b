package report

import (
	"html/template"
	"slices"

	"brokerage/internal/campaign"
	"brokerage/internal/format"
	"brokerage/internal/report/chart"
	"brokerage/internal/result"
)

// curves draws a figure of the groups against another one, such as the number of users: a line for each workload with
// more than one group.
func curves(c chart.Chart, groups []group, against func(group) int, of func(*result.Run) float64) template.HTML {
	for _, measured := range byLabel(groups) {
		if len(measured) < 2 {
			continue
		}
		s := chart.Series{Name: measured[0].Label, Slot: measured[0].Slot}
		for _, g := range measured {
			p := chart.Point{X: float64(against(g)), Y: of(g.Run)}
			s.Points, c.XTicks = append(s.Points, p), append(c.XTicks, p.X)
		}
		slices.SortFunc(s.Points, func(a, b chart.Point) int { return int(a.X - b.X) })
		c.Series = append(c.Series, s)
	}
	slices.Sort(c.XTicks)
	c.XTicks = slices.Compact(c.XTicks)
	return c.HTML()
}

func throughput(r *result.Run) float64 { return r.TPS }

// usersSection shows throughput and processor against users, as the papers draw them.
func usersSection(c *campaign.Record, groups []group) section {
	users := func(g group) int { return g.Users }
	charts := curves(chart.Chart{Title: "Throughput", X: "users", Y: "transactions a second"}, groups, users, throughput) +
		curves(chart.Chart{Title: "Processor, all cores of the computer", X: "users", Y: "% busy", Most: 100}, groups, users,
			func(r *result.Run) float64 { return 100 * r.Usage.Busy() }) +
		curves(chart.Chart{Title: "99th percentile of all transactions", X: "users", Y: "milliseconds"}, groups, users,
			func(r *result.Run) float64 { return r.Total.Latency.P99 / 1000 })

	t := newTable("users", "connections", "tps", "goodput/s", "p50 ms", "p95 ms", "p99 ms", "CPU, all", "CPU, service",
		"CPU, database", "CPU, load generator")
	ofAll := func(p *result.ProcessUsage) string {
		if p == nil {
			return "–"
		}
		return percent(p.CPU, 0)
	}
	for _, measured := range byLabel(groups) {
		t.add("group", cell{Text: measured[0].Label, Draw: chart.Swatch(measured[0].Slot)})
		for _, g := range measured {
			u, l, connections := &g.Run.Usage, g.Run.Total.Latency, "–"
			if g.Connections > 0 {
				connections = format.Count(g.Connections)
			}
			class, users := g.users()
			t.add(class, users, connections, cell{Text: format.Figure(g.Run.TPS), Aside: hourText(c, g.Run)}, g.Run.Goodput,
				micros(l.P50), micros(l.P95), micros(l.P99), percent(u.Busy(), 0), ofAll(u.Service), ofAll(u.Database),
				ofAll(&u.Generator))
		}
	}
	return section{ID: "users", Blocks: []block{{Charts: charts, Table: t}}}
}

// scalingSection shows throughput against the cores that the service may use.
func scalingSection(groups []group) section {
	limited := filter(groups, func(g group) bool { return !g.plain() })
	t := newTable("text:workload", "cores", "text:limited", "users", "tps", "against the first",
		"per core, against the first", "p99 ms")
	for _, measured := range byLabel(limited) {
		first := measured[0]
		for _, g := range measured {
			gain := ratio(g.Run.TPS, first.Run.TPS)
			what := "the service"
			if g.ServerLimited {
				what += " and the database's server"
			}
			class, users := g.users()
			t.add(class, g.Label, g.CPUs, what, users, g.Run.TPS, times(gain, 2),
				percent(gain*float64(first.CPUs)/float64(g.CPUs), 0), micros(g.Run.Total.Latency.P99))
		}
	}
	charts := curves(chart.Chart{Title: "Throughput against cores", X: "cores", Y: "transactions a second"}, limited,
		func(g group) int { return g.CPUs }, throughput)
	return section{ID: "scaling", Blocks: []block{{Table: t, Charts: charts}}}
}

package report

import (
	"slices"

	"brokerage/internal/campaign"
	"brokerage/internal/format"
	"brokerage/internal/report/chart"
	"brokerage/internal/result"
)

// figure draws the lines that have points. Without any there is no figure.
func figure(caption string, lines chart.Lines) []figureView {
	lines.Series = slices.DeleteFunc(lines.Series, func(s chart.Series) bool { return len(s.Points) == 0 })
	if len(lines.Series) == 0 {
		return nil
	}
	return []figureView{{caption, lines.HTML()}}
}

// curves draws one figure of the groups over a number of each group, such as its users: a line for each workload with
// more than one group.
func curves(
	caption string, lines chart.Lines, groups []group, against func(group) int, of func(*result.Run) float64,
) []figureView {
	for label, measured := range byLabel(groups) {
		if len(measured) < 2 {
			continue
		}
		s := chart.Series{Name: label, Slot: measured[0].Slot}
		for _, g := range measured {
			p := chart.Point{X: float64(against(g)), Y: of(g.Run)}
			s.Points, lines.XTicks = append(s.Points, p), append(lines.XTicks, p.X)
		}
		slices.SortFunc(s.Points, func(a, b chart.Point) int { return int(a.X - b.X) })
		lines.Series = append(lines.Series, s)
	}
	slices.Sort(lines.XTicks)
	lines.XTicks, lines.FormatX = slices.Compact(lines.XTicks), whole
	return figure(caption, lines)
}

// usersSection shows throughput and processor against users, as the papers draw them.
func usersSection(c *campaign.Record, groups []group) section {
	plain := filter(groups, group.plain)
	if len(plain) == 0 {
		return section{}
	}
	var views []figureView
	draw := func(caption, unit string, most float64, write func(float64) string, of func(*result.Run) float64) {
		lines := chart.Lines{Title: caption, X: "users", Y: unit, Most: most, FormatY: write}
		views = append(views, curves(caption, lines, plain, func(g group) int { return g.Users }, of)...)
	}
	draw("Throughput", "transactions a second", 0, whole, tps)
	draw("Processor, all cores of the computer", "% busy", 100, whole,
		func(r *result.Run) float64 { return 100 * r.Usage.Busy() })
	draw("99th percentile of all transactions", "milliseconds", 0, axisText,
		func(r *result.Run) float64 { return p99(r) / 1000 })
	return section{ID: "users",
		Blocks: []block{{Charts: views, Table: usersTable(c, plain)}}}
}

func usersTable(c *campaign.Record, groups []group) *table {
	t := newTable("Throughput by workload and users", "users", "connections", "tps", "goodput/s", "p50 ms", "p95 ms",
		"p99 ms", "CPU, all", "CPU, service", "CPU, database", "CPU, load")
	for label, measured := range byLabel(groups) {
		t.add("group", cell{Text: label, Draw: chart.Swatch(measured[0].Slot)})
		for _, g := range measured {
			u, connections := &g.Run.Usage, "–"
			if g.Connections > 0 {
				connections = format.Count(g.Connections)
			}
			class, users := g.users()
			t.add(class, users, connections, cell{Text: format.Figure(tps(g.Run)), Aside: hourText(c, g.Run)}, goodput(g.Run),
				micros(p50(g.Run)), micros(p95(g.Run)), micros(p99(g.Run)), percent(u.Busy(), 0), processText(u.Service),
				processText(u.Database), processText(&u.Generator))
		}
	}
	return t
}

// processText returns the share of all cores that a process used.
func processText(p *result.ProcessUsage) string {
	if p == nil {
		return "–"
	}
	return percent(p.CPU, 0)
}

// scalingSection shows throughput against the cores that the service may use.
func scalingSection(c *campaign.Record, groups []group) section {
	some := filter(groups, func(g group) bool { return g.CPUs > 0 })
	for _, g := range some {
		full := func(h group) bool { return h.Label == g.Label && h.Users == g.Users && h.CPUs == c.Machine.Cores }
		if base := plainOf(groups, g); len(base) > 0 && !slices.ContainsFunc(some, full) {
			base[0].CPUs = c.Machine.Cores
			some = append(some, base[0])
		}
	}
	t := newTable("Throughput by cores", "text:workload", "cores", "text:limited", "users", "tps",
		"of the first", "a core, of the first", "p99 ms")
	for label, measured := range byLabel(some) {
		slices.SortStableFunc(measured, func(a, b group) int { return a.CPUs - b.CPUs })
		first := measured[0]
		for _, g := range measured {
			rate := tps(g.Run)
			gain := ratio(rate, tps(first.Run))
			class, users := g.users()
			limited := "the service"
			if g.ServerLimited {
				limited += " and the database's server"
			}
			each := gain * float64(first.CPUs) / float64(g.CPUs)
			t.add(class, label, g.CPUs, limited, users, rate, times(gain, 2), percent(each, 0), micros(p99(g.Run)))
		}
	}
	lines := chart.Lines{Title: "Throughput against cores", X: "cores", Y: "transactions a second",
		FormatY: whole}
	charts := curves("Throughput", lines, some, func(g group) int { return g.CPUs }, tps)
	return section{ID: "scaling", Blocks: []block{{Table: t, Charts: charts}}}
}

// plainOf returns the group with the workload and the number of users of g that was measured with the default settings,
// or nil when there is none.
func plainOf(groups []group, g group) []group {
	return filter(groups, func(b group) bool { return b.plain() && b.Label == g.Label && b.Users == g.Users })
}

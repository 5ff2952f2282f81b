package report

import (
	"slices"
	"strconv"
	"strings"

	"brokerage/internal/campaign"
	"brokerage/internal/format"
	"brokerage/internal/report/chart"
	"brokerage/internal/workload"
)

// curves returns one figure of each workload against something: a line for each workload with more than one point. at
// are the positions of the points.
func curves(groups []group, against func(group) int, of func(*workload.Run) float64) (series []chart.Series,
	at []float64) {
	for _, label := range labels(groups) {
		s := chart.Series{Name: label}
		for _, g := range labelled(groups, label) {
			s.Slot = g.Slot
			v := g.values(of)
			s.Points = append(s.Points, chart.Point{X: float64(against(g)), Y: v.median(), Low: v.low(), High: v.high()})
		}
		if len(s.Points) < 2 {
			continue
		}
		slices.SortFunc(s.Points, func(a, b chart.Point) int { return int(a.X - b.X) })
		series = append(series, s)
		for _, p := range s.Points {
			at = append(at, p.X)
		}
	}
	slices.Sort(at)
	return series, slices.Compact(at)
}

// usersSection shows throughput and processor against users, as the papers draw them.
func usersSection(groups []group) *section {
	plain := filter(groups, group.plain)
	if len(plain) == 0 {
		return nil
	}
	var views []figureView
	draw := func(caption, unit string, most float64, write func(float64) string, of func(*workload.Run) float64) {
		series, at := curves(plain, func(g group) int { return g.Users }, of)
		if len(series) == 0 {
			return
		}
		views = append(views, figureView{caption, chart.Lines{
			Title: caption, X: "users", Y: unit, Series: series, XTicks: at, Most: most, FormatX: whole, FormatY: write,
		}.HTML()})
	}
	draw("Throughput", "transactions a second", 0, whole, tps)
	draw("Processor, all cores of the computer", "% busy", 100, whole,
		func(r *workload.Run) float64 { return 100 * busy(r) })
	draw("99th percentile of all transactions", "milliseconds", 0, axisText,
		func(r *workload.Run) float64 { return p99(r) / 1000 })
	return &section{ID: "users", Title: "Throughput and processor against users",
		Lead: "Throughput is every transaction that was answered as the scenario expects, refusals included; goodput only " +
			"those that did their work. Where a run was repeated, each from restored data, a point is the median and its line " +
			"the range; ± is half that range.",
		Blocks: []block{
			{Charts: views, Table: usersTable(plain)},
			{Title: "The repeats", Table: repeatsTable(groups), Note: "Transactions a second in each run, in the order in " +
				"which they were measured. Those that are INVALID are struck through."},
			{Title: "Repeated because unsteady", Table: againTable(groups),
				Note: "These runs were unsteady, and had no other fault. Each was repeated from restored data, and only the " +
					"repeat counts."},
		}}
}

func usersTable(groups []group) *table {
	t := newTable("Throughput by workload and users", "users", "tps", "num soft:±", "goodput/s", "p50 ms", "p95 ms",
		"p99 ms",
		"CPU, all", "CPU, service")
	apart := slices.ContainsFunc(groups, func(g group) bool { return g.middle().Usage.Database != nil })
	if apart {
		t.widen("CPU, database")
	}
	t.widen("CPU, load", "bar:")
	top := 0.0
	for _, g := range groups {
		top = max(top, g.median(tps))
	}
	for _, label := range labels(groups) {
		measured := labelled(groups, label)
		t.add("group", cell{Text: label, Draw: chart.Swatch(measured[0].Slot)})
		for _, g := range measured {
			rate := g.values(tps)
			cells := texts(g.users(), format.Figure(rate.median()), rate.spreadText(), format.Figure(g.median(goodput)),
				millis(g.median(p50)), millis(g.median(p95)), millis(g.median(p99)), percent(g.median(busy), 0),
				processText(g, func(r *workload.Run) *workload.Process { return r.Usage.Service }))
			if apart {
				cells = append(cells, texts(processText(g, func(r *workload.Run) *workload.Process { return r.Usage.Database }))...)
			}
			cells = append(cells, texts(processText(g,
				func(r *workload.Run) *workload.Process { return &r.Usage.Generator }))...)
			cells = append(cells, cell{Draw: chart.Bar(g.Slot, 0, rate.median()/top)})
			class := ""
			if g.invalid() {
				class, cells[0].Aside = "invalid", "INVALID"
			}
			t.add(class, cells...)
		}
	}
	return t
}

// processText returns the share of all cores that a process used.
func processText(g group, of func(*workload.Run) *workload.Process) string {
	if slices.ContainsFunc(g.Runs, func(r *workload.Run) bool { return of(r) == nil }) {
		return "–"
	}
	return percent(g.median(func(r *workload.Run) float64 { return of(r).CPU }), 0)
}

// repeatsTable shows the throughput of every repeat. It has no rows when nothing was repeated.
func repeatsTable(groups []group) *table {
	most := 0
	for _, g := range groups {
		most = max(most, len(g.Runs))
	}
	t := newTable("Throughput of each repeat", "text:workload", "users")
	if most < 2 {
		return t
	}
	for i := range most {
		t.widen("run " + strconv.Itoa(i+1))
	}
	t.widen("num strong:median", "least–greatest", "num soft:±")
	for _, g := range groups {
		cells := texts(g.name(), g.users())
		for _, r := range g.Runs {
			rate := cell{Text: format.Figure(r.TPS)}
			if isInvalid(r) {
				rate.Class = "invalid"
			}
			cells = append(cells, rate)
		}
		cells = append(cells, make([]cell, most-len(g.Runs))...)
		rate := g.values(tps)
		t.add("", append(cells, texts(format.Figure(rate.median()), rate.rangeText(), rate.spreadText())...)...)
	}
	return t
}

// againTable shows the unsteady runs that were repeated and do not count.
func againTable(groups []group) *table {
	t := newTable("Runs that were repeated because they were unsteady", "text:workload", "users", "tps", "text:why")
	for _, g := range groups {
		for _, r := range g.Again {
			cells := texts(g.name(), g.users(), format.Figure(r.TPS), strings.Join(r.Validity.Reasons, "; "))
			cells[2].Class = "invalid"
			t.add("", cells...)
		}
	}
	return t
}

// scalingSection shows throughput against the cores that the service may use.
func scalingSection(c *campaign.Record, groups []group) *section {
	some := filter(groups, func(g group) bool { return g.CPUs > 0 })
	for _, g := range some {
		full := func(h group) bool { return h.Label == g.Label && h.Users == g.Users && h.CPUs == c.Machine.Cores }
		if base := plainOf(groups, g); len(base) > 0 && !slices.ContainsFunc(some, full) {
			base[0].CPUs = c.Machine.Cores
			some = append(some, base[0])
		}
	}
	t := newTable("Throughput by cores", "text:workload", "cores", "users", "tps", "num soft:±", "of the first",
		"a core, of the first", "p99 ms")
	for _, label := range labels(some) {
		measured := labelled(some, label)
		slices.SortStableFunc(measured, func(a, b group) int { return a.CPUs - b.CPUs })
		first := measured[0]
		for _, g := range measured {
			rate := g.values(tps)
			gain := ratio(rate.median(), first.median(tps))
			t.addTexts(label, format.Count(g.CPUs), g.users(), format.Figure(rate.median()), rate.spreadText(), times(gain, 2),
				percent(gain*float64(first.CPUs)/float64(g.CPUs), 0), millis(g.median(p99)))
		}
	}
	b := block{Table: t}
	if series, at := curves(some, func(g group) int { return g.CPUs }, tps); len(series) > 0 {
		b.Charts = []figureView{{"Throughput", chart.Lines{
			Title: "Throughput against cores", X: "cores of the service", Y: "transactions a second",
			Series: series, XTicks: at, FormatX: whole, FormatY: whole,
		}.HTML()}}
	}
	return &section{ID: "scaling", Title: "Scaling by cores", Blocks: []block{b},
		Lead: "The same workload and users, with a limit on the cores that the service may use. The figures for all cores " +
			"are those with the default settings, unless they were measured separately."}
}

// plainOf returns the group that differs from g in nothing but the default settings, or nil when there is none.
func plainOf(groups []group, g group) []group {
	return filter(groups, func(b group) bool { return b.plain() && b.Label == g.Label && b.Users == g.Users })
}

// variantsSection compares other settings with the default ones.
func variantsSection(c *campaign.Record, groups []group) *section {
	t := newTable("Settings", "text:workload", "users", "text:settings", "tps", "num soft:±", "ratio", "p99 ms",
		"text:difference")
	meanings := map[string]string{}
	var based []string // workloads at users whose default settings have their row
	for _, g := range groups {
		if g.Variant == nil || g.Variant.CPUs > 0 {
			continue
		}
		meanings[g.Variant.Name] = g.Variant.Description
		rate := g.values(tps)
		change, difference := "–", "not measured with the default settings"
		if base := plainOf(groups, g); len(base) > 0 {
			b := base[0].values(tps)
			if key := base[0].nameAtUsers(); !slices.Contains(based, key) {
				based = append(based, key)
				t.addTexts(g.Label, g.users(), "default settings", format.Figure(b.median()), b.spreadText(), times(1, 2),
					millis(base[0].median(p99)), "")
			}
			change, difference = times(ratio(rate.median(), b.median()), 2), judge(b, rate).String()
		}
		t.addTexts(g.Label, g.users(), g.Variant.Name, format.Figure(rate.median()), rate.spreadText(), change,
			millis(g.median(p99)), difference)
	}
	lead := []string{"The same workload on the same data, with other settings."}
	for i := range c.Steps {
		if v := c.Steps[i].Variant; v != nil && meanings[v.Name] != "" {
			lead = append(lead, v.Name+": "+strings.TrimSuffix(v.Description, ".")+".")
			delete(meanings, v.Name)
		}
	}
	return &section{ID: "settings", Title: "Default and other settings", Lead: strings.Join(lead, " "),
		Blocks: []block{{Table: t, After: ruleText}}}
}

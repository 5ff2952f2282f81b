package report

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"brokerage/internal/campaign"
	"brokerage/internal/report/chart"
	"brokerage/internal/workload"
)

func wholeText(v float64) string { return countText(int64(math.Round(v))) }

// curves are one figure of each workload against something: a line for each workload that was measured at more than one
// place.
func curves(groups []group, against func(group) int, of func(*workload.Run) float64) (series []chart.Series, at []float64) {
	for _, label := range labels(groups) {
		s := chart.Series{Name: label}
		for _, g := range groups {
			if g.Label != label {
				continue
			}
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
			if !slices.Contains(at, p.X) {
				at = append(at, p.X)
			}
		}
	}
	slices.Sort(at)
	return series, at
}

func users(g group) int { return g.Users }

// usersSection is the figure that the papers draw: throughput and processor against users.
func usersSection(groups []group) *section {
	plain := filter(groups, group.plain)
	if len(plain) == 0 {
		return nil
	}
	s := &section{ID: "users", Title: "Throughput and processor against users",
		Lead: "Throughput is every transaction that was answered as the scenario expects, refusals included; goodput only those that did their work. " +
			"Where a run was repeated, each from restored data, a point is the median and its line the range; ± is half that range."}
	var views []figureView
	draw := func(caption, unit string, most float64, format func(float64) string, of func(*workload.Run) float64) {
		series, at := curves(plain, users, of)
		if len(series) == 0 {
			return
		}
		views = append(views, figureView{caption, chart.Lines{Title: caption, X: "users", Y: unit, Series: series, XTicks: at, Most: most,
			FormatX: wholeText, FormatY: format}.HTML()})
	}
	draw("Throughput", "transactions a second", 0, wholeText, tps)
	draw("Processor, all cores of the computer", "% busy", 100, wholeText, func(r *workload.Run) float64 { return 100 * busy(r) })
	draw("99th percentile of all transactions", "milliseconds", 0, figureOf, func(r *workload.Run) float64 { return p99(r) / 1000 })
	s.Blocks = append(s.Blocks, block{Charts: views, Table: usersTable(plain)},
		block{Title: "The repeats", Note: "Transactions a second in each run, in the order in which they were measured. Those that are INVALID are struck through.", Table: repeatsTable(groups)},
		block{Title: "Made again", Note: "These runs were not steady, and nothing else was wrong with them. Each was made again from restored data; what counts is the other one.", Table: againTable(groups)})
	s.Blocks = slices.DeleteFunc(s.Blocks, func(b block) bool { return b.Table == nil })
	return s
}

// figureOf writes figures at an axis.
func figureOf(v float64) string { return strconv.FormatFloat(v, 'g', 4, 64) }

func usersTable(groups []group) *table {
	t := &table{Label: "Throughput by workload and users", Columns: columns([2]string{"num", "users"}, [2]string{"num", "tps"},
		[2]string{"num soft", "±"}, [2]string{"num", "goodput/s"}, [2]string{"num", "p50 ms"}, [2]string{"num", "p95 ms"}, [2]string{"num", "p99 ms"},
		[2]string{"num", "CPU, all"}, [2]string{"num", "CPU, service"})}
	apart := slices.ContainsFunc(groups, func(g group) bool { return g.middle().Usage.Database != nil })
	if apart {
		t.Columns = append(t.Columns, column{Head: "CPU, database", Class: "num"})
	}
	t.Columns = append(t.Columns, columns([2]string{"num", "CPU, load"}, [2]string{"bar", ""})...)
	top := 0.0
	for _, g := range groups {
		top = max(top, g.values(tps).median())
	}
	for _, label := range labels(groups) {
		of := filter(groups, func(g group) bool { return g.Label == label })
		t.add("group", cell{Text: label, Draw: chart.Swatch(of[0].Slot)})
		for _, g := range of {
			rate := g.values(tps)
			cells := texts(wholeText(float64(g.Users)), figure(rate.median()), rate.spreadText(), figure(g.values(goodput).median()),
				millis(g.values(p50).median()), millis(g.values(p95).median()), millis(g.values(p99).median()),
				percent(g.values(busy).median(), 0), processText(g, service))
			if apart {
				cells = append(cells, cell{Text: processText(g, database)})
			}
			cells = append(cells, cell{Text: processText(g, generator)}, cell{Draw: chart.Bar(g.Slot, 0, rate.median()/top)})
			class := ""
			if g.invalid() {
				class = "invalid"
				cells[0].Aside = "INVALID"
			}
			t.add(class, cells...)
		}
	}
	return t
}

func service(r *workload.Run) *workload.Process   { return r.Usage.Service }
func database(r *workload.Run) *workload.Process  { return r.Usage.Database }
func generator(r *workload.Run) *workload.Process { return &r.Usage.Generator }

// processText is the share of all cores that a process took.
func processText(g group, of func(*workload.Run) *workload.Process) string {
	for _, r := range g.Runs {
		if of(r) == nil {
			return "–"
		}
	}
	return percent(g.values(func(r *workload.Run) float64 { return of(r).CPU }).median(), 0)
}

// repeatsTable has every repeat, for readers who want more than a median.
func repeatsTable(groups []group) *table {
	most := 0
	for _, g := range groups {
		most = max(most, len(g.Runs))
	}
	if most < 2 {
		return nil
	}
	t := &table{Label: "Throughput of each repeat", Columns: columns([2]string{"text", "workload"}, [2]string{"num", "users"})}
	for i := range most {
		t.Columns = append(t.Columns, column{Head: "run " + strconv.Itoa(i+1), Class: "num"})
	}
	t.Columns = append(t.Columns, columns([2]string{"num strong", "median"}, [2]string{"num", "least–greatest"}, [2]string{"num soft", "±"})...)
	for _, g := range groups {
		cells := texts(g.name(), wholeText(float64(g.Users)))
		for i := range most {
			if i < len(g.Runs) {
				class := ""
				if isInvalid(g.Runs[i]) {
					class = "invalid"
				}
				cells = append(cells, cell{Text: figure(g.Runs[i].TPS), Class: class})
			} else {
				cells = append(cells, cell{})
			}
		}
		rate := g.values(tps)
		cells = append(cells, texts(figure(rate.median()), rate.rangeText(figure), rate.spreadText())...)
		t.add("", cells...)
	}
	return t
}

// againTable has the runs that do not count because they were not steady.
func againTable(groups []group) *table {
	t := &table{Label: "Runs that were made again", Columns: columns([2]string{"text", "workload"}, [2]string{"num", "users"}, [2]string{"num", "tps"}, [2]string{"text", "why"})}
	for _, g := range groups {
		for _, r := range g.Again {
			t.add("", cell{Text: g.name()}, cell{Text: wholeText(float64(g.Users))}, cell{Text: figure(r.TPS), Class: "invalid"}, cell{Text: strings.Join(r.Validity.Reasons, "; ")})
		}
	}
	if len(t.Rows) == 0 {
		return nil
	}
	return t
}

// scalingSection is throughput against the cores that the service may use.
func scalingSection(c *campaign.Record, groups []group) *section {
	some := filter(groups, func(g group) bool { return g.CPUs > 0 })
	if len(some) == 0 {
		return nil
	}
	for _, g := range some {
		full := func(h group) bool { return h.Label == g.Label && h.Users == g.Users && h.CPUs == c.Machine.Cores }
		if base := plainOf(groups, g); len(base) > 0 && !slices.ContainsFunc(some, full) {
			base[0].CPUs = c.Machine.Cores
			some = append(some, base[0])
		}
	}
	s := &section{ID: "scaling", Title: "Scaling by cores", Lead: "The same workload and users; the service may use so many cores. All of them is the run out of the box, unless that was measured apart."}
	t := &table{Label: "Throughput by cores", Columns: columns([2]string{"text", "workload"}, [2]string{"num", "cores"}, [2]string{"num", "users"},
		[2]string{"num", "tps"}, [2]string{"num soft", "±"}, [2]string{"num", "of the first"}, [2]string{"num", "a core, of the first"}, [2]string{"num", "p99 ms"})}
	for _, label := range labels(some) {
		of := filter(some, func(g group) bool { return g.Label == label })
		slices.SortStableFunc(of, func(a, b group) int { return a.CPUs - b.CPUs })
		first := of[0].values(tps).median()
		for _, g := range of {
			rate := g.values(tps)
			ratio := rate.median() / max(first, math.SmallestNonzeroFloat64)
			t.add("", texts(label, wholeText(float64(g.CPUs)), wholeText(float64(g.Users)), figure(rate.median()), rate.spreadText(),
				"× "+fixed(ratio, 2), percent(ratio*float64(of[0].CPUs)/float64(g.CPUs), 0), millis(g.values(p99).median()))...)
		}
	}
	b := block{Table: t}
	if series, at := curves(some, func(g group) int { return g.CPUs }, tps); len(series) > 0 {
		b.Charts = []figureView{{"Throughput", chart.Lines{Title: "Throughput against cores", X: "cores of the service", Y: "transactions a second",
			Series: series, XTicks: at, FormatX: wholeText, FormatY: wholeText}.HTML()}}
	}
	s.Blocks = []block{b}
	return s
}

// plainOf is what a group is measured against: the same out of the box, if it was measured.
func plainOf(groups []group, g group) []group {
	return filter(groups, func(b group) bool { return b.plain() && b.Label == g.Label && b.Users == g.Users })
}

// variantsSection sets other settings beside those out of the box.
func variantsSection(c *campaign.Record, groups []group) *section {
	t := &table{Label: "Settings", Columns: columns([2]string{"text", "workload"}, [2]string{"num", "users"}, [2]string{"text", "settings"},
		[2]string{"num", "tps"}, [2]string{"num soft", "±"}, [2]string{"num", "ratio"}, [2]string{"num", "p99 ms"}, [2]string{"text", "difference"})}
	meant := map[string]string{}
	var based []string // what has its row out of the box
	for _, g := range groups {
		if g.Variant == nil || g.Variant.CPUs > 0 {
			continue
		}
		meant[g.Variant.Name] = g.Variant.Description
		base := plainOf(groups, g)
		rate := g.values(tps)
		ratio, says := "–", "not measured out of the box"
		if len(base) > 0 {
			b := base[0].values(tps)
			if key := g.Label + wholeText(float64(g.Users)); !slices.Contains(based, key) {
				based = append(based, key)
				t.add("", texts(g.Label, wholeText(float64(g.Users)), "out of the box", figure(b.median()), b.spreadText(), "× 1.00",
					millis(base[0].values(p99).median()), "")...)
			}
			ratio, says = "× "+fixed(rate.median()/max(b.median(), math.SmallestNonzeroFloat64), 2), judge(b, rate).String()
		}
		t.add("", texts(g.Label, wholeText(float64(g.Users)), g.Variant.Name, figure(rate.median()), rate.spreadText(), ratio,
			millis(g.values(p99).median()), says)...)
	}
	if len(t.Rows) == 0 {
		return nil
	}
	lead := []string{"The same workload on the same data, with other settings."}
	for i := range c.Steps {
		if v := c.Steps[i].Variant; v != nil && meant[v.Name] != "" {
			lead = append(lead, v.Name+": "+strings.TrimSuffix(v.Description, ".")+".")
			delete(meant, v.Name)
		}
	}
	return &section{ID: "settings", Title: "Out of the box and otherwise", Lead: strings.Join(lead, " "), Blocks: []block{{Table: t, After: ruleText}}}
}

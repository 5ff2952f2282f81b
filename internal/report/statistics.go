package report

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"brokerage/internal/brokerage"
	"brokerage/internal/report/chart"
	"brokerage/internal/workload"
)

// of says which run a table shows.
func (g group) of() string {
	who := g.name() + " at " + plural(g.Users, "user")
	if len(g.Runs) > 1 {
		who += ", of " + plural(len(g.Runs), "run") + " the one with the median throughput"
	}
	return who
}

// latencySection draws the percentiles of each transaction.
func latencySection(groups []group) *section {
	s := &section{ID: "latency", Title: "Latency by transaction",
		Lead: "Dots are the 50th, 90th, 95th and 99th percentile, from hollow to filled, on a logarithmic scale. " +
			"Of repeats the median of each percentile is shown; ± is half the range of the 99th."}
	for _, g := range groups {
		if len(g.middle().Transactions) > 0 {
			s.Blocks = append(s.Blocks, block{Title: g.name() + " at " + plural(g.Users, "user"), Table: latencyTable(g)})
		}
	}
	if len(s.Blocks) == 0 {
		return nil
	}
	return s
}

func latencyTable(g group) *table {
	t := &table{Label: "Percentiles by transaction", Class: "latency", Columns: columns([2]string{"text", "transaction"}, [2]string{"dots", ""},
		[2]string{"num", "p50 ms"}, [2]string{"num", "p90"}, [2]string{"num", "p95"}, [2]string{"num strong", "p99"}, [2]string{"num soft", "±"}, [2]string{"num", "max"})}
	type line struct {
		name          string
		p50, p90, p95 float64
		p99           sample
		most          float64
		measured      bool
	}
	collect := func(name string, find func(*workload.Run) *workload.Row) line {
		var samples [4]sample
		l := line{name: name}
		for _, r := range g.Runs {
			row := find(r)
			if row == nil || row.Count == 0 {
				continue
			}
			for i, v := range []float64{row.Latency.P50, row.Latency.P90, row.Latency.P95, row.Latency.P99} {
				samples[i] = append(samples[i], v)
			}
			l.most = max(l.most, row.Latency.Max)
			l.measured = true
		}
		l.p50, l.p90, l.p95, l.p99 = samples[0].median(), samples[1].median(), samples[2].median(), samples[3]
		return l
	}
	var lines []line
	for _, row := range g.middle().Transactions {
		lines = append(lines, collect(row.Name, func(r *workload.Run) *workload.Row { return rowOf(r.Transactions, row.Name) }))
	}
	if len(lines) > 1 {
		lines = append(lines, collect("all", func(r *workload.Run) *workload.Row { return &r.Total }))
	}
	var values []float64
	for _, l := range lines {
		values = append(values, l.p50, l.p99.median())
	}
	scale := chart.LogScale(values...)
	t.add("axis", cell{}, cell{Draw: scale.Axis(func(v float64) string { return figureOf(v/1000) + " ms" })}, cell{}, cell{}, cell{}, cell{}, cell{}, cell{})
	for _, l := range lines {
		if !l.measured {
			continue
		}
		class := ""
		if l.name == "all" {
			class = "total"
		}
		t.add(class, cell{Text: l.name, Aside: code(l.name)}, cell{Draw: scale.Dots(l.p50, l.p90, l.p95, l.p99.median())}, cell{Text: millis(l.p50)},
			cell{Text: millis(l.p90)}, cell{Text: millis(l.p95)}, cell{Text: millis(l.p99.median())}, cell{Text: l.p99.spreadText()}, cell{Text: millis(l.most)})
	}
	return t
}

func rowOf(rows []workload.Row, name string) *workload.Row {
	for i := range rows {
		if rows[i].Name == name {
			return &rows[i]
		}
	}
	return nil
}

// code is the number of a transaction in the TPoX papers.
func code(name string) string {
	for _, t := range brokerage.Transactions {
		if t.Name == name {
			return t.Code
		}
	}
	return ""
}

// statisticsSection has the table of the scenario: by transaction, by kind, and in total.
func statisticsSection(groups []group) *section {
	s := &section{ID: "statistics", Title: "Statistics", Lead: "Times are in milliseconds, the total in seconds; a percentile is the highest value of its class in the histogram."}
	for _, g := range groups {
		s.Blocks = append(s.Blocks, block{Title: g.of(), Note: runNote(g.middle()), Table: statisticsTable(g.middle())})
	}
	if len(s.Blocks) == 0 {
		return nil
	}
	return s
}

func runNote(r *workload.Run) string {
	state := ""
	if isInvalid(r) {
		state = " This run is INVALID."
	}
	return fmt.Sprintf("%s transactions in %s: %s a second, %s a minute; goodput %s a second.%s", countText(r.Total.Count),
		secondsText(r.Measured), figure(r.TPS), figure(r.TPM), figure(r.Goodput), state)
}

func statisticsTable(r *workload.Run) *table {
	t := &table{Label: "Statistics by transaction and kind", Class: "statistics", Columns: columns([2]string{"text", "transaction"}, [2]string{"num", "count"},
		[2]string{"num", "share"}, [2]string{"num", "total s"}, [2]string{"num", "min"}, [2]string{"num", "max"}, [2]string{"num", "avg"}, [2]string{"num", "p50"},
		[2]string{"num", "p90"}, [2]string{"num", "p95"}, [2]string{"num", "p99"})}
	line := func(class string, row workload.Row, name string) {
		l := row.Latency
		cells := texts(name, countText(row.Count), percent(row.Share, 2), figure(l.Total/1e6))
		for _, v := range []float64{l.Min, l.Max, l.Mean, l.P50, l.P90, l.P95, l.P99} {
			cells = append(cells, cell{Text: millis(v)})
		}
		cells[0].Aside = code(name)
		t.add(class, cells...)
	}
	for _, row := range r.Transactions {
		line("", row, row.Name)
	}
	for i, row := range r.Kinds {
		class := "kind"
		if i == 0 {
			class = "kind first"
		}
		line(class, row, kindName(row.Name))
	}
	line("total", r.Total, "total")
	return t
}

// kindName is the plural of a kind of transaction.
func kindName(kind string) string {
	if stem, ok := strings.CutSuffix(kind, "y"); ok {
		return stem + "ies"
	}
	if strings.HasSuffix(kind, "s") {
		return kind
	}
	return kind + "s"
}

// mixSection sets the mix that was drawn beside the one that was asked for.
func mixSection(groups []group) *section {
	s := &section{ID: "mix", Title: "The mix, asked for and reached",
		Lead: "Drawn is how often a transaction was chosen, also where there was nothing of one's own to work on and another was drawn instead. " +
			"The last column says by how many standard deviations of pure chance (σ) it is off: beyond 4 the draw is not to be trusted."}
	for _, g := range groups {
		if len(g.middle().Transactions) > 1 {
			s.Blocks = append(s.Blocks, block{Title: g.of(), Table: mixTable(g.middle())})
		}
	}
	if len(s.Blocks) == 0 {
		return nil
	}
	return s
}

func mixTable(r *workload.Run) *table {
	t := &table{Label: "Mix asked for and reached", Columns: columns([2]string{"text", "transaction"}, [2]string{"num", "asked"}, [2]string{"num", "answered"},
		[2]string{"num", "drawn"}, [2]string{"num", "drawn, count"}, [2]string{"num", "nothing to work on"}, [2]string{"num", "points off"}, [2]string{"num", "σ off"})}
	draws, weights := 0.0, 0.0
	for _, row := range r.Transactions {
		draws += float64(row.Count + row.Waiting + row.Empty)
		weights += row.Weight
	}
	if draws == 0 || weights == 0 {
		return t
	}
	for _, row := range r.Transactions {
		asked := row.Weight / weights
		drawn := float64(row.Count + row.Waiting + row.Empty)
		chance, class := "–", ""
		if deviation := math.Sqrt(draws * asked * (1 - asked)); deviation > 0 {
			off := (drawn - draws*asked) / deviation
			chance = fixed(off, 1)
			if math.Abs(off) > 4 {
				class = "invalid"
			}
		}
		cells := texts(row.Name, percent(asked, 1), percent(row.Share, 2), percent(drawn/draws, 2), countText(row.Count+row.Waiting+row.Empty), countText(row.Empty),
			fixed(100*(drawn/draws-asked), 2), chance)
		cells[0].Aside = code(row.Name)
		t.add(class, cells...)
	}
	return t
}

// refusalsSection keeps what did its work apart from what was answered.
func refusalsSection(groups []group) *section {
	totals := &table{Label: "Goodput and refusals", Columns: columns([2]string{"text", "workload"}, [2]string{"num", "users"}, [2]string{"num", "tps"},
		[2]string{"num strong", "goodput/s"}, [2]string{"num", "goodput"}, [2]string{"num", "expected refusals"}, [2]string{"num", "unexpected"}, [2]string{"num", "of all"})}
	reasons := &table{Label: "Refusals by reason", Columns: columns([2]string{"text", "workload"}, [2]string{"text", "transaction"}, [2]string{"text", "reason"},
		[2]string{"num", "count"}, [2]string{"num", "of the transaction"}, [2]string{"text", ""})}
	became := &table{Label: "What became of every transaction", Columns: columns([2]string{"text", "workload"}, [2]string{"num", "users"},
		[2]string{"text", "transaction"}, [2]string{"num", "due"}, [2]string{"num", "done"}, [2]string{"num", "refused"}, [2]string{"num", "unanswered"},
		[2]string{"num", "dropped"}, [2]string{"num", "still waiting"}, [2]string{"num", "answered late"})}
	for _, g := range groups {
		r := g.middle()
		for _, row := range append(slices.Clone(r.Transactions), r.Total) {
			// Results of before this was counted have no sums, and those of a transaction matter where not all of it was
			// answered.
			if row.Due > 0 && (row.Name == r.Total.Name || row.Unanswered+row.Waiting > 0) {
				became.add("", texts(g.name(), wholeText(float64(g.Users)), row.Name, countText(row.Due), countText(row.Good), countText(row.Refused()),
					countText(row.Unanswered), countText(row.Dropped), countText(row.Waiting), countText(row.Late))...)
			}
		}
		expected, unexpected := int64(0), int64(0)
		for _, row := range r.Transactions {
			expected += sum(row.Expected)
			unexpected += sum(row.Unexpected)
			addReasons(reasons, g, row, row.Expected, "expected")
			addReasons(reasons, g, row, row.Unexpected, "unexpected")
		}
		count := math.Max(float64(r.Total.Count), 1)
		totals.add("", texts(g.name(), wholeText(float64(g.Users)), figure(r.TPS), figure(r.Goodput), percent(r.Goodput/math.Max(r.TPS, 1e-9), 2),
			countText(expected), countText(unexpected), percent(float64(unexpected)/count, 3))...)
	}
	if len(totals.Rows) == 0 {
		return nil
	}
	s := &section{ID: "goodput", Title: "Goodput and refusals",
		Lead:   "Goodput counts the transactions that did their work. A refusal that a workload has to expect (selling more than is held, say) is throughput and no goodput; one that it has not to is a fault, and more than 0.5 % of them make a run invalid.",
		Blocks: []block{{Table: totals}}}
	if len(became.Rows) > 0 {
		s.Blocks = append(s.Blocks, block{Title: "What became of them", Table: became,
			Note: "Due is done, refused, unanswered, dropped and still waiting. Unanswered: the service did not answer within the request’s own timeout, or at all. Still waiting: not answered when the measured time was over; some were answered late."})
	}
	if len(reasons.Rows) > 0 {
		s.Blocks = append(s.Blocks, block{Title: "By reason", Table: reasons})
	}
	return s
}

func addReasons(t *table, g group, row workload.Row, counts map[string]int64, kind string) {
	names := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		if counts[a] != counts[b] {
			return int(counts[b] - counts[a])
		}
		return strings.Compare(a, b)
	})
	class := ""
	if kind == "unexpected" {
		class = "invalid"
	}
	for _, reason := range names {
		t.add(class, texts(g.name(), row.Name, reason, countText(counts[reason]), percent(float64(counts[reason])/math.Max(float64(row.Count), 1), 2), kind)...)
	}
}

func sum(counts map[string]int64) int64 {
	all := int64(0)
	for _, n := range counts {
		all += n
	}
	return all
}

package report

import (
	"html/template"
	"slices"

	"brokerage/internal/format"
	"brokerage/internal/probe"
	"brokerage/internal/report/chart"
	"brokerage/internal/result"
)

// resourcesSection shows what each process used, what a transaction cost, the hit ratios of caches, and the resources
// of one of the runs over time.
func resourcesSection(groups []group) section {
	s := section{ID: "resources", Blocks: []block{
		{Title: "By process", Table: processTable(groups)},
		{Title: "The whole computer", Table: hostTable(groups)},
		{Title: "Hit ratios", Table: hitTable(groups)},
	}}
	sampled := filter(groups, func(g group) bool { return g.Run.Resources != nil })
	if len(sampled) == 0 {
		return s
	}
	g := slices.MaxFunc(sampled, func(a, b group) int { return len(a.Run.Transactions) - len(b.Run.Transactions) })
	var missing []string
	for _, g := range sampled {
		missing = append(missing, g.Run.Resources.Missing...)
	}
	slices.Sort(missing)
	unread := newTable("text:not read, and why")
	for _, text := range slices.Compact(missing) {
		unread.add("", text)
	}
	s.Blocks = append(s.Blocks, block{Title: "Over time: " + g.name(), Charts: timeCharts(g.Run)}, block{Table: unread})
	return s
}

// processTable shows the processor time and the memory of each process.
func processTable(groups []group) *table {
	t := newTable("text:workload", "text:process", "CPU", "cores used", "CPU ms a transaction", "peak memory")
	for _, g := range groups {
		name := g.name()
		for _, p := range g.Run.Usage.Processes() {
			memory := "–"
			if p.MemoryPeak > 0 {
				memory = format.Bytes(p.MemoryPeak)
			}
			each := any("–")
			if n := g.Run.Total.Count; n > 0 {
				each = 1000 * p.CPUSeconds / float64(n)
			}
			t.add("", name, p.Name, percent(p.CPU, 1), ratio(p.CPUSeconds, g.Run.Measured), each, memory)
			name = ""
		}
	}
	return t
}

// hostTable shows what the whole computer used, the load generator included, and its disk I/O per transaction.
func hostTable(groups []group) *table {
	t := newTable("text:workload", "busy", "num strong:by others", "waiting for the disk", "I/Os a transaction",
		"read a transaction", "written a transaction")
	for _, g := range groups {
		h := g.Run.Usage.Host
		if h == nil {
			continue
		}
		others := "–"
		if o := g.Run.Usage.Others; o != nil {
			others = percent(*o, 0)
		}
		counted := g.Run.Resources.Counted(result.OfHost)
		each := func(write func(float64) string, figures ...string) string {
			sum := 0.0
			for _, figure := range figures {
				used, known := counted[figure]
				if !known || g.Run.Total.Count == 0 {
					return "–"
				}
				sum += used
			}
			return write(ratio(sum, float64(g.Run.Total.Count)))
		}
		t.add("", g.name(), percent(h.CPU, 0), others, percent(h.IOWait, 0), each(format.Figure, probe.Reads, probe.Writes),
			each(format.Bytes[float64], probe.ReadBytes), each(format.Bytes[float64], probe.WriteBytes))
	}
	return t
}

// hitTable shows the hit ratio of each table or pool of the database, which the papers give by number of users, and of
// the store's own caches.
func hitTable(groups []group) *table {
	t := newTable("text:workload", "text:table, pool or cache", "hits", "misses", "num strong:hit ratio")
	for _, g := range groups {
		r := g.Run.Resources
		if r == nil {
			continue
		}
		add := func(name string, hits, misses float64) {
			if hits+misses > 0 {
				t.add("", g.name(), name, whole(hits), whole(misses), percent(hits/(hits+misses), 2))
			}
		}
		counted := r.Counted(result.OfStore)
		for _, name := range []string{"cache", "page", "writer_page"} {
			if name != "cache" && len(r.Pools) > 0 { // the pools contain the pages
				continue
			}
			metric := "brokerage_store_" + name
			add("the store: "+name, counted[metric+"_hits_total"], counted[metric+"_misses_total"])
		}
		for _, p := range r.Pools {
			add(p.Name, float64(p.Hits), float64(p.Misses))
		}
	}
	return t
}

// timeCharts draws what was sampled of a run over time.
func timeCharts(r *result.Run) (charts template.HTML) {
	line := func(name, of string, scale float64, figures ...string) chart.Series {
		return chart.Series{Name: name, Points: sampled(r.Resources, of, scale, figures...)}
	}
	draw := func(title, unit string, lines ...chart.Series) {
		for i := range lines {
			lines[i].Slot = i
		}
		charts += chart.Chart{Title: title, X: "seconds since measuring began", Y: unit, Series: lines}.HTML()
	}
	share := 100 / float64(max(r.Machine.Cores, 1))
	busy := func(name, of string) chart.Series {
		return line(name, of, share, probe.UserSeconds, probe.SystemSeconds)
	}
	draw("Processor", "% of all cores", busy("whole computer", result.OfHost), busy("load generator", result.OfGenerator),
		busy("service", result.OfService), busy("database", result.OfDatabase),
		line("waiting for I/O", result.OfHost, share, probe.IOWaitSeconds),
		line("taken by the hypervisor", result.OfHost, share, probe.StealSeconds))
	draw("Disk operations of the computer", "operations a second", line("reads", result.OfHost, 1, probe.Reads),
		line("writes", result.OfHost, 1, probe.Writes))
	draw("Bytes of the disks", "MB a second", line("read", result.OfHost, 1e-6, probe.ReadBytes),
		line("written", result.OfHost, 1e-6, probe.WriteBytes))
	draw("Connections of the database", "connections in use",
		line("", result.OfStore, 1, "brokerage_store_connections_in_use"))
	return charts
}

// sampled returns, for each sample but the first, the sum of the figures that could be read, times a scale. A counter
// contributes its rate since the sample before, a state its value.
func sampled(r *result.Resources, of string, scale float64, figures ...string) (points []chart.Point) {
	for _, figure := range figures {
		s := r.Find(of, figure)
		if s == nil {
			continue
		}
		if points == nil {
			points = make([]chart.Point, len(r.Seconds)-1)
		}
		for i := range points {
			value, now, before := s.Values[i+1], r.Seconds[i+1], r.Seconds[i]
			if s.Counts {
				value = ratio(value-s.Values[i], now-before)
			}
			points[i].X = now
			points[i].Y += scale * value
		}
	}
	return points
}

package report

import (
	"slices"
	"strings"

	"brokerage/internal/format"
	"brokerage/internal/probe"
	"brokerage/internal/report/chart"
	"brokerage/internal/result"
)

// resourcesSection shows what each process used, what a transaction cost, the hit ratios of caches, and the resources
// of one of the runs over time.
func resourcesSection(groups []group) section {
	s := section{ID: "resources",
		Blocks: []block{
			{Title: "By process", Table: processTable(groups)},
			{Title: "The whole computer", Table: hostTable(groups)},
			{Title: "Hit ratios", Table: hitTable(groups)},
		}}
	sampled := filter(groups, func(g group) bool { return g.Run.Resources != nil })
	if len(sampled) == 0 {
		return s
	}
	g := slices.MaxFunc(sampled, func(a, b group) int { return len(a.Run.Transactions) - len(b.Run.Transactions) })
	if charts := timeCharts(g.Run); len(charts) > 0 {
		s.Blocks = append(s.Blocks, block{Title: "Over time: " + g.nameAtUsers(), Charts: charts})
	}
	missing := newTable("What could not be read", "text:workload", "text:not read")
	var said []string
	for _, g := range sampled {
		for _, text := range g.Run.Resources.Missing {
			if !slices.Contains(said, text) {
				said = append(said, text)
				missing.add("", g.name(), text)
			}
		}
	}
	s.Blocks = append(s.Blocks, block{Title: "Not read", Table: missing,
		Note: "Each reason once, with the first workload that it concerns."})
	return s
}

// processTable shows the processor time and the memory of each process.
func processTable(groups []group) *table {
	t := newTable("Processor and memory by process",
		"text:workload", "users", "text:process", "CPU", "cores", "CPU ms a transaction", "memory after", "peak")
	bytesOrDash := func(n int64) any {
		if n == 0 {
			return "–"
		}
		return size(n)
	}
	for _, g := range groups {
		r := g.Run
		which := []string{g.name(), format.Count(g.Users)}
		for _, p := range r.Usage.Processes() {
			t.add("", which, p.Name, percent(p.CPU, 1), ratio(p.CPUSeconds, r.Measured),
				ratio(1000*p.CPUSeconds, float64(r.Total.Count)), bytesOrDash(p.MemoryAfter), bytesOrDash(p.MemoryPeak))
			which = []string{"", ""}
		}
	}
	return t
}

// hostTable shows what the whole computer used, and what of its disks a transaction took, the load generator included.
func hostTable(groups []group) *table {
	t := newTable("The whole computer", "text:workload", "users", "busy", "num strong:by others", "waiting for the disk",
		"I/Os a transaction", "read a transaction", "written a transaction")
	for _, g := range groups {
		h := g.Run.Usage.Host
		if h == nil {
			continue
		}
		others := "–"
		if o := g.Run.Usage.Others; o != nil {
			others = percent(*o, 0)
		}
		t.add("", g.name(), g.Users, percent(h.CPU, 0), others, percent(h.IOWait, 0),
			each(g.Run, format.Figure, probe.Reads, probe.Writes), each(g.Run, format.Bytes[float64], probe.ReadBytes),
			each(g.Run, format.Bytes[float64], probe.WriteBytes))
	}
	return t
}

// each writes the sum of figures of the computer for each transaction, or a dash if one of them is not known.
func each(r *result.Run, write func(float64) string, figures ...string) string {
	sum, counted := 0.0, r.Resources.Counted(result.OfHost)
	for _, figure := range figures {
		used, ok := counted[figure]
		if !ok || r.Total.Count == 0 {
			return "–"
		}
		sum += used
	}
	return write(sum / float64(r.Total.Count))
}

// hitTable shows the hit ratio of each table or pool of the database, which the papers give by number of users, and of
// the caches among the metrics of the store.
func hitTable(groups []group) *table {
	t := newTable("Hit ratios", "text:workload", "users", "text:table, pool or cache", "hits", "misses",
		"num strong:hit ratio")
	for _, g := range groups {
		r := g.Run.Resources
		if r == nil {
			continue
		}
		add := func(name string, hits, misses float64) {
			if hits+misses > 0 {
				t.add("", g.name(), g.Users, name, whole(hits), whole(misses), percent(hits/(hits+misses), 2))
			}
		}
		counted := r.Counted(result.OfStore)
		for _, s := range r.Series {
			cache, _, isHits := strings.Cut(s.Figure, "_hits")
			misses, ok := counted[strings.Replace(s.Figure, "_hits", "_misses", 1)]
			paged := len(r.Pools) > 0 && strings.HasSuffix(cache, "page") // which the pools have, too
			if s.Of == result.OfStore && isHits && ok && !paged {
				add(cache, counted[s.Figure], misses)
			}
		}
		for _, p := range r.Pools {
			add(p.Name, float64(p.Hits), float64(p.Misses))
		}
	}
	return t
}

// timeCharts draws what was sampled of a run over time.
func timeCharts(r *result.Run) (views []figureView) {
	draw := func(caption, unit string, lines ...sampledLine) {
		c := chart.Lines{Title: caption, X: "seconds since measuring began", Y: unit, FormatX: whole, FormatY: axisText}
		for i, line := range lines {
			c.Series = append(c.Series, chart.Series{Name: line.name, Slot: i, Points: line.points(r.Resources)})
		}
		views = append(views, figure(caption, c)...)
	}
	of := func(name, of string, scale float64, figures ...string) sampledLine {
		return sampledLine{name, of, scale, figures}
	}
	share := 100 / float64(max(r.Machine.Cores, 1))
	processor := []string{probe.UserSeconds, probe.SystemSeconds}
	draw("Processor", "% of all cores", of("whole computer", result.OfHost, share, processor...),
		of("load generator", result.OfGenerator, share, processor...), of("service", result.OfService, share, processor...),
		of("database", result.OfDatabase, share, processor...),
		of("waiting for I/O", result.OfHost, share, probe.IOWaitSeconds),
		of("taken by the hypervisor", result.OfHost, share, probe.StealSeconds))
	draw("Disk operations of the computer", "operations a second", of("reads", result.OfHost, 1, probe.Reads),
		of("writes", result.OfHost, 1, probe.Writes))
	draw("Bytes of the disks", "MB a second", of("read", result.OfHost, 1e-6, probe.ReadBytes),
		of("written", result.OfHost, 1e-6, probe.WriteBytes))
	draw("Connections of the database", "connections",
		of("in use", result.OfStore, 1, "brokerage_store_connections_in_use"))
	return views
}

// sampledLine is a line of a chart over time: the sum of those of its figures that were read, each times a scale.
type sampledLine struct {
	name, of string
	scale    float64
	figures  []string
}

// points returns the rate of a counter between two samples at the later one, and of a state the samples.
func (l sampledLine) points(r *result.Resources) (points []chart.Point) {
	for _, figure := range l.figures {
		s := r.Find(l.of, figure)
		if s == nil {
			continue
		}
		if points == nil {
			points = make([]chart.Point, len(r.Seconds)-1)
		}
		for i := range points {
			now, before := i+1, i
			value := s.Values[now]
			if s.Counts {
				value = ratio(value-s.Values[before], r.Seconds[now]-r.Seconds[before])
			}
			points[i].X = r.Seconds[now]
			points[i].Y += l.scale * value
		}
	}
	return points
}

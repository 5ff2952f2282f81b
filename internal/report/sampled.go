package report

import (
	"cmp"
	"maps"
	"slices"

	"brokerage/internal/format"
	"brokerage/internal/probe"
	"brokerage/internal/report/chart"
	"brokerage/internal/result"
	"brokerage/internal/store"
)

// sampledSection shows the resources that were sampled during the runs: what each process used, what a transaction
// cost, and the same over time for one of the runs.
func sampledSection(groups []group) section {
	groups = filter(groups, func(g group) bool { return g.Run.Resources != nil })
	s := section{ID: "sampled", Title: "Resources over time",
		Lead: "Sampled over the measured time. What could not be read is left out, and is not 0.",
		Blocks: []block{
			{Title: "A transaction costs", Table: costTable(groups), Note: "Of the whole computer, the load generator " +
				"included: operations and bytes of its disks, and time of its processors."},
			{Title: "By process", Table: processTable(groups), Note: "Processor time is in cores: 1 is one core all the " +
				"time. Calls are those of the system, on files and connections; bytes are those of disks."},
			{Title: "Hit ratios of the database's cache", Table: poolTable(groups)},
		}}
	if len(groups) > 0 {
		g := slices.MaxFunc(groups, func(a, b group) int {
			return len(a.Run.Transactions) - len(b.Run.Transactions)
		})
		if charts := timeCharts(g.Run); len(charts) > 0 {
			s.Blocks = append(s.Blocks, block{Title: "Over time: " + g.nameAtUsers(), Charts: charts})
		}
	}
	missing := newTable("What could not be read", "text:workload", "text:not read")
	var said []string
	for _, g := range groups {
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

// perTransaction returns the sum of figures of the computer for each transaction, if all of them are known.
func perTransaction(r *result.Run, figures ...string) (sum float64, known bool) {
	for _, figure := range figures {
		used, ok := r.Resources.Used(result.OfHost, figure)
		if !ok || r.Total.Count == 0 {
			return 0, false
		}
		sum += used
	}
	return sum / float64(r.Total.Count), true
}

// each writes the same sum, or a dash if it is not known.
func each(r *result.Run, write func(float64) string, figures ...string) string {
	v, known := perTransaction(r, figures...)
	if !known {
		return "–"
	}
	return write(v)
}

// operations returns the disk operations of the computer for each transaction.
func operations(r *result.Run) (sum float64, known bool) {
	return perTransaction(r, probe.Reads, probe.Writes)
}

// costTable shows what a transaction costs the computer.
func costTable(groups []group) *table {
	t := newTable("What a transaction costs", "text:workload", "users", "tps", "reads", "writes", "num strong:I/Os",
		"bytes read", "bytes written", "CPU ms")
	for _, g := range groups {
		r := g.Run
		t.add("", g.name(), g.Users, r.TPS, each(r, format.Figure, probe.Reads), each(r, format.Figure, probe.Writes),
			each(r, format.Figure, probe.Reads, probe.Writes), each(r, format.Bytes[float64], probe.ReadBytes),
			each(r, format.Bytes[float64], probe.WriteBytes),
			each(r, func(seconds float64) string { return millis(1e6 * seconds) }, probe.UserSeconds, probe.SystemSeconds))
	}
	return t
}

// processNames are the processes of a run, with their names in tables.
func processNames(r *result.Run) [][2]string {
	generator := "load generator"
	if r.Usage.Shared {
		generator = "load generator and store"
	}
	return [][2]string{{result.OfHost, "whole computer"}, {result.OfGenerator, generator},
		{result.OfService, "service"}, {result.OfDatabase, "database"}}
}

// processTable shows what each process used.
func processTable(groups []group) *table {
	t := newTable("Resources by process", "text:workload", "users", "text:process", "user", "system", "waiting for I/O",
		"read calls/s", "write calls/s", "bytes read/s", "bytes written/s")
	for _, g := range groups {
		r := g.Run.Resources
		length := r.Seconds[len(r.Seconds)-1]
		which := []string{g.name(), format.Count(g.Users)}
		for _, process := range processNames(g.Run) {
			if r.Find(process[0], probe.UserSeconds) == nil {
				continue
			}
			rate := func(figure string, write func(float64) string) string {
				used, ok := r.Used(process[0], figure)
				if !ok {
					return "–"
				}
				return write(ratio(used, length))
			}
			t.add("", which, process[1], rate(probe.UserSeconds, format.Figure), rate(probe.SystemSeconds, format.Figure),
				rate(probe.IOWaitSeconds, format.Figure), rate(probe.ReadCalls, whole), rate(probe.WriteCalls, whole),
				rate(probe.ReadBytes, format.Bytes[float64]), rate(probe.WriteBytes, format.Bytes[float64]))
			which = []string{"", ""}
		}
	}
	return t
}

// poolTable shows the hit ratio of each table or pool, which the papers give by number of users.
func poolTable(groups []group) *table {
	t := newTable("Hit ratios by table or pool", "text:workload", "users", "text:table or pool", "hits", "misses",
		"num strong:hit ratio")
	for _, g := range groups {
		for _, p := range g.Run.Resources.Pools {
			if p.Hits+p.Misses == 0 {
				continue
			}
			t.add("", g.name(), g.Users, p.Name, p.Hits, p.Misses, percent(hitRatio(p), 2))
		}
	}
	return t
}

func hitRatio(p store.PoolStats) float64 { return ratio(float64(p.Hits), float64(p.Hits+p.Misses)) }

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
	draw("Processor of the computer", "% of all cores", of("user", result.OfHost, share, probe.UserSeconds),
		of("system", result.OfHost, share, probe.SystemSeconds),
		of("waiting for I/O", result.OfHost, share, probe.IOWaitSeconds),
		of("taken by the hypervisor", result.OfHost, share, probe.StealSeconds))
	var processes []sampledLine
	for _, p := range processNames(r)[1:] {
		processes = append(processes, of(p[1], p[0], share, probe.UserSeconds, probe.SystemSeconds))
	}
	draw("Processor by process", "% of all cores", processes...)
	draw("Disk operations of the computer", "operations a second", of("reads", result.OfHost, 1, probe.Reads),
		of("writes", result.OfHost, 1, probe.Writes))
	draw("Bytes of the disks", "MB a second", of("read", result.OfHost, 1e-6, probe.ReadBytes),
		of("written", result.OfHost, 1e-6, probe.WriteBytes),
		of("written by the service", result.OfService, 1e-6, probe.WriteBytes),
		of("written by the database", result.OfDatabase, 1e-6, probe.WriteBytes))
	draw("Connections of the database", "connections",
		of("in use", result.OfStore, 1, "brokerage_store_connections_in_use"),
		of("active in the server", result.OfServer, 1, "pg_active", "db2_active"),
		of("for the log", result.OfServer, 1, "pg_waiting_log"),
		of("for I/O", result.OfServer, 1, "pg_waiting_io"),
		of("for a lock", result.OfServer, 1, "pg_waiting_lock", "db2_waiting_lock"),
		of("for a latch", result.OfServer, 1, "pg_waiting_lwlock"))
	draw("Waits for a connection", "waits a second",
		of("waits", result.OfStore, 1, "brokerage_store_connection_waits_total"))
	draw("Log of the database", "MB a second", of("log", result.OfServer, 1e-6, "pg_wal_bytes_total"))
	draw("Pages of the database from outside its cache", "pages a second",
		of("read", result.OfStore, 1, "brokerage_store_page_misses_total"),
		of("written", result.OfStore, 1, "brokerage_store_page_writes_total"))
	return append(views, hitChart(r.Resources)...)
}

// hitChart draws the hit ratios of the store's caches between each two samples.
func hitChart(r *result.Resources) []figureView {
	const caption = "Hit ratio"
	c := chart.Lines{Title: caption, X: "seconds since measuring began", Y: "% of lookups", Most: 100, FormatX: whole,
		FormatY: whole}
	for i, cache := range [][2]string{{"pages", "page"}, {"snapshots", "cache"}} {
		metric := func(what string) []chart.Point {
			return sampledLine{"", result.OfStore, 1, []string{"brokerage_store_" + cache[1] + what + "_total"}}.points(r)
		}
		hits, misses := metric("_hits"), metric("_misses")
		line := chart.Series{Name: cache[0], Slot: i}
		for n := range min(len(hits), len(misses)) {
			if lookups := hits[n].Y + misses[n].Y; lookups > 0 {
				line.Points = append(line.Points, chart.Point{X: hits[n].X, Y: 100 * hits[n].Y / lookups})
			}
		}
		c.Series = append(c.Series, line)
	}
	return figure(caption, c)
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

// costsSection shows what the papers show against users: I/O of a transaction, and hit ratios.
func costsSection(groups []group) section {
	plain := filter(groups, func(g group) bool { return g.plain() && g.Run.Resources != nil })
	var views []figureView
	draw := func(caption, unit string, of func(*result.Run) (float64, bool)) {
		known := filter(plain, func(g group) bool {
			_, ok := of(g.Run)
			return ok
		})
		lines := chart.Lines{Title: caption, X: "users", Y: unit, FormatY: axisText}
		views = append(views, curves(caption, lines, known, func(g group) int { return g.Users },
			func(r *result.Run) float64 { v, _ := of(r); return v })...)
	}
	draw("Disk operations of a transaction", "operations a transaction", operations)
	draw("Bytes written for a transaction", "kB a transaction", func(r *result.Run) (float64, bool) {
		written, ok := r.Resources.Used(result.OfHost, probe.WriteBytes)
		return ratio(written/1000, float64(r.Total.Count)), ok
	})
	draw("Time in which processors waited for I/O", "% of all cores", func(r *result.Run) (float64, bool) {
		if r.Usage.Host == nil {
			return 0, false
		}
		return 100 * r.Usage.Host.IOWait, true
	})
	for label, measured := range byLabel(plain) {
		views = append(views, poolCurves(label, measured)...)
	}
	if len(views) == 0 {
		return section{}
	}
	return section{ID: "costs", Title: "I/O against users",
		Lead:   "Of the whole computer, the load generator included.",
		Blocks: []block{{Charts: views}}}
}

// poolCurves draws the hit ratios of one workload against users, of the pools that most pages were looked for in.
func poolCurves(label string, groups []group) []figureView {
	const most = 6 // lines that can be told apart
	if len(groups) < 2 {
		return nil
	}
	asked := make(map[string]int64)
	for _, g := range groups {
		for _, p := range g.Run.Resources.Pools {
			asked[p.Name] += p.Hits + p.Misses
		}
	}
	maps.DeleteFunc(asked, func(_ string, n int64) bool { return n == 0 })
	names := slices.SortedFunc(maps.Keys(asked), func(a, b string) int {
		return cmp.Or(cmp.Compare(asked[b], asked[a]), cmp.Compare(a, b))
	})
	caption := "Hit ratios of the database's cache: " + label
	lines := chart.Lines{Title: caption, X: "users", Y: "% of pages", Most: 100, FormatX: whole, FormatY: axisText}
	for i, name := range names[:min(most, len(names))] {
		s := chart.Series{Name: name, Slot: i}
		for _, g := range groups {
			pools := g.Run.Resources.Pools
			if at := slices.IndexFunc(pools, func(p store.PoolStats) bool { return p.Name == name }); at >= 0 {
				s.Points = append(s.Points, chart.Point{X: float64(g.Users), Y: 100 * hitRatio(pools[at])})
			}
		}
		slices.SortFunc(s.Points, func(a, b chart.Point) int { return int(a.X - b.X) })
		lines.Series = append(lines.Series, s)
	}
	for _, g := range groups {
		lines.XTicks = append(lines.XTicks, float64(g.Users))
	}
	slices.Sort(lines.XTicks)
	return figure(caption, lines)
}

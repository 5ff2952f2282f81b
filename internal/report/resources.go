package report

import (
	"maps"
	"math"
	"slices"
	"strings"

	"brokerage/internal/format"
	"brokerage/internal/result"
	"brokerage/internal/store"
)

// resourcesSection shows the processor time, memory and I/O of the runs, the load generator's included.
func resourcesSection(groups []group) section {
	t := newTable("Processor, memory and I/O",
		"text:workload", "users", "text:process", "CPU", "cores", "CPU ms a transaction", "memory after", "peak")
	host := newTable("The whole computer",
		"text:workload", "users", "busy", "num strong:by others", "waiting for the disk", "read",
		"written", "written a transaction")
	bytesOrDash := func(n int64) any {
		if n == 0 {
			return "–"
		}
		return size(n)
	}
	for _, g := range groups {
		r := g.Run
		own := "load generator"
		if r.Usage.Shared {
			own = "load generator and store, one process"
		}
		transactions := float64(r.Total.Count)
		which := []string{g.name(), format.Count(g.Users)}
		for _, p := range []struct {
			name string
			*result.ProcessUsage
		}{{own, &r.Usage.Generator}, {"service", r.Usage.Service}, {"database", r.Usage.Database}} {
			if p.ProcessUsage == nil || p.CPUSeconds == 0 {
				continue
			}
			t.add("", which, p.name, percent(p.CPU, 1), ratio(p.CPUSeconds, r.Measured),
				ratio(1000*p.CPUSeconds, transactions), bytesOrDash(p.MemoryAfter), bytesOrDash(p.MemoryPeak))
			which = []string{"", ""}
		}
		if h := r.Usage.Host; h != nil {
			others := "–"
			if o := r.Usage.Others; o != nil {
				others = percent(*o, 0)
			}
			host.add("", g.name(), g.Users, percent(h.CPU, 0), others, percent(h.IOWait, 0),
				size(h.ReadBytes), size(h.WriteBytes),
				size(ratio(float64(h.WriteBytes), transactions)))
		}
	}
	return section{ID: "resources", Title: "Processor, memory and I/O",
		Lead: "Over the measured time. CPU is the share of all cores " +
			"of the computer. A load generator above 80 % makes a run invalid.",
		Blocks: []block{{Table: t}, {Title: "The whole computer", Table: host}}}
}

// cachesSection shows hit ratios where a store counts hits and misses, and then all of its figures.
func cachesSection(groups []group) section {
	ratios := newTable("Hit ratios", "text:workload", "users", "text:cache", "hits", "misses", "num strong:hit ratio")
	var names []string
	for _, g := range groups {
		figures := g.Run.Usage.Figures
		names = slices.AppendSeq(names, maps.Keys(figures))
		for _, p := range cachesOf(figures) {
			ratios.add("", g.name(), g.Users, p.Name, p.Hits, p.Misses, percent(hitRatio(p), 2))
		}
	}
	slices.Sort(names)
	names = slices.Compact(names)
	s := section{ID: "caches", Title: "Caches, pool and commits",
		Lead:   "The metrics of the service and its store over the measured time.",
		Blocks: []block{{Title: "Hit ratios", Table: ratios}}}
	note := "Counters (…_total, …_sum, …_count) show their increase, other metrics show before → after where they " +
		"changed. What is 0 throughout is left out: not every store counts everything."
	measured := filter(groups, func(g group) bool { return len(g.Run.Usage.Figures) > 0 })
	const columns = 4 // of one table, so that it fits on paper
	for part := range slices.Chunk(measured, columns) {
		s.Blocks = append(s.Blocks, block{Title: "Figures", Note: note, Table: figuresTable(names, part)})
		note = ""
	}
	return s
}

func figuresTable(names []string, groups []group) *table {
	t := newTable("Figures of the service and its store", "text:figure")
	for _, g := range groups {
		t.Columns = append(t.Columns, column{Head: g.nameAtUsers(), Class: "num"})
	}
	for _, name := range names {
		used := func(g group) bool { return g.Run.Usage.Figures[name] != result.Change{} }
		if !slices.ContainsFunc(groups, used) {
			continue
		}
		cells := []string{name}
		for _, g := range groups {
			cells = append(cells, changeText(name, g.Run.Usage.Figures))
		}
		t.add("", cells)
	}
	return t
}

// cachesOf returns the caches whose hits and misses are among the figures.
func cachesOf(figures map[string]result.Change) (caches []store.PoolStats) {
	increase := func(c result.Change) int64 { return int64(c.After - c.Before) }
	for _, name := range slices.Sorted(maps.Keys(figures)) {
		other, cache := missesOf(name)
		misses, ok := figures[other]
		p := store.PoolStats{Name: cache, Hits: increase(figures[name]), Misses: increase(misses)}
		if ok && cache != "" && p.Hits+p.Misses > 0 {
			caches = append(caches, p)
		}
	}
	return caches
}

// missesOf returns the name of the figure that counts the misses where the given one counts the hits, and the name of
// the cache; both are empty when the given one counts no hits.
func missesOf(hits string) (misses, cache string) {
	for _, pair := range [][2]string{{"_hits", "_misses"}, {"=\"hit\"", "=\"miss\""}, {"=\"hits\"", "=\"misses\""}} {
		if strings.Contains(hits, pair[0]) {
			name := strings.TrimSuffix(strings.Replace(hits, pair[0], "", 1), "_total")
			return strings.Replace(hits, pair[0], pair[1], 1), name
		}
	}
	return "", ""
}

func changeText(name string, figures map[string]result.Change) string {
	change, ok := figures[name]
	if !ok {
		return "–"
	}
	bare, _, _ := strings.Cut(name, "{")
	write := amount
	if strings.Contains(bare, "_bytes") {
		write = format.Bytes[float64]
	}
	switch {
	case strings.HasSuffix(bare, "_total") || strings.HasSuffix(bare, "_sum") || strings.HasSuffix(bare, "_count"):
		return "+" + write(change.After-change.Before)
	case change.Before == change.After:
		return write(change.After)
	}
	return write(change.Before) + " → " + write(change.After)
}

// amount writes a figure that is a count in most cases.
func amount(v float64) string {
	if v == math.Trunc(v) {
		return whole(v)
	}
	return format.Figure(v)
}

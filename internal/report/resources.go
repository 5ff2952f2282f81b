package report

import (
	"maps"
	"math"
	"slices"
	"strings"

	"brokerage/internal/workload"
)

// resourcesSection is what the runs cost: processor, memory and I/O, the load generator's own among them.
func resourcesSection(groups []group) *section {
	t := &table{Label: "Processor, memory and I/O", Columns: columns([2]string{"text", "workload"}, [2]string{"num", "users"}, [2]string{"text", "process"},
		[2]string{"num", "CPU"}, [2]string{"num", "cores"}, [2]string{"num", "CPU ms a transaction"}, [2]string{"num", "memory after"}, [2]string{"num", "peak"})}
	io := &table{Label: "The whole computer", Columns: columns([2]string{"text", "workload"}, [2]string{"num", "users"}, [2]string{"num", "busy"}, [2]string{"num", "waiting for the disk"},
		[2]string{"num", "read"}, [2]string{"num", "written"}, [2]string{"num", "written a transaction"})}
	for _, g := range groups {
		r := g.middle()
		own := "load generator"
		if r.Usage.Shared {
			own = "load generator and store, one process"
		}
		name, at := g.name(), wholeText(float64(g.Users))
		for _, p := range []struct {
			name string
			*workload.Process
		}{{own, &r.Usage.Generator}, {"service", r.Usage.Service}, {"database", r.Usage.Database}} {
			if p.Process == nil {
				continue
			}
			t.add("", texts(name, at, p.name, percent(p.CPU, 1), figure(p.CPUSeconds/math.Max(r.Measured, 1e-9)),
				figure(1000*p.CPUSeconds/math.Max(float64(r.Total.Count), 1)), bytesOrNone(p.MemoryAfter), bytesOrNone(p.MemoryPeak))...)
			name, at = "", ""
		}
		if h := r.Usage.Host; h != nil {
			io.add("", texts(g.name(), wholeText(float64(g.Users)), percent(h.CPU, 0), percent(h.IOWait, 0), bytesText(float64(h.ReadBytes)), bytesText(float64(h.WriteBytes)),
				bytesText(float64(h.WriteBytes)/math.Max(float64(r.Total.Count), 1)))...)
		}
	}
	if len(t.Rows) == 0 {
		return nil
	}
	s := &section{ID: "resources", Title: "Processor, memory and I/O",
		Lead:   "From the first to the last measured second; of repeats the run with the median throughput. CPU is of all cores of the computer. A load generator above 80 % makes a run invalid.",
		Blocks: []block{{Table: t}}}
	if len(io.Rows) > 0 {
		s.Blocks = append(s.Blocks, block{Title: "The whole computer", Table: io})
	}
	return s
}

func bytesOrNone(n int64) string {
	if n == 0 {
		return "–"
	}
	return bytesText(float64(n))
}

// cachesSection has hit ratios where a store counts hits and misses, and its figures as they are.
func cachesSection(groups []group) *section {
	s := &section{ID: "caches", Title: "Caches, pool and commits", Lead: "The service's and its store's own figures, named as their metrics are, over the measured time."}
	ratios := &table{Label: "Hit ratios", Columns: columns([2]string{"text", "workload"}, [2]string{"num", "users"}, [2]string{"text", "cache"}, [2]string{"num", "hits"},
		[2]string{"num", "misses"}, [2]string{"num strong", "hit ratio"})}
	var names []string
	for _, g := range groups {
		r := g.middle()
		for _, name := range slices.Sorted(maps.Keys(r.Usage.Figures)) {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
			other, cache := missesOf(name)
			misses, ok := r.Usage.Figures[other]
			if !ok || cache == "" {
				continue
			}
			hits := r.Usage.Figures[name]
			h, m := hits.After-hits.Before, misses.After-misses.Before
			if h+m > 0 {
				ratios.add("", texts(g.name(), wholeText(float64(g.Users)), cache, countText(int64(h)), countText(int64(m)), percent(h/(h+m), 2))...)
			}
		}
	}
	if len(names) == 0 {
		return nil
	}
	slices.Sort(names)
	some := filter(groups, func(g group) bool { return len(g.middle().Usage.Figures) > 0 })
	if len(ratios.Rows) > 0 {
		s.Blocks = append(s.Blocks, block{Title: "Hit ratios", Table: ratios})
	}
	note := "What only grows (…_total, …_sum, …_count) is shown as its increase, the rest before → after where it has changed."
	for part := range slices.Chunk(some, figureColumns) {
		s.Blocks = append(s.Blocks, block{Title: "Figures", Note: note, Table: figuresTable(names, part)})
		note = ""
	}
	return s
}

// figureColumns is how many workloads stand side by side, so that a table fits on paper.
const figureColumns = 4

func figuresTable(names []string, groups []group) *table {
	t := &table{Label: "Figures of the service and its store", Columns: []column{{Head: "figure", Class: "text"}}}
	for _, g := range groups {
		t.Columns = append(t.Columns, column{Head: g.name() + " at " + plural(g.Users, "user"), Class: "num"})
	}
	for _, name := range names {
		cells := texts(name)
		for _, g := range groups {
			cells = append(cells, cell{Text: changeText(name, g.middle().Usage.Figures)})
		}
		t.add("", cells...)
	}
	return t
}

// missesOf is the figure that counts the misses of a cache whose hits another counts, and what the cache is called.
func missesOf(hits string) (misses, cache string) {
	for _, pair := range [][2]string{{"_hits", "_misses"}, {"=\"hit\"", "=\"miss\""}, {"=\"hits\"", "=\"misses\""}} {
		if strings.Contains(hits, pair[0]) {
			name := strings.TrimSuffix(strings.Replace(hits, pair[0], "", 1), "_total")
			return strings.Replace(hits, pair[0], pair[1], 1), name
		}
	}
	return "", ""
}

func changeText(name string, figures map[string]workload.Change) string {
	change, ok := figures[name]
	if !ok {
		return "–"
	}
	bare, _, _ := strings.Cut(name, "{")
	format := amount
	if strings.Contains(bare, "_bytes") {
		format = bytesText
	}
	switch {
	case strings.HasSuffix(bare, "_total") || strings.HasSuffix(bare, "_sum") || strings.HasSuffix(bare, "_count"):
		return "+" + format(change.After-change.Before)
	case change.Before == change.After:
		return format(change.After)
	}
	return format(change.Before) + " → " + format(change.After)
}

// amount writes what is mostly a count.
func amount(v float64) string {
	if v == math.Trunc(v) {
		return wholeText(v)
	}
	return figure(v)
}

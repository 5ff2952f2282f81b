package report

import (
	"slices"

	"brokerage/internal/campaign"
	"brokerage/internal/format"
	"brokerage/internal/probe"
)

// factorsSection compares physical designs with the default one, by the factor that they change, and names the factors
// that the store does not have.
func factorsSection(c *campaign.Record, groups []group) section {
	if !c.Settings.Factors {
		return section{}
	}
	return section{ID: "factors", Title: "Factors of the physical design",
		Lead: "The same workload on the same data, each time with one thing changed. The ratio is the throughput of the " +
			"variant by that of the default design; I/Os and bytes written are those of the whole computer for a transaction.",
		Blocks: []block{{Table: factorsTable(c, groups), After: ruleText}}}
}

// factorsTable has a row for each design and default that was measured, and for what was not.
func factorsTable(c *campaign.Record, groups []group) *table {
	t := newTable("Factors of the physical design", "text:factor", "text:variant", "users", "runs", "tps", "num soft:±",
		"num strong:ratio", "p99 ms", "I/Os", "bytes written", "text:difference", "text:what it changes")
	t.Class = "factors"
	line := func(g group, factor, name, change, difference, what string) {
		r := g.middle()
		written := "–"
		if h := r.Usage.Host; h != nil {
			written = format.Bytes(ratio(float64(h.WriteBytes), float64(r.Total.Count)))
		}
		class, users := g.users()
		if g.invalid() {
			difference = "INVALID" // whatever the figures would say
		}
		t.add(class, factor, name, users, len(g.Runs), g.values(tps), change, micros(g.median(p99)),
			each(r, format.Figure, probe.Reads, probe.Writes), written, difference, what)
	}
	of := filter(groups, func(g group) bool { return g.Variant != nil && g.Variant.Factor != "" })
	var based []string // workloads at users whose default design has its row
	for _, g := range of {
		base := plainOf(groups, g)
		if key := withVariant(g.Label, nil) + format.Count(g.Users); len(base) > 0 && !slices.Contains(based, key) {
			based = append(based, key)
			line(base[0], "–", "default", times(1, 2), "", g.Label+" with the default design")
		}
	}
	slices.SortStableFunc(of, func(a, b group) int { // as they were planned, those of a factor together
		first := func(g group) int {
			return slices.IndexFunc(of, func(h group) bool { return h.Variant.Factor == g.Variant.Factor })
		}
		return first(a) - first(b)
	})
	factor := ""
	for _, g := range of {
		shown := g.Variant.Factor
		if shown == factor {
			shown = ""
		}
		factor = g.Variant.Factor
		change, difference := "–", "not measured with the default design"
		if base := plainOf(groups, g); len(base) > 0 {
			b, v := base[0].values(tps), g.values(tps)
			change, difference = times(ratio(v.median(), b.median()), 2), judge(b, v).String()
		}
		line(g, shown, g.Variant.Name, change, difference, g.Variant.Description)
	}
	for _, step := range c.Steps {
		if v := step.Variant; v != nil && v.Factor != "" && step.Kind == campaign.KindRun && len(step.Runs) == 0 {
			t.add("soft", v.Factor, v.Name, make([]cell, 8), "not measured: "+step.Reason, v.Description)
		}
	}
	for _, a := range c.Absent {
		t.add("soft", a.Factor, "absent", make([]cell, 8), "this store does not have it", a.Reason)
	}
	return t
}

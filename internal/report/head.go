package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"brokerage/internal/campaign"
	"brokerage/internal/format"
	"brokerage/internal/result"
)

// stamps returns the banners of runs: what keeps their figures from being quoted, and why.
func stamps(groups []group) (all []banner) {
	add := func(class, word, text string, is func(group) bool) {
		some := filter(groups, is)
		if len(some) == 0 {
			return
		}
		which := "This run"
		if len(groups) > 1 {
			which = fmt.Sprintf("%d of %s", len(some), format.Plural(len(groups), "run"))
		}
		all = append(all, banner{Class: class, Word: word, Text: which + text})
	}
	add("invalid", "INVALID", " must not be quoted:",
		func(g group) bool { return !g.valid() })
	if len(all) > 0 {
		all[0].Reasons = remarks(groups, func(v result.Validity) []string { return v.Reasons })
	}
	add("smoke", "SMOKE", ": not made to measure performance, or too short for it; the figures only show that everything "+
		"works.", func(g group) bool { return g.Run.Validity.Smoke })
	return all
}

func campaignStamps(c *campaign.Record, groups []group) []banner {
	all := stamps(groups)
	if s := c.Settings; s.DataScale != 1 || s.TimeScale != 1 {
		all = append(all, banner{Class: "aside", Word: "SCALED", Text: fmt.Sprintf(
			"The preset is %s, with %g times its documents and %g times its durations.", s.Preset, s.DataScale, s.TimeScale)})
	}
	if !c.Complete {
		all = append(all, banner{Class: "smoke", Word: "UNFINISHED",
			Text: "Not every planned step has been run: " + c.Unfinished})
	}
	return all
}

// remarks returns the reasons or the notes of runs, each text once, with at most three of the runs that have it.
func remarks(groups []group, of func(result.Validity) []string) (all []string) {
	where := make(map[string][]string)
	for _, g := range groups {
		for _, text := range of(g.Run.Validity) {
			if where[text] == nil {
				all = append(all, text)
			}
			where[text] = append(where[text], g.name())
		}
	}
	const most = 3
	for i, text := range all {
		runs := where[text]
		if more := len(runs) - most; more > 0 {
			runs = append(runs[:most:most], fmt.Sprintf("and %d more", more))
		}
		if len(groups) > 1 {
			all[i] += " (" + strings.Join(runs, "; ") + ")"
		}
	}
	return all
}

// notesOf returns the notes on runs, which make none of them invalid.
func notesOf(groups []group) (facts []fact) {
	for _, note := range remarks(groups, func(v result.Validity) []string { return v.Notes }) {
		facts = append(facts, fact{"Note", note})
	}
	return facts
}

// cores returns the number of processors, empty if it is not known.
func cores(m result.Machine) string {
	if m.Cores == 0 {
		return ""
	}
	return format.Plural(m.Cores, "core")
}

// stampFacts returns what is known of a dataset and a machine.
func stampFacts(d result.DatasetStamp, m result.Machine) []fact {
	memory := ""
	if m.Memory > 0 {
		memory = format.Bytes(m.Memory) + " of memory"
	}
	return []fact{
		{"Dataset", fmt.Sprintf("%s of profile %s, seed %d: %s customers, %s orders, %s securities", d.Scale, d.Profile,
			d.Seed, format.Count(d.Customers), format.Count(d.Orders), format.Count(d.Securities))},
		{"Fingerprint", d.Fingerprint},
		{"Processor", joined(", ", m.CPU, cores(m), memory)},
		{"System", joined(", ", joined("/", m.OS, m.Arch), m.Go)},
	}
}

func settingsText(settings map[string]string) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(settings)) {
		parts = append(parts, name+" = "+settings[name])
	}
	return strings.Join(parts, "; ")
}

// known removes the facts without a text.
func known(facts []fact) []fact {
	return slices.DeleteFunc(facts, func(f fact) bool { return f.Text == "" })
}

func campaignFacts(c *campaign.Record, groups []group) []fact {
	s, m := c.Settings, c.Machine
	flush, onXML := "", ""
	if len(groups) > 0 {
		onXML = faithfulText(groups[0].Run.Faithful)
	}
	if m.FlushP50 > 0 {
		flush = fmt.Sprintf("%s ms (median), %s ms (99th percentile) for a small write and its flush", millis(m.FlushP50),
			millis(m.FlushP99))
	}
	return known(slices.Concat([]fact{
		{"Measured", minute(c.Started) + ", " + seconds(c.Seconds) + " of steps; preset " + c.Preset},
		{"Store", joined(" ", c.Store.Engine, c.Store.Version)},
		{"Durability", c.Store.Durability},
		{"Store settings", settingsText(c.Store.Settings)},
		{"Work on XML", onXML},
		{"Each run", fmt.Sprintf("%s warm-up, %s measured, think time %s; seed %d", seconds(s.WarmUp.Seconds()),
			seconds(s.Duration.Seconds()), seconds(s.Think.Seconds()), s.Seed)},
	}, stampFacts(c.Dataset, m.Machine), []fact{
		{"Host", joined(", ", m.Host, m.Kernel)},
		{"Disk", joined("; ", m.FileSystem, flush)},
		{"Versions", joined(", ", prefixed("brokerage ", c.Versions.Brokerage), prefixed("commit ", short(c.Versions.Commit)),
			c.Versions.Go, fmt.Sprintf("generator version %d", c.Versions.Generator))},
		{"Database", c.Store.URL},
	}))
}

func runFacts(r *result.Run) []fact {
	arrivals, prepared := "", ""
	if a := r.Arrivals; a != nil {
		arrivals = fmt.Sprintf("%s due, %s started (%s over 1 ms late), %s dropped, %s never started", format.Count(a.Due),
			format.Count(a.Started), format.Count(a.Late), format.Count(a.Dropped), format.Count(a.Queued))
	}
	if p := r.Prepared; p != nil {
		prepared = fmt.Sprintf("%s orders and %s customers inserted, not part of the figures", format.Count(p.Orders),
			format.Count(p.Customers))
	}
	validated := "as each transaction specifies"
	if !r.Workload.Validate {
		validated = "off where a client may turn it off"
	}
	return known(slices.Concat([]fact{
		{"Measured", minute(r.Started) + ", " + seconds(r.Measured) + " after " + seconds(r.Warmed) + " of warm-up"},
		{"Workload", joined(", ", r.Workload.Name, prefixed("file ", short(r.Workload.SHA256)),
			prefixed("weights ", r.Workload.Weights), "validation "+validated)},
		{"Load", fmt.Sprintf("%s; seed %d", r.Model, r.Seed)},
		{"Arrivals", arrivals},
		{"Prepared", prepared},
		{"Target", joined(", ", r.Target.Engine, r.Target.Kind, r.Target.URL, prefixed("service ", r.Target.Version))},
		{"Limit", r.Limit()},
		{"Settings", settingsText(r.Settings)},
		{"Work on XML", faithfulText(r.Faithful)},
	}, stampFacts(r.Dataset, r.Machine), []fact{
		{"Versions", joined(", ", joined(" ", r.Tool.Name, r.Tool.Version), prefixed("commit ", short(r.Commit)))},
	}))
}

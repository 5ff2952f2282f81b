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
	add := func(is func(group) bool, b banner) {
		some := filter(groups, is)
		which := "This run"
		if len(groups) > 1 {
			which = fmt.Sprintf("%d of %s", len(some), format.Plural(len(groups), "run"))
		}
		if b.Text = which + b.Text; len(some) > 0 {
			all = append(all, b)
		}
	}
	add(group.invalid, banner{Class: "invalid", Word: "INVALID",
		Text: " must not be quoted, by the rules of the scenario:",
		Reasons: remarks(groups, func(v result.Validity) []string {
			if v.Invalid() && len(v.Reasons) == 0 {
				return []string{"no reason is given"}
			}
			return v.Reasons
		})})
	add(func(g group) bool { return g.Run.Validity.Smoke }, banner{Class: "smoke", Word: "SMOKE",
		Text: ": too short to measure performance. It shows that everything works."})
	add(func(g group) bool { return g.Run.Target.SameHost }, banner{Class: "aside", Word: "SAME HOST",
		Text: " shared the computer with the load generator, which took processor time from the service."})
	return all
}

func campaignStamps(c *campaign.Record, groups []group) []banner {
	all := slices.DeleteFunc(stamps(groups), func(b banner) bool { return b.Class == "aside" }) // in the conclusion
	if c.Smoke && !slices.ContainsFunc(all, func(b banner) bool { return b.Word == "SMOKE" }) {
		all = append(all, banner{Class: "smoke", Word: "SMOKE", Text: "The preset is " + c.Preset +
			": too short to measure performance. It shows that everything works, and none of its figures counts."})
	}
	if s := c.Settings; s.DataScale != 1 || s.TimeScale != 1 {
		all = append(all, banner{Class: "aside", Word: "SCALED", Text: fmt.Sprintf(
			"The preset is %s with %g times its documents and %g times its times.", s.Preset, s.DataScale, s.TimeScale)})
	}
	if !c.Complete {
		all = append(all, banner{Class: "smoke", Word: "UNFINISHED",
			Text: "Not every planned step has been run. " + c.Unfinished})
	}
	return all
}

// remarks returns what is said of runs, each text once with at most three of its runs.
func remarks(groups []group, of func(result.Validity) []string) (all []string) {
	where := make(map[string][]string)
	for _, g := range groups {
		for _, text := range of(g.Run.Validity) {
			if where[text] == nil {
				all = append(all, text)
			}
			where[text] = append(where[text], fmt.Sprintf("%s, %s", g.name(), format.Plural(g.Run.Model.Users, "user")))
		}
	}
	const most, mostRuns = 12, 3
	for i, text := range all {
		runs := where[text]
		if more := len(runs) - mostRuns; more > 0 {
			runs = append(runs[:mostRuns:mostRuns], fmt.Sprintf("and %d more", more))
		}
		if len(groups) > 1 {
			all[i] += " (" + strings.Join(runs, "; ") + ")"
		}
	}
	if rest := len(all) - most; rest > 0 {
		all = append(all[:most], fmt.Sprintf("and %d more, which the file has", rest))
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

func machineFacts(m result.Machine) []fact {
	memory := ""
	if m.Memory > 0 {
		memory = format.Bytes(m.Memory) + " of memory"
	}
	return []fact{
		{"Processor", joined(", ", m.CPU, cores(m), memory)},
		{"System", joined(", ", joined("/", m.OS, m.Arch), m.Go)},
	}
}

// cores returns the number of processors, empty if it is not known.
func cores(m result.Machine) string {
	if m.Cores == 0 {
		return ""
	}
	return format.Plural(m.Cores, "core")
}

func datasetFacts(d result.DatasetStamp) []fact {
	return []fact{
		{"Dataset", fmt.Sprintf("%s of profile %s, seed %d: %s customers, %s orders, %s securities", d.Scale, d.Profile,
			d.Seed, format.Count(d.Customers), format.Count(d.Orders), format.Count(d.Securities))},
		{"Fingerprint", d.Fingerprint},
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
	s := c.Settings
	flush, onXML := "", ""
	if len(groups) > 0 {
		onXML = faithfulText(groups[0].Run.Faithful)
	}
	if c.Machine.FlushP50 > 0 {
		flush = fmt.Sprintf("%s ms (median), %s ms (99th percentile) for a small write and its flush",
			millis(c.Machine.FlushP50), millis(c.Machine.FlushP99))
	}
	return known(slices.Concat([]fact{
		{"Measured", minute(c.Started) + ", " + seconds(c.Seconds) + " of steps; preset " + c.Preset},
		{"Store", joined(" ", c.Store.Engine, c.Store.Version)},
		{"Durability", c.Store.Durability},
		{"Store settings", settingsText(c.Store.Settings)},
		{"Work on XML", onXML},
	}, datasetFacts(c.Dataset), machineFacts(c.Machine.Machine), []fact{
		{"Host", joined(", ", c.Machine.Host, c.Machine.Kernel)},
		{"Disk", joined("; ", c.Machine.FileSystem, flush)},
		{"Versions", joined(", ", prefixed("brokerage ", c.Versions.Brokerage), prefixed("commit ", short(c.Versions.Commit)),
			c.Versions.Go, fmt.Sprintf("generator version %d", c.Versions.Generator))},
		{"Each run", fmt.Sprintf("%s warm-up, %s measured, think time %s; seed %d", seconds(s.WarmUp.Seconds()),
			seconds(s.Duration.Seconds()), seconds(s.Think.Seconds()), s.Seed)},
		{"Database", c.Store.URL},
	}))
}

func runFacts(r *result.Run) []fact {
	arrivals, prepared := "", ""
	if a := r.Arrivals; a != nil {
		arrivals = fmt.Sprintf("%s due, %s started (%s over 1 ms late), %s dropped, %s never started", format.Count(a.Due),
			format.Count(a.Started), format.Count(a.Late), format.Count(a.Dropped), format.Count(a.Queued))
		if r.Tool.Name == "drive" { // k6 measures from the time of sending
			arrivals += "; timed from when each was due"
		}
	}
	if p := r.Prepared; p != nil {
		prepared = fmt.Sprintf("%s orders and %s customers inserted in %s, not part of the figures", format.Count(p.Orders),
			format.Count(p.Customers), seconds(p.Seconds))
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
	}, datasetFacts(r.Dataset), machineFacts(r.Machine), []fact{
		{"Versions", joined(", ", joined(" ", r.Tool.Name, r.Tool.Version), prefixed("commit ", short(r.Commit)))},
	}))
}

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
	runs, invalid, smoke, same := len(groups), 0, 0, 0
	var reasons remarks
	for _, g := range groups {
		r := g.Run
		smoke += count(r.Validity.Smoke)
		same += count(r.Target.SameHost)
		if !g.invalid() {
			continue
		}
		invalid++
		where := "" // not needed for a single run
		if runs > 1 {
			where = g.name() + ", " + format.Plural(r.Model.Users, "user")
		}
		for _, reason := range r.Validity.Reasons {
			reasons.add(reason, where)
		}
		if len(r.Validity.Reasons) == 0 {
			reasons.add("no reason is given", where)
		}
	}
	add := func(n int, b banner) {
		which := "This run"
		if runs > 1 {
			which = fmt.Sprintf("%d of %s", n, format.Plural(runs, "run"))
		}
		if b.Text = which + b.Text; n > 0 {
			all = append(all, b)
		}
	}
	add(invalid, banner{Class: "invalid", Word: "INVALID", Text: " must not be quoted, by the rules of the scenario:",
		Reasons: reasons.lines()})
	add(smoke, banner{Class: "smoke", Word: "SMOKE",
		Text: ": too short to measure performance. It shows that everything works."})
	add(same, banner{Class: "aside", Word: "SAME HOST",
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

// remark is a text about some of the runs.
type remark struct {
	text  string
	where []string
}

type remarks []remark

// mostLines is how many reasons or notes the top of a page lists.
const mostLines = 12

// add adds a remark, or another run to one that is there.
func (r *remarks) add(text, where string) {
	for i := range *r {
		if remark := &(*r)[i]; remark.text == text {
			remark.where = append(remark.where, where)
			return
		}
	}
	*r = append(*r, remark{text, []string{where}})
}

// lines returns the remarks, each with at most three of its runs.
func (r remarks) lines() (all []string) {
	const most = 3
	for _, remark := range r[:min(len(r), mostLines)] {
		runs := strings.Join(remark.where[:min(len(remark.where), most)], "; ")
		if more := len(remark.where) - most; more > 0 {
			runs += fmt.Sprintf("; and %d more", more)
		}
		if runs != "" {
			runs = " (" + runs + ")"
		}
		all = append(all, remark.text+runs)
	}
	if rest := len(r) - len(all); rest > 0 {
		all = append(all, fmt.Sprintf("and %d more, which the file has", rest))
	}
	return all
}

// notesOf returns the notes on runs, which make none of them invalid.
func notesOf(groups []group) (facts []fact) {
	var notes remarks
	for _, g := range groups {
		for _, note := range g.Run.Validity.Notes {
			notes.add(note, g.name())
		}
	}
	for _, note := range notes[:min(len(notes), mostLines)] {
		if len(groups) > 1 {
			note.text += fmt.Sprintf(" (%d of %s)", len(note.where), format.Plural(len(groups), "run"))
		}
		facts = append(facts, fact{"Note", note.text})
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
		{"Validation", c.Store.Validation},
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

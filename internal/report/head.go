package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"brokerage/internal/campaign"
	"brokerage/internal/format"
	"brokerage/internal/workload"
)

// stamps returns the banners of runs: what keeps their figures from being quoted, and why.
func stamps(groups []group) []banner {
	runs, invalid, smoke, same := 0, 0, 0, 0
	var reasons remarks
	for _, g := range groups {
		for i, r := range g.Runs {
			runs++
			smoke += count(r.Validity.Smoke)
			same += count(r.Target.SameHost)
			if !isInvalid(r) {
				continue
			}
			invalid++
			where := "" // not needed for a single run
			if len(groups) > 1 || len(g.Runs) > 1 {
				where = fmt.Sprintf("%s, %s, run %d", g.name(), format.Plural(r.Model.Users, "user"), i+1)
			}
			for _, reason := range r.Validity.Reasons {
				reasons.add(reason, where)
			}
			if len(r.Validity.Reasons) == 0 {
				reasons.add("no reason is given", where)
			}
		}
	}
	of := func(n int) string {
		if runs == 1 {
			return "This run"
		}
		return fmt.Sprintf("%d of %s", n, format.Plural(runs, "run"))
	}
	var all []banner
	if invalid > 0 {
		all = append(all, banner{Class: "invalid", Word: "INVALID",
			Text: of(invalid) + " must not be quoted, by the rules of the scenario:", Reasons: reasons.lines()})
	}
	if smoke > 0 {
		all = append(all, banner{Class: "smoke", Word: "SMOKE",
			Text: of(smoke) + ": too short to measure performance. It shows that everything works."})
	}
	if same > 0 {
		all = append(all, banner{Class: "aside", Word: "SAME HOST",
			Text: of(same) + " shared the computer with the load generator, which took processor time from the service."})
	}
	return all
}

// notesOf returns the notes on runs, which make none of them invalid.
func notesOf(groups []group) []fact {
	runs := 0
	var notes remarks
	for _, g := range groups {
		for _, r := range g.Runs {
			runs++
			for _, note := range r.Validity.Notes {
				notes.add(note, g.name())
			}
		}
	}
	var facts []fact
	for _, note := range notes {
		text := note.text
		if runs > 1 {
			text += fmt.Sprintf(" (%d of %s)", len(note.where), format.Plural(runs, "run"))
		}
		facts = append(facts, fact{"Note", text})
	}
	return facts[:min(len(facts), mostLines)]
}

// mostLines is how many reasons or notes the top of a page lists.
const mostLines = 12

// remark is a text about some of the runs.
type remark struct {
	text  string
	where []string
}

type remarks []remark

// add adds a remark, or another run to one that is there.
func (r *remarks) add(text, where string) {
	at := slices.IndexFunc(*r, func(other remark) bool { return other.text == text })
	if at < 0 {
		at = len(*r)
		*r = append(*r, remark{text: text})
	}
	(*r)[at].where = append((*r)[at].where, where)
}

// lines returns the remarks, each with at most three of its runs.
func (r remarks) lines() []string {
	const most = 3
	var all []string
	for _, remark := range r[:min(len(r), mostLines)] {
		text, where, more := remark.text, remark.where, ""
		if len(where) > most {
			more = fmt.Sprintf("; and %d more", len(where)-most)
			where = where[:most]
		}
		if runs := strings.Join(where, "; ") + more; runs != "" {
			text += " (" + runs + ")"
		}
		all = append(all, text)
	}
	if rest := len(r) - len(all); rest > 0 {
		all = append(all, fmt.Sprintf("and %d more, which the file has", rest))
	}
	return all
}

func campaignStamps(c *campaign.Record, groups []group) []banner {
	all := stamps(groups)
	if c.Smoke && !slices.ContainsFunc(all, func(b banner) bool { return b.Word == "SMOKE" }) {
		all = append(all, banner{Class: "smoke", Word: "SMOKE", Text: "The preset is " + c.Preset +
			": too short to measure performance. It shows that everything works, and none of its figures counts."})
	}
	if !c.Complete {
		all = append(all, banner{Class: "smoke", Word: "UNFINISHED",
			Text: "Not every planned step has been run. " + c.Unfinished})
	}
	return all
}

func machineFacts(m workload.Machine) []fact {
	memory := ""
	if m.Memory > 0 {
		memory = format.Bytes(float64(m.Memory)) + " of memory"
	}
	return []fact{
		{"Processor", joined(", ", m.CPU, format.Plural(m.Cores, "core"), memory)},
		{"System", joined(", ", joined("/", m.OS, m.Arch), m.Go)},
	}
}

func datasetFacts(d workload.DatasetStamp) []fact {
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

func campaignFacts(c *campaign.Record) []fact {
	s := c.Settings
	facts := []fact{
		{"Measured", minute(c.Started) + ", " + seconds(c.Seconds) + " of steps; preset " + c.Preset},
		{"Store", joined(" ", c.Store.Engine, c.Store.Version)},
		{"Durability", c.Store.Durability},
		{"Validation", c.Store.Validation},
		{"Store settings", settingsText(c.Store.Settings)},
	}
	facts = append(facts, datasetFacts(c.Dataset)...)
	facts = append(facts, machineFacts(c.Machine.Machine)...)
	commit := short(c.Versions.Commit)
	if c.Versions.Modified {
		commit += " with changes that are in no commit"
	}
	flush := ""
	if c.Machine.FlushP50 > 0 {
		flush = fmt.Sprintf("%s ms (median), %s ms (99th percentile) for a small write and its flush",
			millis(c.Machine.FlushP50), millis(c.Machine.FlushP99))
	}
	return known(append(facts,
		fact{"Host", joined(", ", c.Machine.Host, c.Machine.Kernel)},
		fact{"Disk", joined("; ", c.Machine.FileSystem, flush)},
		fact{"Versions", joined(", ", prefixed("brokerage ", c.Versions.Brokerage), prefixed("commit ", commit),
			c.Versions.Go,
			fmt.Sprintf("generator version %d", c.Versions.Generator))},
		fact{"Each run", fmt.Sprintf("%s warm-up, %s measured, think time %s, %s; seed %d", seconds(s.WarmUp),
			seconds(s.Duration), seconds(s.Think), format.Plural(s.Repeat, "repeat"), s.Seed)},
		fact{"Database", c.Store.URL},
	))
}

// keyFigures returns the best throughput of up to four workloads, and the space.
func keyFigures(c *campaign.Record, groups []group) []keyFigure {
	var all []keyFigure
	plain := filter(groups, group.plain)
	names := labels(plain)
	for _, label := range names[:min(len(names), 4)] {
		g := best(labelled(plain, label))
		stamp := ""
		if g.invalid() {
			stamp = "INVALID"
		}
		aside := fmt.Sprintf("%s, p99 %s ms", format.Plural(g.Users, "user"), millis(g.median(p99)))
		all = append(all, keyFigure{Name: label, Value: format.Figure(g.median(tps)), Unit: "a second",
			Aside: joined(", ", stamp, aside, g.values(tps).spreadText())})
	}
	if s := plainSpace(c); s != nil {
		all = append(all, keyFigure{Name: "on disk", Value: percent(float64(s.Total)/float64(s.Raw), 0), Unit: "of raw",
			Aside: format.Bytes(s.Total) + " for " + format.Bytes(s.Raw)})
	}
	return all
}

package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"brokerage/internal/campaign"
	"brokerage/internal/workload"
)

// stamps are the banners of runs: what keeps their figures from being quoted, and why.
func stamps(groups []group) []banner {
	var all []banner
	runs, invalid, smoke, same := 0, 0, 0, 0
	reasons := newCollection()
	for _, g := range groups {
		for i, r := range g.Runs {
			runs++
			where := "" // of a single run it need not be said
			if len(groups) > 1 || len(g.Runs) > 1 {
				where = fmt.Sprintf("%s, %s, run %d", g.name(), plural(r.Model.Users, "user"), i+1)
			}
			if isInvalid(r) {
				invalid++
				for _, reason := range r.Validity.Reasons {
					reasons.add(reason, where)
				}
				if len(r.Validity.Reasons) == 0 {
					reasons.add("no reason is given", where)
				}
			}
			if isSmoke(r) {
				smoke++
			}
			if r.Target.SameHost {
				same++
			}
		}
	}
	of := func(n int) string {
		if runs == 1 {
			return "This run"
		}
		return fmt.Sprintf("%d of %s", n, plural(runs, "run"))
	}
	if invalid > 0 {
		all = append(all, banner{Class: "invalid", Word: "INVALID",
			Text: of(invalid) + " may not be quoted by the rules of the scenario:", Reasons: reasons.lines()})
	}
	if smoke > 0 {
		all = append(all, banner{Class: "smoke", Word: "SMOKE",
			Text: of(smoke) + ": measured too briefly to say how fast anything is. It shows that everything works."})
	}
	if same > 0 {
		all = append(all, banner{Class: "aside", Word: "SAME HOST",
			Text: of(same) + " shared the computer with the load generator, which took processor time from the service."})
	}
	return all
}

// notesOf are what belongs beside the figures and makes none of them invalid.
func notesOf(groups []group) []fact {
	runs := 0
	notes := newCollection()
	for _, g := range groups {
		for _, r := range g.Runs {
			runs++
			for _, note := range r.Validity.Notes {
				notes.add(note, g.name())
			}
		}
	}
	var facts []fact
	for _, note := range notes.order {
		text := note
		if runs > 1 {
			text += fmt.Sprintf(" (%d of %s)", len(notes.where[note]), plural(runs, "run"))
		}
		facts = append(facts, fact{"Note", text})
	}
	return facts[:min(len(facts), mostLines)]
}

// mostLines is how many reasons or notes a head lists.
const mostLines = 12

// collection is sayings with where they were said.
type collection struct {
	order []string
	where map[string][]string
}

func newCollection() *collection { return &collection{where: map[string][]string{}} }

func (c *collection) add(text, where string) {
	if _, ok := c.where[text]; !ok {
		c.order = append(c.order, text)
	}
	c.where[text] = append(c.where[text], where)
}

// lines names at most a few of the places: a report on forty runs need not list them all.
func (c *collection) lines() []string {
	const most = 3
	var all []string
	for _, text := range c.order[:min(len(c.order), mostLines)] {
		places := c.where[text]
		more := ""
		if len(places) > most {
			more = fmt.Sprintf("; and %d more", len(places)-most)
			places = places[:most]
		}
		if said := strings.Join(places, "; ") + more; said != "" {
			text += " (" + said + ")"
		}
		all = append(all, text)
	}
	if rest := len(c.order) - len(all); rest > 0 {
		all = append(all, fmt.Sprintf("and %d more, which the file has", rest))
	}
	return all
}

// name is the workload with its settings where they are not those out of the box.
func (g group) name() string {
	return joined(", ", g.Label, g.variant())
}

func campaignStamps(c *campaign.Record, groups []group) []banner {
	all := stamps(groups)
	if c.Smoke && !slices.ContainsFunc(all, func(b banner) bool { return b.Word == "SMOKE" }) {
		all = append(all, banner{Class: "smoke", Word: "SMOKE",
			Text: "The preset is " + c.Preset + ": too short to be a study. It shows that everything works, and no figure of it counts."})
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
		memory = bytesText(float64(m.Memory)) + " of memory"
	}
	return []fact{
		{"Processor", joined(", ", m.CPU, plural(m.Cores, "core"), memory)},
		{"System", joined(", ", joined("/", m.OS, m.Arch), m.Go)},
	}
}

func datasetFacts(d workload.DatasetStamp) []fact {
	return []fact{
		{"Dataset", fmt.Sprintf("%s of profile %s, seed %d: %s customers, %s orders, %s securities", d.Scale, d.Profile, d.Seed,
			countText(d.Customers), countText(d.Orders), countText(d.Securities))},
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

// filled leaves out facts that nobody knows.
func filled(facts []fact) []fact {
	return slices.DeleteFunc(facts, func(f fact) bool { return f.Text == "" })
}

func campaignFacts(c *campaign.Record) []fact {
	s := c.Settings
	facts := []fact{
		{"Measured", timeText(c.Started) + ", " + secondsText(c.Seconds) + " of steps; preset " + c.Preset},
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
		flush = fmt.Sprintf("%s ms (median), %s ms (99th percentile) for a small write and its flush", millis(c.Machine.FlushP50), millis(c.Machine.FlushP99))
	}
	facts = append(facts,
		fact{"Host", joined(", ", c.Machine.Host, c.Machine.Kernel)},
		fact{"Disk", joined("; ", c.Machine.FileSystem, flush)},
		fact{"Versions", joined(", ", prefixed("brokerage ", c.Versions.Brokerage), prefixed("commit ", commit), c.Versions.Go,
			fmt.Sprintf("generator version %d", c.Versions.Generator))},
		fact{"Each run", fmt.Sprintf("%s warm-up, %s measured, think time %s, %s; seed %d", secondsText(s.WarmUp), secondsText(s.Duration),
			secondsText(s.Think), plural(s.Repeat, "repeat"), s.Seed)},
		fact{"Database", joined(", ", c.Store.URL)},
	)
	return filled(facts)
}

func prefixed(prefix, text string) string {
	if text == "" {
		return ""
	}
	return prefix + text
}

// keyFigures are what a reader looks for first.
func keyFigures(c *campaign.Record, groups []group) []keyFigure {
	var all []keyFigure
	plain := filter(groups, group.plain)
	for _, label := range labels(plain) {
		if len(all) == 4 {
			break
		}
		g := best(filter(plain, func(g group) bool { return g.Label == label }))
		stamp := ""
		if g.invalid() {
			stamp = "INVALID"
		}
		all = append(all, keyFigure{Name: label, Value: figure(g.values(tps).median()), Unit: "a second",
			Aside: joined(", ", stamp, fmt.Sprintf("%s, p99 %s ms", plural(g.Users, "user"), millis(g.values(p99).median())), g.values(tps).spreadText())})
	}
	for i := range c.Steps {
		if s := c.Steps[i].Space; s != nil && s.Raw > 0 && c.Steps[i].Variant == nil {
			all = append(all, keyFigure{Name: "on disk", Value: percent(float64(s.Total)/float64(s.Raw), 0), Unit: "of raw",
				Aside: bytesText(float64(s.Total)) + " for " + bytesText(float64(s.Raw))})
			break
		}
	}
	return all
}

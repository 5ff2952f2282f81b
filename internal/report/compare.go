package report

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"brokerage/internal/campaign"
	"brokerage/internal/workload"
)

// Comparison is two files of results of the same kind, figure by figure.
type Comparison struct {
	a, b *File
	// Beside is what differs beside what is measured, and does not forbid to compare: machine, versions, settings.
	beside []difference
	// Remarks are what only one of the two has measured, and what neither says.
	remarks []string
	figures []compared
}

type difference struct{ Name, A, B string }

// compared is one figure of both.
type compared struct {
	Group  string // the workload and its settings, or what else was measured
	Head   bool   // one of the two that the verdict is made of
	Valid  bool   // no run that it comes from is INVALID
	Users  int
	Name   string // of the figure, with its unit
	Detail bool   // of one transaction
	A, B   sample
	Higher bool // is better
	format func(float64) string
}

func (c compared) ratio() float64 {
	if c.A.median() == 0 {
		return 0
	}
	return c.B.median() / c.A.median()
}

// outcome says which way a difference goes, if there is one.
func (c compared) outcome() string {
	switch v := judge(c.A, c.B); {
	case v != larger:
		return v.String()
	case (c.B.median() > c.A.median()) == c.Higher:
		return "better, " + v.String()
	default:
		return "worse, " + v.String()
	}
}

// Compare sets two files side by side. It refuses, with an error of one line, where figures would differ for another
// reason than what is compared: other data, another promise when a commit is answered, another definition of the
// workload.
func Compare(a, b *File) (*Comparison, error) {
	if a.what() != b.what() {
		return nil, fmt.Errorf("%s is %s and %s is %s: only two of a kind can be compared", a.Name, a.what(), b.Name, b.what())
	}
	groupsA, groupsB := a.groups(), b.groups()
	if err := comparableFiles(a, b, groupsA, groupsB); err != nil {
		return nil, err
	}
	c := &Comparison{a: a, b: b, beside: besides(a, b)}
	for _, f := range []*File{a, b} {
		if f.durability() == "" {
			c.remarks = append(c.remarks, f.Name+" does not say how durable a commit is: whether both promise the same is not known")
		}
	}
	for _, g := range groupsA {
		at := slices.IndexFunc(groupsB, g.same)
		if at < 0 {
			c.remarks = append(c.remarks, fmt.Sprintf("%s, %s: only in %s", g.name(), plural(g.Users, "user"), a.Name))
			continue
		}
		c.compareGroups(g, groupsB[at])
	}
	for _, g := range groupsB {
		if !slices.ContainsFunc(groupsA, g.same) {
			c.remarks = append(c.remarks, fmt.Sprintf("%s, %s: only in %s", g.name(), plural(g.Users, "user"), b.Name))
		}
	}
	if a.Campaign != nil {
		c.compareSteps(a.Campaign, b.Campaign)
	}
	if len(c.figures) == 0 {
		return nil, fmt.Errorf("%s and %s have measured nothing in common", a.Name, b.Name)
	}
	return c, nil
}

func (f *File) what() string {
	switch {
	case f.Campaign != nil:
		return "a campaign"
	case f.Tier != nil:
		return "a comparison of the tiers"
	default:
		return "a run"
	}
}

// Together makes one side of a comparison of the repeats of a measurement, each in a file of its own. It refuses, with
// an error of one line, files that are not repeats of one thing, and a run that is given twice: noise is the scatter of
// separate runs.
func Together(files []*File) (*File, error) {
	if len(files) == 0 {
		return nil, errors.New("a side of a comparison has no file")
	}
	first := *files[0]
	for i, f := range files[1:] {
		if first.Campaign != nil || f.Campaign != nil {
			return nil, fmt.Errorf("%s and %s are one side, and a campaign has its repeats in it: compare two campaigns with each other", first.Name, f.Name)
		}
		if first.what() != f.what() {
			return nil, fmt.Errorf("%s is %s and %s is %s: one side is repeats of one thing", first.Name, first.what(), f.Name, f.what())
		}
		if err := comparableFiles(&first, f, first.groups(), f.groups()); err != nil {
			return nil, err
		}
		for _, d := range besides(&first, f) {
			return nil, fmt.Errorf("%s and %s are no repeats of one measurement: %s differs: %q and %q", first.Name, f.Name, d.Name, d.A, d.B)
		}
		for _, other := range files[:i+1] {
			if a, b := other.groups()[0].Runs[0], f.groups()[0].Runs[0]; a.Started.Equal(b.Started) && a.Total.Count == b.Total.Count {
				return nil, fmt.Errorf("%s and %s are the same run: a side needs separate runs", other.Name, f.Name)
			}
		}
		first.repeats = append(first.repeats, f)
	}
	return &first, nil
}

// names lists the files of one side.
func (f *File) names() []string {
	names := []string{f.Name}
	for _, repeat := range f.repeats {
		names = append(names, repeat.Name)
	}
	return names
}

// groups are the measured runs of any file, with those of its repeats.
func (f *File) groups() []group {
	all := f.ownGroups()
	for _, repeat := range f.repeats {
		for i, g := range repeat.ownGroups() {
			all[i].Runs = append(all[i].Runs, g.Runs...)
		}
	}
	return all
}

// ownGroups returns the measured runs of the file itself.
func (f *File) ownGroups() []group {
	switch {
	case f.Campaign != nil:
		return groupsOf(f.Campaign)
	case f.Tier != nil:
		return []group{
			{Label: "direct", Users: f.Tier.Direct.Model.Users, Runs: []*workload.Run{&f.Tier.Direct}},
			{Label: "http", Slot: 1, Users: f.Tier.HTTP.Model.Users, Runs: []*workload.Run{&f.Tier.HTTP}},
		}
	default:
		// Two runs are compared whatever their users are: who asks for it wants to know.
		return []group{{Label: f.Run.Workload.Name, Runs: []*workload.Run{f.Run}}}
	}
}

// durability is the promise that a commit keeps. Runs say it among their settings.
func (f *File) durability() string {
	if f.Campaign != nil {
		return f.Campaign.Store.Durability
	}
	return f.groups()[0].Runs[0].Settings["durability"]
}

func (f *File) dataset() workload.DatasetStamp {
	if f.Campaign != nil {
		return f.Campaign.Dataset
	}
	return f.groups()[0].Runs[0].Dataset
}

func comparableFiles(a, b *File, groupsA, groupsB []group) error {
	refuse := func(what, of, in string) error {
		return fmt.Errorf("%s and %s cannot be compared: their %s differ: %q and %q", a.Name, b.Name, what, of, in)
	}
	if x, y := a.dataset().Fingerprint, b.dataset().Fingerprint; x != y {
		return refuse("datasets", x, y)
	}
	if x, y := a.durability(), b.durability(); x != y && x != "" && y != "" {
		return refuse("durability settings", x, y)
	}
	definition := func(r *workload.Run) string {
		return fmt.Sprintf("%s, file %s, validate %t", r.Workload.Name, short(r.Workload.SHA256), r.Workload.Validate)
	}
	for _, g := range groupsA {
		for _, h := range groupsB {
			if g.Label != h.Label && a.Run == nil {
				continue
			}
			if x, y := definition(g.Runs[0]), definition(h.Runs[0]); x != y {
				return refuse("workloads", x, y)
			}
		}
	}
	return nil
}

// besides are the differences that a reader has to know of.
func besides(a, b *File) []difference {
	var all []difference
	of, in := circumstances(a), circumstances(b)
	for i, f := range of {
		if f.Text != in[i].Text {
			all = append(all, difference{f.Name, f.Text, in[i].Text})
		}
	}
	return all
}

// circumstances are the same facts of every file, in the same order.
func circumstances(f *File) []fact {
	r := new(workload.Run) // of a campaign that has run nothing yet
	if groups := f.groups(); len(groups) > 0 {
		r = groups[0].Runs[0]
	}
	machine := r.Machine
	if f.Campaign != nil {
		machine = f.Campaign.Machine.Machine
	}
	facts := machineFacts(machine)
	facts = append(facts, fact{"Made by", joined(" ", r.Tool.Name, r.Tool.Version)}, fact{"Load", fmt.Sprintf("%s, think time %s, %s measured after %s",
		r.Model.Kind, secondsText(r.Model.Think), secondsText(r.Duration), secondsText(r.Ramp))},
		fact{"Target", joined(", ", r.Target.Engine, r.Target.Kind)}, fact{"Service", r.Target.Version}, fact{"Commit", short(r.Commit)},
		fact{"Load generator", map[bool]string{true: "on the same host", false: "on a host of its own"}[r.Target.SameHost]})
	settings := r.Settings
	if f.Campaign != nil {
		settings = f.Campaign.Store.Settings
		facts = append(facts, fact{"Store", joined(" ", f.Campaign.Store.Engine, f.Campaign.Store.Version)})
	}
	settings = maps.Clone(settings)
	delete(settings, "durability")
	facts = append(facts, fact{"Settings", settingsText(settings)})
	if f.Run != nil {
		facts = append(facts, fact{"Users", fmt.Sprint(r.Model.Users)}, fact{"Rate", figure(r.Model.Rate)})
	}
	return facts
}

func (c *Comparison) compareGroups(a, b group) {
	put := func(name string, detail, higher bool, format func(float64) string, of func(*workload.Run) float64) {
		f := compared{Group: a.name(), Head: name == headGoodput || name == headP99, Valid: !a.invalid() && !b.invalid(),
			Users: a.middle().Model.Users, Name: name, Detail: detail, A: a.values(of), B: b.values(of), Higher: higher, format: format}
		if f.A.median() > 0 || f.B.median() > 0 {
			c.figures = append(c.figures, f)
		}
	}
	put("throughput, tps", false, true, figure, tps)
	put(headGoodput, false, true, figure, goodput)
	put("p50, ms", false, false, millis, p50)
	put("p95, ms", false, false, millis, p95)
	put(headP99, false, false, millis, p99)
	put("CPU, µs a transaction", false, false, figure, func(r *workload.Run) float64 {
		cpu := 0.0
		for _, p := range []*workload.Process{r.Usage.Service, r.Usage.Database} {
			if p != nil {
				cpu += p.CPUSeconds
			}
		}
		return 1e6 * cpu / float64(max(r.Total.Count, 1))
	})
	rows := a.middle().Transactions
	if len(rows) < 2 {
		return
	}
	for _, row := range rows {
		for _, p := range []struct {
			name string
			of   func(workload.Latency) float64
		}{{"p50", func(l workload.Latency) float64 { return l.P50 }}, {"p99", func(l workload.Latency) float64 { return l.P99 }}} {
			put(row.Name+", "+p.name+" ms", true, false, millis, func(r *workload.Run) float64 {
				if row := rowOf(r.Transactions, row.Name); row != nil {
					return p.of(row.Latency)
				}
				return 0
			})
		}
	}
}

// compareSteps compares what a campaign measures once, by the name of the step.
func (c *Comparison) compareSteps(a, b *campaign.Record) {
	for i := range a.Steps {
		at := slices.IndexFunc(b.Steps, func(s campaign.Step) bool { return s.Name == a.Steps[i].Name && s.Kind == a.Steps[i].Kind })
		if at < 0 {
			continue
		}
		x, y := &a.Steps[i], &b.Steps[at]
		put := func(name string, of, in float64, higher bool, format func(float64) string) {
			c.figures = append(c.figures, compared{Group: x.Name, Valid: true, Name: name, A: sample{of}, B: sample{in}, Higher: higher, format: format})
		}
		switch {
		case x.Load != nil && y.Load != nil && x.Seconds > 0 && y.Seconds > 0:
			put("bulk load, documents a second", float64(x.Load.Documents)/x.Seconds, float64(y.Load.Documents)/y.Seconds, true, figure)
		case x.Space != nil && y.Space != nil:
			put("size of the database", float64(x.Space.Total), float64(y.Space.Total), false, bytesText)
		case x.Copy != nil && y.Copy != nil:
			put("seconds", x.Seconds, y.Seconds, false, figure)
		}
		for _, g := range x.Inserts {
			at := slices.IndexFunc(y.Inserts, func(h campaign.Growth) bool { return h.Workload == g.Workload && h.Stage == g.Stage })
			if at >= 0 {
				put(fmt.Sprintf("%s, stage %d, a second", g.Workload, g.Stage), g.Rate, y.Inserts[at].Rate, true, figure)
			}
		}
	}
}

// tally counts the verdicts, and how many differences chance alone would make.
type tally struct {
	better, worse, within, unknown int
	byChance                       float64
}

func (c *Comparison) tally() tally {
	var t tally
	for _, f := range c.figures {
		switch v := judge(f.A, f.B); {
		case v == unknown:
			t.unknown++
		case v == within:
			t.within++
		case (f.B.median() > f.A.median()) == f.Higher:
			t.better++
		default:
			t.worse++
		}
		t.byChance += chanceOf(min(len(f.A), len(f.B)))
	}
	return t
}

func (t tally) String() string {
	judged := t.better + t.worse + t.within
	text := fmt.Sprintf("Larger than noise: %d (%d better, %d worse). Within noise: %d. Noise unknown: %d.", t.better+t.worse, t.better, t.worse, t.within, t.unknown)
	if judged > 0 {
		text += fmt.Sprintf(" Of the %d that could be judged, chance alone would make about %s larger than noise.", judged, fixed(t.byChance, 1))
	}
	return text
}

// chanceOf is how often the rule finds a difference where there is none, with so many repeats on each side.
// TestJudge_Chance counts them.
func chanceOf(repeats int) float64 {
	switch {
	case repeats < enoughRepeats:
		return 0
	case repeats == 3:
		return 0.025
	case repeats == 4:
		return 0.006
	default:
		return 0.0016
	}
}

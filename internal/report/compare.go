package report

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"brokerage/internal/campaign"
	"brokerage/internal/format"
	"brokerage/internal/workload"
)

// Comparison compares two files of results of the same kind, figure by figure.
type Comparison struct {
	a, b    *File
	differ  []difference // circumstances that do not forbid to compare: machine, versions, settings
	remarks []string     // what one of the two does not have
	figures []compared
}

type difference struct{ Name, A, B string }

// compared is a figure of both sides.
type compared struct {
	Group  string // the workload and its settings, or the step
	Head   bool   // the verdict is made of this figure
	Valid  bool   // no run that it comes from is INVALID
	Users  int
	Name   string // of the figure, with its unit
	Detail bool   // of one transaction
	A, B   repeats
	Higher bool // is better
	write  func(float64) string
}

func (c compared) ratio() float64 { return ratio(c.B.median(), c.A.median()) }

// improved reports whether B has the better median.
func (c compared) improved() bool { return (c.B.median() > c.A.median()) == c.Higher }

// outcome says which side is better, if the difference is larger than the noise.
func (c compared) outcome() string {
	switch v := judge(c.A, c.B); {
	case v != larger:
		return v.String()
	case c.improved():
		return "better, " + v.String()
	default:
		return "worse, " + v.String()
	}
}

// Compare compares two files. It returns an error of one line where figures would differ for another reason than the
// one that is compared: other data, another durability, another definition of the workload.
func Compare(a, b *File) (*Comparison, error) {
	if a.kind() != b.kind() {
		return nil, fmt.Errorf("%s is %s and %s is %s: only two of a kind can be compared", a.Name, a.kind(), b.Name,
			b.kind())
	}
	groupsA, groupsB := a.groups(), b.groups()
	if err := comparableFiles(a, b, groupsA, groupsB); err != nil {
		return nil, err
	}
	c := &Comparison{a: a, b: b, differ: differences(a, b)}
	for _, f := range []*File{a, b} {
		if f.durability() == "" {
			c.remarks = append(c.remarks,
				f.Name+" does not state how durable a commit is: the two may differ in it")
		}
	}
	missing := func(g group, from *File) {
		c.remarks = append(c.remarks, fmt.Sprintf("%s, %s: only in %s", g.name(), format.Plural(g.Users, "user"), from.Name))
	}
	for _, g := range groupsA {
		if at := slices.IndexFunc(groupsB, g.same); at >= 0 {
			c.compareGroups(g, groupsB[at])
		} else {
			missing(g, a)
		}
	}
	for _, g := range groupsB {
		if !slices.ContainsFunc(groupsA, g.same) {
			missing(g, b)
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

func (f *File) kind() string {
	switch {
	case f.Campaign != nil:
		return "a campaign"
	case f.Tier != nil:
		return "a comparison of the tiers"
	default:
		return "a run"
	}
}

// Together returns one side of a comparison: the repeats of a measurement, each from a file of its own. It returns an
// error of one line for files that are not repeats of one measurement, and for a run that is given twice, since noise
// is the scatter of separate runs.
func Together(files []*File) (*File, error) {
	if len(files) == 0 {
		return nil, errors.New("a side of a comparison has no file")
	}
	first := *files[0]
	for i, f := range files[1:] {
		if first.Campaign != nil || f.Campaign != nil {
			return nil, fmt.Errorf("%s and %s are one side, but a campaign has its repeats in it: compare two "+
				"campaigns", first.Name, f.Name)
		}
		if first.kind() != f.kind() {
			return nil, fmt.Errorf("%s is %s and %s is %s: a side must be repeats of one measurement",
				first.Name, first.kind(), f.Name, f.kind())
		}
		if err := comparableFiles(&first, f, first.groups(), f.groups()); err != nil {
			return nil, err
		}
		for _, d := range differences(&first, f) {
			return nil, fmt.Errorf("%s and %s are not repeats of one measurement: %s differs: %q and %q", first.Name, f.Name,
				d.Name, d.A, d.B)
		}
		for _, other := range files[:i+1] {
			a, b := other.groups()[0].Runs[0], f.groups()[0].Runs[0]
			if a.Started.Equal(b.Started) && a.Total.Count == b.Total.Count {
				return nil, fmt.Errorf("%s and %s are the same run: a side needs separate runs", other.Name, f.Name)
			}
		}
		first.repeats = append(first.repeats, f)
	}
	return &first, nil
}

// names returns the names of the files of one side.
func (f *File) names() []string {
	names := []string{f.Name}
	for _, repeat := range f.repeats {
		names = append(names, repeat.Name)
	}
	return names
}

// groups returns the measured runs of any file, with those of its repeats.
func (f *File) groups() []group {
	all := f.ownGroups()
	for _, repeat := range f.repeats {
		for i, g := range repeat.ownGroups() {
			all[i].Runs = append(all[i].Runs, g.Runs...)
		}
	}
	return all
}

// ownGroups returns the measured runs of the file itself. The group of a single run has no number of users, so that two
// runs with different numbers of users can be compared.
func (f *File) ownGroups() []group {
	switch {
	case f.Campaign != nil:
		return groupsOf(f.Campaign)
	case f.Tier != nil:
		return tierGroups(f.Tier)
	default:
		return []group{{Label: f.Run.Workload.Name, Runs: []*workload.Run{f.Run}}}
	}
}

// durability returns what a commit promises, or "" when the file does not say.
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
	refuse := func(what, x, y string) error {
		return fmt.Errorf("%s and %s cannot be compared: their %s differ: %q and %q", a.Name, b.Name, what, x, y)
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

// differences returns the circumstances in which two files differ.
func differences(a, b *File) []difference {
	var all []difference
	other := circumstances(b)
	for i, f := range circumstances(a) {
		if f.Text != other[i].Text {
			all = append(all, difference{f.Name, f.Text, other[i].Text})
		}
	}
	return all
}

// circumstances returns the same facts of every file, in the same order.
func circumstances(f *File) []fact {
	r := new(workload.Run) // of a campaign that has not run anything yet
	if groups := f.groups(); len(groups) > 0 {
		r = groups[0].Runs[0]
	}
	machine, settings := r.Machine, maps.Clone(r.Settings)
	if f.Campaign != nil {
		machine, settings = f.Campaign.Machine.Machine, maps.Clone(f.Campaign.Store.Settings)
	}
	delete(settings, "durability")
	generator := "on a host of its own"
	if r.Target.SameHost {
		generator = "on the same host"
	}
	facts := append(machineFacts(machine),
		fact{"Tool", joined(" ", r.Tool.Name, r.Tool.Version)},
		fact{"Load", fmt.Sprintf("%s, think time %s, %s measured after %s", r.Model.Kind, seconds(r.Model.Think),
			seconds(r.Duration), seconds(r.Ramp))},
		fact{"Target", joined(", ", r.Target.Engine, r.Target.Kind)}, fact{"Service", r.Target.Version},
		fact{"Commit", short(r.Commit)}, fact{"Load generator", generator})
	if f.Campaign != nil {
		facts = append(facts, fact{"Store", joined(" ", f.Campaign.Store.Engine, f.Campaign.Store.Version)})
	}
	facts = append(facts, fact{"Settings", settingsText(settings)})
	if f.Run != nil {
		facts = append(facts, fact{"Users", fmt.Sprint(r.Model.Users)}, fact{"Rate", format.Figure(r.Model.Rate)})
	}
	return facts
}

func (c *Comparison) compareGroups(a, b group) {
	add := func(f compared, of func(*workload.Run) float64) {
		f.Group, f.Users, f.A, f.B = a.name(), a.middle().Model.Users, a.values(of), b.values(of)
		f.Valid = !a.invalid() && !b.invalid()
		if f.A.median() > 0 || f.B.median() > 0 {
			c.figures = append(c.figures, f)
		}
	}
	add(compared{Name: "throughput, tps", Higher: true, write: format.Figure}, tps)
	add(compared{Name: headGoodput, Head: true, Higher: true, write: format.Figure}, goodput)
	add(compared{Name: "p50, ms", write: millis}, p50)
	add(compared{Name: "p95, ms", write: millis}, p95)
	add(compared{Name: headP99, Head: true, write: millis}, p99)
	add(compared{Name: "CPU, µs a transaction", write: format.Figure}, func(r *workload.Run) float64 {
		cpuSeconds := serving(r, func(p *workload.Process) float64 { return p.CPUSeconds })
		return 1e6 * cpuSeconds / float64(max(r.Total.Count, 1))
	})
	rows := a.middle().Transactions
	if len(rows) < 2 {
		return
	}
	for _, row := range rows {
		latency := func(of func(workload.Latency) float64) func(*workload.Run) float64 {
			return func(r *workload.Run) float64 {
				if row := rowOf(r.Transactions, row.Name); row != nil {
					return of(row.Latency)
				}
				return 0
			}
		}
		add(compared{Name: row.Name + ", p50 ms", Detail: true, write: millis},
			latency(func(l workload.Latency) float64 { return l.P50 }))
		add(compared{Name: row.Name + ", p99 ms", Detail: true, write: millis},
			latency(func(l workload.Latency) float64 { return l.P99 }))
	}
}

// compareSteps compares what a campaign measures once, by the name of the step.
func (c *Comparison) compareSteps(a, b *campaign.Record) {
	for i := range a.Steps {
		at := slices.IndexFunc(b.Steps, func(s campaign.Step) bool {
			return s.Name == a.Steps[i].Name &&
				s.Kind == a.Steps[i].Kind
		})
		if at < 0 {
			continue
		}
		x, y := &a.Steps[i], &b.Steps[at]
		add := func(name string, a, b float64, higher bool, write func(float64) string) {
			c.figures = append(c.figures, compared{Group: x.Name, Valid: true, Name: name, A: repeats{a}, B: repeats{b},
				Higher: higher, write: write})
		}
		switch {
		case x.Load != nil && y.Load != nil && x.Seconds > 0 && y.Seconds > 0:
			add("bulk load, documents a second", float64(x.Load.Documents)/x.Seconds, float64(y.Load.Documents)/y.Seconds, true,
				format.Figure)
		case x.Space != nil && y.Space != nil:
			add("size of the database", float64(x.Space.Total), float64(y.Space.Total), false, format.Bytes[float64])
		case x.Copy != nil && y.Copy != nil:
			add("seconds", x.Seconds, y.Seconds, false, format.Figure)
		}
		for _, g := range x.Inserts {
			at := slices.IndexFunc(y.Inserts, func(h campaign.Growth) bool {
				return h.Workload == g.Workload &&
					h.Stage == g.Stage
			})
			if at >= 0 {
				add(fmt.Sprintf("%s, stage %d, a second", g.Workload, g.Stage), g.Rate, y.Inserts[at].Rate, true, format.Figure)
			}
		}
	}
}

// verdictCounts counts the verdicts, and how many differences chance alone would make.
type verdictCounts struct {
	better, worse, within, unknown int
	byChance                       float64
}

func (c *Comparison) counts() verdictCounts {
	var n verdictCounts
	for _, f := range c.figures {
		switch v := judge(f.A, f.B); {
		case v == unknown:
			n.unknown++
		case v == within:
			n.within++
		case f.improved():
			n.better++
		default:
			n.worse++
		}
		n.byChance += chanceOf(min(len(f.A), len(f.B)))
	}
	return n
}

func (n verdictCounts) String() string {
	text := fmt.Sprintf("Larger than noise: %d (%d better, %d worse). Within noise: %d. Noise unknown: %d.",
		n.better+n.worse,
		n.better, n.worse, n.within, n.unknown)
	if judged := n.better + n.worse + n.within; judged > 0 {
		text += fmt.Sprintf(" Of the %d that could be judged, chance alone would make about %s larger than noise.", judged,
			format.Fixed(n.byChance, 1))
	}
	return text
}

// chanceOf returns how often the rule finds a difference where there is none, with so many repeats on each side.
// TestJudge_Chance measures it.
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

package report

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"brokerage/internal/campaign"
	"brokerage/internal/format"
	"brokerage/internal/result"
)

// Comparison compares two files of results of the same kind, figure by figure.
type Comparison struct {
	a, b    *File
	differ  []difference // differences that still allow a comparison: machine, versions, settings
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
	v := judge(c.A, c.B)
	switch {
	case v != larger:
		return v.String()
	case c.improved():
		return "better, " + v.String()
	default:
		return "worse, " + v.String()
	}
}

// texts returns the columns of the figure in a table of a comparison.
func (c compared) texts() []string {
	return []string{c.Name, c.write(c.A.median()), c.A.spread(), c.write(c.B.median()), c.B.spread(), times(c.ratio(), 3),
		c.outcome()}
}

// Compare compares two files. It returns a one-line error if figures would differ for another reason than the compared
// one: other data, another durability, another definition of the workload.
func Compare(a, b *File) (*Comparison, error) {
	if a.kind() != b.kind() {
		return nil, fmt.Errorf("%s is %s and %s is %s: only two of a kind can be compared", a.Name, a.kind(), b.Name,
			b.kind())
	}
	if err := requireComparable(a, b); err != nil {
		return nil, err
	}
	c := &Comparison{a: a, b: b, differ: differences(a, b)}
	for _, f := range []*File{a, b} {
		if f.durability() == "" {
			c.remarks = append(c.remarks, f.Name+" does not state how durable a commit is: the two may differ in it")
		}
	}
	missing := func(g group, from *File) {
		c.remarks = append(c.remarks, fmt.Sprintf("%s, %s: only in %s", g.name(), format.Plural(g.Users, "user"), from.Name))
	}
	groupsA, groupsB := a.groups(), b.groups()
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
		return nil, fmt.Errorf("%s and %s have no measurement in common", a.Name, b.Name)
	}
	return c, nil
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
			return nil, fmt.Errorf("%s and %s are on one side, but a campaign contains its repeats: compare two campaigns",
				first.Name, f.Name)
		}
		if first.kind() != f.kind() {
			return nil, fmt.Errorf("%s is %s and %s is %s: a side must be repeats of one measurement",
				first.Name, first.kind(), f.Name, f.kind())
		}
		if err := requireComparable(&first, f); err != nil {
			return nil, err
		}
		for _, d := range differences(&first, f) {
			return nil, fmt.Errorf("%s and %s are not repeats of one measurement: %s differs: %q and %q", first.Name, f.Name,
				d.Name, d.A, d.B)
		}
		for _, other := range files[:i+1] {
			a, b := other.first(), f.first()
			if a.Started.Equal(b.Started) && a.Total.Count == b.Total.Count {
				return nil, fmt.Errorf("%s and %s are the same run: a side needs separate runs", other.Name, f.Name)
			}
		}
		first.repeats = append(first.repeats, f)
	}
	return &first, nil
}

func (f *File) kind() string {
	switch {
	case f.Campaign != nil:
		return "a campaign"
	default:
		return "a run"
	}
}

// names returns the names of the files of one side.
func (f *File) names() []string {
	names := []string{f.Name}
	for _, repeat := range f.repeats {
		names = append(names, repeat.Name)
	}
	return names
}

// groups returns the measured runs of any file, with those of its repeats. The group of a single run has no number of
// users, so that two runs with different numbers of users can be compared.
func (f *File) groups() (all []group) {
	switch {
	case f.Campaign != nil:
		all = groupsOf(f.Campaign)
	default:
		all = []group{{Label: f.Run.Workload.Name, Runs: []*result.Run{f.Run}}}
	}
	for _, repeat := range f.repeats {
		for i, g := range repeat.groups() {
			all[i].Runs = append(all[i].Runs, g.Runs...)
		}
	}
	return all
}

// first returns the first run of a file, or an empty one of a campaign that has not run anything yet.
func (f *File) first() *result.Run {
	if groups := f.groups(); len(groups) > 0 {
		return groups[0].Runs[0]
	}
	return new(result.Run)
}

// durability returns what a commit promises, or "" when the file does not say.
func (f *File) durability() string {
	if f.Campaign != nil {
		return f.Campaign.Store.Durability
	}
	return f.first().Settings["durability"]
}

func (f *File) dataset() result.DatasetStamp {
	if f.Campaign != nil {
		return f.Campaign.Dataset
	}
	return f.first().Dataset
}

// requireComparable returns an error when two files measured something else.
func requireComparable(a, b *File) error {
	refuse := func(what, x, y string) error {
		return fmt.Errorf("%s and %s cannot be compared: their %s differ: %q and %q", a.Name, b.Name, what, x, y)
	}
	if x, y := a.dataset().Fingerprint, b.dataset().Fingerprint; x != y {
		return refuse("datasets", x, y)
	}
	if x, y := a.durability(), b.durability(); x != y && x != "" && y != "" {
		return refuse("durability settings", x, y)
	}
	definition := func(g group) string {
		w := g.Runs[0].Workload
		return joined(", ", w.Name, "file "+short(w.SHA256), fmt.Sprintf("validate %t", w.Validate),
			prefixed("weights ", w.Weights))
	}
	for _, g := range a.groups() {
		for _, h := range b.groups() {
			if x, y := definition(g), definition(h); x != y && (g.Label == h.Label || a.Run != nil) {
				return refuse("workloads", x, y)
			}
		}
	}
	return nil
}

// differences returns the circumstances in which two files differ.
func differences(a, b *File) (all []difference) {
	other := circumstances(b)
	for i, f := range circumstances(a) {
		if f.Text != other[i].Text {
			all = append(all, difference{f.Name, f.Text, other[i].Text})
		}
	}
	return all
}

// lengthOf returns how long a run was to be measured.
func lengthOf(r *result.Run) string {
	if r.Model.Count > 0 {
		return format.Plural(r.Model.Count, "transaction")
	}
	return seconds(r.Duration)
}

// circumstances returns the same facts of every file, in the same order.
func circumstances(f *File) []fact {
	r := f.first()
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
		fact{"Load", fmt.Sprintf("%s, think time %s, %s measured after %s", r.Model.Kind, thinkText(r.Model),
			lengthOf(r), seconds(r.Ramp))},
		fact{"Consistency", string(r.Model.Consistency)},
		fact{"Target", joined(", ", r.Target.Engine, r.Target.Kind)}, fact{"Service", r.Target.Version},
		fact{"Commit", short(r.Commit)}, fact{"Load generator", generator})
	if f.Campaign != nil {
		facts = append(facts, fact{"Store", joined(" ", f.Campaign.Store.Engine, f.Campaign.Store.Version)})
	}
	facts = append(facts, fact{"Settings", settingsText(settings)}, fact{"Work on XML", faithfulText(r.Faithful)})
	if f.Run != nil {
		facts = append(facts, fact{"Users", fmt.Sprint(r.Model.Users)}, fact{"Rate", format.Figure(r.Model.Rate)})
	}
	return facts
}

func (c *Comparison) compareGroups(a, b group) {
	add := func(f compared, of func(*result.Run) float64) {
		f.Group, f.Users, f.A, f.B = a.name(), a.middle().Model.Users, a.values(of), b.values(of)
		f.Valid = !a.invalid() && !b.invalid()
		if f.A.median() > 0 || f.B.median() > 0 {
			c.figures = append(c.figures, f)
		}
	}
	add(compared{Name: "throughput, tps", Higher: true, write: format.Figure}, tps)
	add(compared{Name: "goodput, a second", Head: true, Higher: true, write: format.Figure}, goodput)
	add(compared{Name: "p50, ms", write: millis}, p50)
	add(compared{Name: "p95, ms", write: millis}, p95)
	add(compared{Name: "p99, ms", Head: true, write: millis}, p99)
	add(compared{Name: "CPU, µs a transaction", write: format.Figure}, func(r *result.Run) float64 {
		cpuSeconds := serving(r, func(p *result.ProcessUsage) float64 { return p.CPUSeconds })
		return 1e6 * cpuSeconds / float64(max(r.Total.Count, 1))
	})
	rows := a.middle().Transactions
	if len(rows) < 2 {
		return
	}
	for _, row := range rows {
		latency := func(r *result.Run) (l result.Latency) {
			if row := rowOf(r.Transactions, row.Name); row != nil {
				l = row.Latency
			}
			return l
		}
		add(compared{Name: row.Name + ", p50 ms", Detail: true, write: millis},
			func(r *result.Run) float64 { return latency(r).P50 })
		add(compared{Name: row.Name + ", p99 ms", Detail: true, write: millis},
			func(r *result.Run) float64 { return latency(r).P99 })
	}
}

// compareSteps compares what a campaign measures once, by the name of the step.
func (c *Comparison) compareSteps(a, b *campaign.Record) {
	for _, x := range a.Steps {
		at := slices.IndexFunc(b.Steps, func(s campaign.Step) bool { return s.Name == x.Name && s.Kind == x.Kind })
		if at < 0 {
			continue
		}
		y := b.Steps[at]
		add := func(name string, a, b float64, higher bool, write func(float64) string) {
			c.figures = append(c.figures, compared{Group: x.Name, Valid: true, Name: name, A: repeats{a}, B: repeats{b},
				Higher: higher, write: write})
		}
		switch {
		case x.Load != nil && y.Load != nil && x.Seconds > 0 && y.Seconds > 0:
			rate := func(s campaign.Step) float64 { return float64(s.Load.Documents) / s.Seconds }
			add("bulk load, documents a second", rate(x), rate(y), true, format.Figure)
		case x.Space != nil && y.Space != nil:
			add("size of the database", float64(x.Space.Total), float64(y.Space.Total), false, format.Bytes[float64])
		case x.Copy != nil && y.Copy != nil:
			add("seconds", x.Seconds, y.Seconds, false, format.Figure)
		}
		for _, g := range x.Inserts {
			same := func(h campaign.Growth) bool { return h.Workload == g.Workload && h.Stage == g.Stage }
			if at := slices.IndexFunc(y.Inserts, same); at >= 0 {
				add(fmt.Sprintf("%s, stage %d, a second", g.Workload, g.Stage), g.Rate, y.Inserts[at].Rate, true, format.Figure)
			}
		}
	}
}

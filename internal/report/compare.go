package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"brokerage/internal/campaign"
	"brokerage/internal/format"
	"brokerage/internal/result"
)

// Comparison shows two files of results of the same kind side by side, figure by figure.
type Comparison struct {
	a, b    *File
	differ  []difference // differences that still allow a comparison: machine, versions, settings
	remarks []string     // what one of the two does not have
	figures []compared
}

type difference struct{ Name, A, B string }

// compared is a figure of both sides.
type compared struct {
	Group string // the workload and its settings, or the step
	Users int
	Name  string // of the figure, with its unit
	A, B  float64
	write func(float64) string
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

func (f *File) kind() string {
	if f.Campaign != nil {
		return "a campaign"
	}
	return "a run"
}

// groups returns the measured runs of any file. The group of a single run has no number of users, so that two runs with
// different numbers of users can be compared.
func (f *File) groups() (all []group) {
	if f.Campaign != nil {
		return groupsOf(f.Campaign)
	}
	return []group{{Label: f.Run.Workload.Name, Run: f.Run}}
}

// first returns the first run of a file, or an empty one of a campaign that has not run anything yet.
func (f *File) first() *result.Run {
	if groups := f.groups(); len(groups) > 0 {
		return groups[0].Run
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
		w := g.Run.Workload
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

// differences returns the circumstances in which two files differ, which are the facts at the head of their pages but
// those that always differ.
func differences(a, b *File) (all []difference) {
	other := make(map[string]string)
	for _, f := range b.facts() {
		other[f.Name] = f.Text
	}
	for _, f := range a.facts() {
		always := []string{"Measured", "Arrivals", "Prepared", "Target", "Limit", "Database", "Disk"}
		if f.Text != other[f.Name] && !slices.Contains(always, f.Name) {
			all = append(all, difference{f.Name, f.Text, other[f.Name]})
		}
	}
	return all
}

func (f *File) facts() []fact {
	if f.Campaign != nil {
		return campaignFacts(f.Campaign)
	}
	return runFacts(f.Run)
}

func (c *Comparison) compareGroups(a, b group) {
	add := func(name string, write func(float64) string, of func(*result.Run) float64) {
		f := compared{a.name(), a.Run.Model.Users, name, of(a.Run), of(b.Run), write}
		if f.A > 0 || f.B > 0 {
			c.figures = append(c.figures, f)
		}
	}
	add("throughput, tps", format.Figure, tps)
	add("goodput, a second", format.Figure, func(r *result.Run) float64 { return r.Goodput })
	add("p50, ms", millis, p50)
	add("p95, ms", millis, p95)
	add("p99, ms", millis, p99)
	add("CPU, µs a transaction", format.Figure, func(r *result.Run) float64 {
		cpuSeconds := serving(r, func(p *result.ProcessUsage) float64 { return p.CPUSeconds })
		return 1e6 * cpuSeconds / float64(max(r.Total.Count, 1))
	})
	if len(a.Run.Transactions) < 2 {
		return
	}
	for _, row := range a.Run.Transactions {
		add(row.Name+", p99 ms", millis, func(r *result.Run) float64 {
			if row := rowOf(r.Transactions, row.Name); row != nil {
				return row.Latency.P99
			}
			return 0
		})
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
		add := func(name string, a, b float64, write func(float64) string) {
			c.figures = append(c.figures, compared{x.Name, 0, name, a, b, write})
		}
		switch {
		case x.Load != nil && y.Load != nil && x.Seconds > 0 && y.Seconds > 0:
			rate := func(s campaign.Step) float64 { return float64(s.Load.Documents) / s.Seconds }
			add("bulk load, documents a second", rate(x), rate(y), format.Figure)
		case x.Space != nil && y.Space != nil:
			add("size of the database", float64(x.Space.Total), float64(y.Space.Total), format.Bytes[float64])
		case x.Copy != nil && y.Copy != nil:
			add("seconds", x.Seconds, y.Seconds, format.Figure)
		}
		for _, g := range x.Inserts {
			same := func(h campaign.Growth) bool { return h.Workload == g.Workload && h.Stage == g.Stage }
			if at := slices.IndexFunc(y.Inserts, same); at >= 0 {
				add(fmt.Sprintf("%s, stage %d, a second", g.Workload, g.Stage), g.Rate, y.Inserts[at].Rate, format.Figure)
			}
		}
	}
}

// origin says when a file was measured, and on what.
func (f *File) origin() string {
	if c := f.Campaign; c != nil {
		return joined(", ", minute(c.Started), joined(" ", c.Store.Engine, c.Store.Version),
			prefixed("brokerage ", c.Versions.Brokerage))
	}
	r := f.Run
	return joined(", ", minute(r.Started), r.Target.Engine, joined(" ", r.Tool.Name, r.Tool.Version),
		format.Plural(r.Model.Users, "user"))
}

// stamps returns the banners of one side.
func (f *File) stamps() []banner {
	if f.Campaign != nil {
		return campaignStamps(f.Campaign, f.groups())
	}
	return stamps(f.groups())
}

// singleRuns is what two results do not say.
const singleRuns = "Each figure was measured once, so this says nothing about which side is better: " +
	"brokerage compare " +
	"measures both sides in turn until it can say so."

// WriteText writes both sides for a terminal.
func (c *Comparison) WriteText(w io.Writer) error {
	var b strings.Builder
	sides := []struct {
		letter string
		*File
	}{{"A", c.a}, {"B", c.b}}
	for _, side := range sides {
		fmt.Fprintf(&b, "%s  %s  %s\n", side.letter, side.Name, side.origin())
	}
	for _, side := range sides {
		for _, s := range side.stamps() {
			if s.Class != "aside" {
				fmt.Fprintf(&b, "%s %s: %s\n", side.letter, s.Word, joined(" ", s.Text, strings.Join(s.Reasons, "; ")))
			}
		}
	}
	for _, d := range c.differ {
		fmt.Fprintf(&b, "%s differs: A %s; B %s\n", d.Name, cmp.Or(d.A, "none"), cmp.Or(d.B, "none"))
	}
	for _, line := range c.remarks {
		b.WriteString(line + "\n")
	}
	last := ""
	for _, f := range c.figures {
		head := f.Group
		if f.Users > 0 {
			head += ", " + format.Plural(f.Users, "user")
		}
		if head != last {
			fmt.Fprintf(&b, "\n%-34s %12s %12s  %s\n", head, "A", "B", "B/A")
			last = head
		}
		fmt.Fprintf(&b, "  %-32s %12s %12s  %s\n", f.Name, f.write(f.A), f.write(f.B), times(ratio(f.B, f.A), 3))
	}
	fmt.Fprintf(&b, "\n%s\n", singleRuns)
	_, err := io.WriteString(w, b.String())
	return err
}

package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"brokerage/internal/format"
	"brokerage/internal/result"
)

// singleRuns is the note at the end of a comparison of two results.
const singleRuns = "Each figure was measured once, which does not show which side is better: " +
	"brokerage compare measures both sides in turn until that is certain."

// WriteComparison writes two files side by side for a terminal, figure by figure, with what else differs. It returns a
// one-line error if the files cannot be compared, such as for other data, another durability or another definition of
// the workload.
func WriteComparison(w io.Writer, fileA, fileB *File) error {
	a, b := fileA.side(), fileB.side()
	if err := requireComparable(a, b); err != nil {
		return err
	}
	var text strings.Builder
	for i, s := range []*side{a, b} {
		fmt.Fprintf(&text, "%c  %s  %s\n", 'A'+i, s.name, s.origin)
		for _, stamp := range s.stamps {
			fmt.Fprintf(&text, "%c %s: %s\n", 'A'+i, stamp.Word, joined(" ", stamp.Text, strings.Join(stamp.Reasons, "; ")))
		}
		if s.durability == "" {
			fmt.Fprintf(&text, "%s does not state how durable a commit is: the two may differ in it\n", s.name)
		}
	}
	writeDifferences(&text, a, b)
	writeOnlyIn(&text, a, b)
	writeOnlyIn(&text, b, a)
	head := ""
	for _, x := range a.figures {
		at := slices.IndexFunc(b.figures, func(y measure) bool { return x.head == y.head && x.name == y.name })
		if at < 0 || x.value <= 0 && b.figures[at].value <= 0 {
			continue
		}
		if x.head != head {
			head = x.head
			fmt.Fprintf(&text, "\n%-34s %12s %12s  %s\n", head, "A", "B", "B/A")
		}
		y := b.figures[at].value
		fmt.Fprintf(&text, "  %-32s %12s %12s  %s\n", x.name, x.write(x.value), x.write(y), times(ratio(y, x.value), 3))
	}
	if head == "" {
		return fmt.Errorf("%s and %s have no measurement in common", a.name, b.name)
	}
	fmt.Fprintf(&text, "\n%s\n", singleRuns)
	_, err := io.WriteString(w, text.String())
	return err
}

// side is what a comparison shows of a file.
type side struct {
	name, kind  string
	origin      string // when it was measured, and on what
	fingerprint string // of the dataset
	durability  string // what a commit promises; empty if the file does not say
	facts       []fact
	stamps      []banner
	groups      []group
	figures     []measure
}

// measure is a figure under a heading: a workload, or a step.
type measure struct {
	head, name string // the name with its unit
	value      float64
	write      func(float64) string
}

func (f *File) side() *side {
	if r := f.Run; r != nil {
		groups := groupOf(r)
		return &side{
			name: f.Name, kind: "a run", fingerprint: r.Dataset.Fingerprint, durability: r.Settings["durability"],
			origin: joined(", ", minute(r.Started), r.Target.Engine, joined(" ", r.Tool.Name, r.Tool.Version),
				format.Plural(r.Model.Users, "user")),
			facts: runFacts(r), stamps: stamps(groups), groups: groups, figures: runFigures(r.Workload.Name, r),
		}
	}
	c := f.Campaign
	groups := groupsOf(c)
	s := &side{
		name: f.Name, kind: "a campaign", fingerprint: c.Dataset.Fingerprint, durability: c.Store.Durability,
		origin: joined(", ", minute(c.Started), joined(" ", c.Store.Engine, c.Store.Version),
			prefixed("brokerage ", c.Versions.Brokerage)),
		facts: campaignFacts(c, groups), stamps: campaignStamps(c, groups), groups: groups,
	}
	for _, g := range groups {
		s.figures = append(s.figures, runFigures(g.name(), g.Run)...)
	}
	for _, step := range c.Steps {
		add := func(name string, value float64, write func(float64) string) {
			s.figures = append(s.figures, measure{step.Name, name, value, write})
		}
		if step.Load != nil && step.Seconds > 0 {
			add("bulk load, documents a second", ratio(float64(step.Load.Documents), step.Seconds), format.Figure)
		}
		if step.Copy != nil {
			add("time, s", step.Seconds, format.Figure)
		}
		if step.Space != nil {
			add("size of the database", float64(step.Space.Total), format.Bytes[float64])
		}
		for _, g := range step.Inserts {
			add(fmt.Sprintf("%s, stage %d, a second", g.Workload, g.Stage), g.Rate, format.Figure)
		}
	}
	return s
}

func runFigures(head string, r *result.Run) []measure {
	cpuSeconds := 0.0 // of the service and its database, if they were measured
	for _, p := range []*result.ProcessUsage{r.Usage.Service, r.Usage.Database} {
		if p != nil {
			cpuSeconds += p.CPUSeconds
		}
	}
	l := r.Total.Latency
	all := []measure{
		{head, "throughput, tps", r.TPS, format.Figure}, {head, "goodput, a second", r.Goodput, format.Figure},
		{head, "p50, ms", l.P50, millis}, {head, "p95, ms", l.P95, millis}, {head, "p99, ms", l.P99, millis},
		{head, "CPU, µs a transaction", ratio(1e6*cpuSeconds, float64(r.Total.Count)), format.Figure},
	}
	if len(r.Transactions) > 1 {
		for _, row := range r.Transactions {
			all = append(all, measure{head, row.Name + ", p99 ms", row.Latency.P99, millis})
		}
	}
	return all
}

// requireComparable returns an error if two files measured different things.
func requireComparable(a, b *side) error {
	refuse := func(what, x, y string) error {
		return fmt.Errorf("%s and %s cannot be compared: their %s differ: %q and %q", a.name, b.name, what, x, y)
	}
	definition := func(g group) string { return g.Run.Workload.String() }
	switch {
	case a.kind != b.kind:
		return fmt.Errorf("%s is %s and %s is %s: only two of a kind can be compared", a.name, a.kind, b.name, b.kind)
	case a.fingerprint != b.fingerprint:
		return refuse("datasets", a.fingerprint, b.fingerprint)
	case a.durability != b.durability && a.durability != "" && b.durability != "":
		return refuse("durability settings", a.durability, b.durability)
	}
	for _, g := range a.groups {
		for _, h := range b.groups {
			if x, y := definition(g), definition(h); x != y && (g.Label == h.Label || a.kind == "a run") {
				return refuse("workloads", x, y)
			}
		}
	}
	return nil
}

// writeDifferences writes the facts in which a and b differ, except those that always differ.
func writeDifferences(text *strings.Builder, a, b *side) {
	done := []string{"Measured", "Arrivals", "Prepared", "Target", "Limit", "Database", "Disk"} // they always differ
	textOf := func(s *side, name string) string {
		for _, f := range s.facts {
			if f.Name == name {
				return f.Text
			}
		}
		return "none"
	}
	for _, f := range slices.Concat(a.facts, b.facts) {
		if ofA, ofB := textOf(a, f.Name), textOf(b, f.Name); ofA != ofB && !slices.Contains(done, f.Name) {
			done = append(done, f.Name)
			fmt.Fprintf(text, "%s differs: A %s; B %s\n", f.Name, ofA, ofB)
		}
	}
}

// writeOnlyIn writes what was measured in one file but not in the other.
func writeOnlyIn(text *strings.Builder, in, notIn *side) {
	last := ""
	for _, x := range in.figures {
		found := slices.ContainsFunc(notIn.figures, func(y measure) bool { return x.head == y.head })
		if !found && x.head != last {
			fmt.Fprintf(text, "%s: only in %s\n", x.head, in.name)
			last = x.head
		}
	}
}

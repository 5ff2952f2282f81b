package report

import (
	"fmt"
	"io"
	"strings"

	"brokerage/internal/campaign"
	"brokerage/internal/format"
)

// conclusion is what a report of a campaign begins with, and what its command prints at the end.
type conclusion struct {
	Answer   string   // in one sentence
	Measured []string // a line for each workload, and for what else was measured
	Limits   string   // the throughput
	Not      []string // to be compared with other figures, and why

	brief []string // those of Measured that the terminal has room for
}

// measured adds a line.
func (k *conclusion) measured(brief bool, line string) {
	if k.Measured = append(k.Measured, line); brief {
		k.brief = append(k.brief, line)
	}
}

// answering is the order in which workloads are looked for to give the answer.
var answering = []string{"mixed", "classic", "query"}

// concluded returns the conclusion of a campaign.
func concluded(c *campaign.Record, groups []group) *conclusion {
	k := &conclusion{Answer: "Nothing was measured."}
	plain := filter(groups, group.plain)
	for label, measured := range byLabel(plain) {
		k.measured(!strings.Contains(label, "not validated"), rateText(c, label, measured))
	}
	for _, step := range c.Steps {
		switch {
		case len(step.Inserts) > 0:
			for _, line := range populationText(c, step.Inserts) {
				k.measured(false, line)
			}
		case step.Kind == campaign.KindCrash && step.Run != nil:
			k.measured(true, "crash: "+campaign.Outcome(&step))
		}
	}
	if s := plainSpace(c); s != nil {
		k.measured(true, fmt.Sprintf("space: %s on disk, %s of the documents", format.Bytes(s.Total),
			percent(float64(s.Total)/float64(s.Raw), 0)))
	}
	for _, label := range append(answering, labels(plain)...) {
		measured := filter(plain, func(g group) bool { return g.Label == label })
		if len(measured) == 0 {
			continue
		}
		g := best(measured)
		k.Answer = fmt.Sprintf("%s: %s transactions a second at %s, p99 %s ms, on %s with %s of %s.", label,
			format.Figure(tps(g.Run)), usersText(g), millis(p99(g.Run)), joined(" ", c.Store.Engine, c.Store.Version),
			c.Dataset.Scale, c.Dataset.Profile)
		k.Limits = g.Run.Limit()
		if k.Limits != "" && len(measured) > 1 && g.Users == mostUsers(measured) {
			k.Limits += "; the throughput still grew at the greatest number of users"
		}
		break
	}
	k.Not = incomparable(c, groups)
	return k
}

// rateText says at which number of users a workload was fastest.
func rateText(c *campaign.Record, label string, measured []group) string {
	g := best(measured)
	text := fmt.Sprintf("%s: %s a second", label, format.Figure(tps(g.Run)))
	if hour := hourText(c, g.Run); hour != "" {
		text += ", " + hour
	}
	text += fmt.Sprintf(", p99 %s ms, at %s", millis(p99(g.Run)), usersText(g))
	if len(measured) > 1 {
		text += fmt.Sprintf(", the best of %d numbers of users up to %d", len(measured), mostUsers(measured))
	}
	if g.invalid() {
		text += " (INVALID)"
	}
	return text
}

// usersText returns the users and the connections of a run.
func usersText(g group) string {
	text := format.Plural(g.Users, "user")
	if g.Connections > 0 {
		text += " on " + format.Plural(g.Connections, "connection")
	}
	return text
}

func mostUsers(groups []group) (most int) {
	for _, g := range groups {
		most = max(most, g.Users)
	}
	return most
}

// populationText returns the rates of the stages of each kind of inserts.
func populationText(c *campaign.Record, inserts []campaign.Growth) (lines []string) {
	for _, stages := range campaign.ByWorkload(inserts) {
		documents, took := int64(0), 0.0
		for _, g := range stages {
			documents, took = documents+g.Documents, took+ratio(float64(g.Documents), g.Rate)
		}
		rate := ratio(float64(documents), took)
		lines = append(lines,
			fmt.Sprintf("population by %s: %s a second, %s GB/h, from %s in the first stage to %s in the last",
				stages[0].Workload, format.Figure(rate), format.Figure(perHour(c, stages[0].Workload, rate)),
				format.Figure(stages[0].Rate), format.Figure(stages[len(stages)-1].Rate)))
	}
	return lines
}

// incomparable returns what keeps figures of a campaign from being compared.
func incomparable(c *campaign.Record, groups []group) (all []string) {
	add := func(is bool, format string, values ...any) {
		if is {
			all = append(all, fmt.Sprintf(format, values...))
		}
	}
	invalid := c.Invalid()
	add(!c.Complete, "the campaign is not complete: %s", c.Unfinished)
	add(len(invalid) > 0, "INVALID: %s of %d", format.Plural(len(invalid), "step"), len(c.Steps))
	add(c.Smoke, "SMOKE: too short for figures that count")
	if len(groups) == 0 {
		return all
	}
	add(groups[0].Run.Target.SameHost, "the load generator shared the computer")
	raw, memory := rawBytes(c), float64(c.Machine.Memory)
	add(raw > 0 && raw < memory, "the data (%s) fit into memory (%s)",
		format.Bytes(raw), format.Bytes(memory))
	less := unfaithful(groups[0].Run)
	for _, g := range groups {
		if g.Label == "mixed" {
			less = unfaithful(g.Run)
		}
	}
	add(less != "", "work on XML: %s", less)
	add(true, "each run was made once")
	return all
}

// mostBrief is how many lines of figures a summary has.
const mostBrief = 6

// WriteSummary writes the conclusion of a campaign in at most ten lines, the answer last.
func (f *File) WriteSummary(w io.Writer, page string) error {
	k := concluded(f.Campaign, groupsOf(f.Campaign))
	lines := k.brief[:min(len(k.brief), mostBrief)]
	if k.Limits != "" {
		lines = append(lines, "limit: "+k.Limits)
	}
	lines = append(lines, "not to be compared: "+strings.Join(k.Not, "; "), "report: "+page, k.Answer)
	_, err := io.WriteString(w, strings.Join(lines, "\n")+"\n")
	return err
}

package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"brokerage/internal/campaign"
	"brokerage/internal/format"
)

// conclusion is what a report of a campaign begins with, and what its command prints at the end.
type conclusion struct {
	Answer   string   // in one sentence
	Measured []string // a line for each workload, and for what else was measured
	Limits   string   // what limits the throughput
	Not      []string // the reasons not to compare it with other figures
}

// concluded returns the conclusion of a campaign. Its Answer is about the mixed workload, if that was measured.
func concluded(c *campaign.Record, groups []group) *conclusion {
	k := &conclusion{Answer: "Nothing was measured."}
	workloads := byLabel(filter(groups, group.plain))
	for _, measured := range workloads {
		k.Measured = append(k.Measured, rateText(c, measured))
	}
	for _, step := range c.Steps {
		if step.Kind == campaign.KindCrash && step.Run != nil {
			k.Measured = append(k.Measured, "crash: "+campaign.Outcome(&step))
		}
	}
	if s := spaceOf(c); s.Raw > 0 {
		k.Measured = append(k.Measured, fmt.Sprintf("space: %s on disk, %s of the size of the documents",
			format.Bytes(s.Total), percent(float64(s.Total)/float64(s.Raw), 0)))
	}
	for _, step := range c.Steps {
		for _, stages := range campaign.ByWorkload(step.Inserts) {
			k.Measured = append(k.Measured, populationText(c, stages))
		}
	}
	var main []group
	if len(workloads) > 0 {
		main = slices.MaxFunc(workloads, func(a, b []group) int {
			order := []string{"query", "classic", "mixed"}
			return slices.Index(order, a[0].Label) - slices.Index(order, b[0].Label)
		})
		g := best(main)
		k.Answer = fmt.Sprintf("%s: %s transactions a second at %s, p99 %s ms, on %s with %s of %s.", g.Label,
			format.Figure(g.Run.TPS), usersText(g), millis(g.Run.Total.Latency.P99),
			joined(" ", c.Store.Engine, c.Store.Version), c.Dataset.Scale, c.Dataset.Profile)
		k.Limits = g.Run.Limit()
		if k.Limits != "" && len(main) > 1 && g.Users == mostUsers(main) {
			k.Limits += "; the throughput still grew at the greatest number of users"
		}
	}
	k.Not = incomparable(c, main)
	return k
}

// rateText returns the highest throughput of a workload, and the number of users at which it was reached.
func rateText(c *campaign.Record, measured []group) string {
	g := best(measured)
	text := joined(", ", fmt.Sprintf("%s: %s a second", g.Label, format.Figure(g.Run.TPS)), hourText(c, g.Run),
		fmt.Sprintf("p99 %s ms, at %s", millis(g.Run.Total.Latency.P99), usersText(g)))
	if len(measured) > 1 {
		text += fmt.Sprintf(", the best of %d numbers of users up to %d", len(measured), mostUsers(measured))
	}
	if !g.valid() {
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

// populationText returns the rates of the stages of one kind of inserts.
func populationText(c *campaign.Record, stages []campaign.Growth) string {
	documents, took := int64(0), 0.0
	for _, g := range stages {
		documents, took = documents+g.Documents, took+ratio(float64(g.Documents), g.Rate)
	}
	workload, rate := stages[0].Workload, ratio(float64(documents), took)
	return fmt.Sprintf("population by %s: %s a second, %s GB/h, from %s in the first stage to %s in the last", workload,
		format.Figure(rate), format.Figure(perHour(c, workload, rate)), format.Figure(stages[0].Rate),
		format.Figure(stages[len(stages)-1].Rate))
}

// incomparable returns what keeps the figures of a campaign, above all those of its main workload, from being compared.
func incomparable(c *campaign.Record, main []group) (all []string) {
	if !c.Complete {
		all = append(all, "the campaign is not complete: "+c.Unfinished)
	}
	if n := len(c.Invalid()); n > 0 {
		all = append(all, fmt.Sprintf("INVALID: %s of %d", format.Plural(n, "step"), len(c.Steps)))
	}
	if c.Smoke {
		all = append(all, "SMOKE: too short for figures to compare")
	}
	if len(main) == 0 {
		return all
	}
	if main[0].Run.Target.SameHost {
		all = append(all, "the load generator shared the computer")
	}
	if raw := spaceOf(c).Raw; raw > 0 && raw < c.Machine.Memory {
		all = append(all, fmt.Sprintf("the data (%s) fit into memory (%s)", format.Bytes(raw),
			format.Bytes(c.Machine.Memory)))
	}
	if less := unfaithful(main[0].Run); less != "" {
		all = append(all, "work on XML: "+less)
	}
	return append(all, "each run was made once")
}

// WriteSummary writes the conclusion of a campaign in at most ten lines, the Answer last.
func (f *File) WriteSummary(w io.Writer, page string) error {
	k := concluded(f.Campaign, groupsOf(f.Campaign))
	const mostMeasured = 6
	lines := k.Measured[:min(len(k.Measured), mostMeasured)]
	if k.Limits != "" {
		lines = append(lines, "limit: "+k.Limits)
	}
	lines = append(lines, "not comparable because: "+strings.Join(k.Not, "; "), "report: "+page, k.Answer)
	_, err := io.WriteString(w, strings.Join(lines, "\n")+"\n")
	return err
}

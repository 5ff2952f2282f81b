package report

import (
	"brokerage/internal/campaign"
	"brokerage/internal/format"
	"brokerage/internal/report/chart"
)

// stepsSection shows how long each step took.
func stepsSection(c *campaign.Record) section {
	if len(c.Steps) == 0 {
		return section{}
	}
	t := newTable("Time of each step",
		"text:step", "text:state", "took", "bar:", "text:what it did")
	t.Class = "steps"
	all, at := 0.0, 0.0
	for _, step := range c.Steps {
		all += step.Seconds
	}
	for _, step := range c.Steps {
		state, class, what := "", "", stepText(&step)
		if step.State != campaign.Done {
			state, class, what = string(step.State), "soft", joined(" ", step.Reason, what)
		}
		var bar cell
		if step.Seconds > 0 {
			bar.Draw = chart.Bar(0, at/all, step.Seconds/all)
		}
		t.add(class, step.Name, state, seconds(step.Seconds), bar, what)
		at += step.Seconds
	}
	t.add("total", "all steps", "", seconds(all), "", "")
	return section{ID: "steps", Title: "Time of all steps", Blocks: []block{{Table: t}},
		Lead: "In the order in which they were run. A step with runs includes the restores before them."}
}

// stepText returns the main figure of a step in a few words.
func stepText(step *campaign.Step) string {
	switch {
	case step.Load != nil:
		return format.Count(step.Load.Documents) + " documents, " +
			format.Figure(ratio(float64(step.Load.Documents), step.Seconds)) + " a second"
	case step.Copy != nil:
		c := step.Copy
		return format.Bytes(c.Database) + " as " + format.Bytes(c.File) + ", " + format.Bytes(c.Rate) + "/s"
	case step.Space != nil:
		return format.Bytes(step.Space.Total) + " for " + format.Bytes(step.Space.Raw) + " raw"
	case step.Run != nil && step.Run.Proof != nil:
		return crashText(step.Run)
	case step.Run != nil:
		text := joined(", ", format.Figure(step.Run.TPS)+" tps", "restore "+seconds(step.Restore))
		if step.Again {
			text += ", the second run: the first was disturbed"
		}
		return text
	case len(step.Inserts) > 0:
		return format.Plural(len(step.Inserts), "stage")
	}
	return ""
}

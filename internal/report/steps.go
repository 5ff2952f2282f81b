package report

import (
	"math"

	"brokerage/internal/campaign"
	"brokerage/internal/report/chart"
)

// stepsSection is what each step took.
func stepsSection(c *campaign.Record) *section {
	if len(c.Steps) == 0 {
		return nil
	}
	t := &table{Label: "Time of each step", Class: "steps", Columns: columns([2]string{"text", "step"}, [2]string{"text", "state"}, [2]string{"num", "took"}, [2]string{"num soft", "planned"},
		[2]string{"bar", ""}, [2]string{"text", "what it did"})}
	all := 0.0
	for i := range c.Steps {
		all += c.Steps[i].Seconds
	}
	at := 0.0
	for i := range c.Steps {
		step := &c.Steps[i]
		state, class, what := string(step.State), "", stepText(step)
		if step.State == campaign.Done {
			state = ""
		} else {
			class, what = "soft", joined(" ", step.Reason, what)
		}
		bar := cell{}
		if step.Seconds > 0 {
			bar.Draw = chart.Bar(0, at/all, step.Seconds/all)
		}
		t.add(class, cell{Text: step.Name}, cell{Text: state}, cell{Text: secondsText(step.Seconds)}, cell{Text: secondsText(step.Expected)}, bar, cell{Text: what})
		at += step.Seconds
	}
	t.add("total", texts("all steps", "", secondsText(all), "", "", "")...)
	return &section{ID: "steps", Title: "Time of all steps", Lead: "In the order in which they were run. A step with runs includes the restores before them.",
		Blocks: []block{{Table: t}}}
}

// stepText is the step's own figure in a few words.
func stepText(step *campaign.Step) string {
	switch {
	case step.Load != nil:
		return countText(step.Load.Documents) + " documents, " + figure(float64(step.Load.Documents)/math.Max(step.Seconds, 1e-9)) + " a second"
	case step.Copy != nil:
		return joined(", ", bytesText(float64(step.Copy.Database))+" as "+bytesText(float64(step.Copy.File)), bytesText(step.Copy.Rate)+"/s")
	case step.Space != nil:
		return bytesText(float64(step.Space.Total)) + " for " + bytesText(float64(step.Space.Raw)) + " raw"
	case len(step.Runs) > 0:
		rates := make(sample, len(step.Runs))
		restore := 0.0
		for i := range step.Runs {
			rates[i] = step.Runs[i].Run.TPS
			restore += step.Runs[i].Restore
		}
		return joined(", ", plural(len(step.Runs), "run"), figure(rates.median())+" tps", "restores "+secondsText(restore))
	case len(step.Inserts) > 0:
		return plural(len(step.Inserts), "stage")
	case step.Tier != nil:
		return plural(step.Tier.Slices, "turn") + " of each"
	}
	return ""
}

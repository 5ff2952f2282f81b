package report

import "brokerage/internal/campaign"

// stepsSection shows how long each step took.
func stepsSection(c *campaign.Record) section {
	if len(c.Steps) == 0 {
		return section{}
	}
	t := newTable("Time of each step", "text:step", "text:state", "took", "text:what it did")
	t.Class = "steps"
	all := 0.0
	for _, step := range c.Steps {
		all += step.Seconds
		state, class, what := "", "", stepText(&step)
		if step.State != campaign.Done {
			state, class = string(step.State), "soft"
		}
		t.add(class, step.Name, state, seconds(step.Seconds), what)
	}
	t.add("total", "all steps", "", seconds(all), "")
	return section{ID: "steps", Blocks: []block{{Table: t}}}
}

// stepText returns the main figures of a step in a few words.
func stepText(step *campaign.Step) string {
	text := campaign.Outcome(step)
	if step.Restore > 0 {
		text = joined(", ", text, "restore "+seconds(step.Restore))
	}
	if step.Again {
		text += ", the second run: the first was disturbed"
	}
	return text
}

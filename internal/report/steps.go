package report

import (
	"fmt"

	"brokerage/internal/campaign"
	"brokerage/internal/format"
	"brokerage/internal/report/chart"
	"brokerage/internal/workload"
)

// stepsSection shows how long each step took.
func stepsSection(c *campaign.Record) section {
	if len(c.Steps) == 0 {
		return section{}
	}
	t := newTable("Time of each step",
		"text:step", "text:state", "took", "num soft:planned", "bar:", "text:what it did")
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
		t.add(class, step.Name, state, seconds(step.Seconds), seconds(step.Expected), bar, what)
		at += step.Seconds
	}
	t.add("total", "all steps", "", seconds(all), "", "", "")
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
	case len(step.Runs) > 0:
		restore := 0.0
		for i := range step.Runs {
			restore += step.Runs[i].Restore
		}
		g := group{Runs: runsOf(step.Runs)}
		return joined(", ", format.Plural(len(step.Runs), "run"), format.Figure(g.median(tps))+" tps",
			"restores "+seconds(restore))
	case len(step.Inserts) > 0:
		return format.Plural(len(step.Inserts), "stage")
	case step.Tier != nil:
		return format.Plural(step.Tier.Slices, "turn") + " of each"
	case step.Found != nil && step.Found.Curve != nil:
		return format.Figure(step.Found.Curve.Found) + " a second, " + format.Plural(len(step.Found.Curve.Steps), "run")
	}
	return ""
}

// tierSection shows what the application tier costs, by each of the comparisons.
func tierSection(tiers ...*workload.Tier) section {
	s := section{ID: "tier", Title: "What the application tier costs",
		Lead: "The same workload on the same store, alternating between direct calls and HTTP. Ratios are HTTP to direct: " +
			"× 2.00 is twice."}
	for _, t := range tiers {
		note := fmt.Sprintf("%s, %s; %s of each.", t.Direct.Workload.Name, format.Plural(t.Direct.Model.Users, "user"),
			format.Plural(t.Slices, "turn"))
		if isInvalid(&t.Direct) || isInvalid(&t.HTTP) {
			note += " A side of it is INVALID."
		}
		s.Blocks = append(s.Blocks, block{Note: note, Table: tierTotals(t.Total)},
			block{Title: "By transaction", Table: tierRows(t.Transactions)})
	}
	return s
}

func tierTotals(all workload.TierRow) *table {
	t := newTable("Cost of the tier", "text:all transactions", "direct", "HTTP", "num strong:ratio")
	line := func(name string, direct, http, ratio float64, write func(float64) string) {
		if direct > 0 && http > 0 {
			t.add("", name, write(direct), write(http), times(ratio, 2))
		}
	}
	line("throughput, a second", all.DirectTPS, all.HTTPTPS, all.Throughput, format.Figure)
	line("processor of all processes, µs a transaction", all.DirectCPU, all.HTTPCPU, all.CPU, format.Figure)
	line("mean time, ms", all.DirectMean, all.HTTPMean, all.Mean, millis)
	line("99th percentile, ms", all.DirectP99, all.HTTPP99, all.P99, millis)
	return t
}

func tierRows(rows []workload.TierRow) *table {
	t := newTable("Cost of the tier by transaction", "text:transaction", "direct, mean ms", "HTTP, mean ms", "added ms",
		"num strong:ratio", "direct, p99 ms", "HTTP, p99 ms", "ratio", "bar:mean: direct (hollow), HTTP")
	most := 0.0
	for _, row := range rows {
		most = max(most, row.HTTPMean, row.DirectMean)
	}
	for _, row := range rows {
		t.add("", withCode(row.Name), micros(row.DirectMean), micros(row.HTTPMean), micros(row.HTTPMean-row.DirectMean),
			times(row.Mean, 2), micros(row.DirectP99), micros(row.HTTPP99), times(row.P99, 2),
			chart.Pair(0, ratio(row.DirectMean, most), ratio(row.HTTPMean, most)))
	}
	return t
}

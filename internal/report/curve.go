package report

import (
	"fmt"

	"brokerage/internal/format"
	"brokerage/internal/report/chart"
	"brokerage/internal/result"
)

// curveSection shows rate against latency, for each run that ended a search for the highest rate.
func curveSection(runs ...*result.Run) section {
	s := section{ID: "curve", Title: "Rate against latency",
		Lead: "Each row is a run of the open model: so many transactions a second were due, however long the answers took, " +
			"and times count from when each was due. The last run at the rate found is as long as any other run."}
	for _, r := range runs {
		if r.Curve == nil {
			continue
		}
		note := ""
		switch c := r.Curve; {
		case c.Found > 0:
			note = fmt.Sprintf("The highest rate with %s is %s a second, which a run of %s confirms.", c.Goal,
				format.Figure(c.Found), seconds(r.Measured))
		case c.Goal != "":
			note = "No rate was found with " + c.Goal + "."
		}
		b := block{Title: r.Workload.Name, Note: note, Table: curveTable(r.Curve), Charts: curveChart(r.Curve)}
		if len(b.Charts) > 0 {
			b.After = "The chart leaves out rates whose 99th percentile is above five times that of the highest rate that met " +
				"the goal."
		}
		s.Blocks = append(s.Blocks, b)
	}
	return s
}

func curveTable(c *result.Curve) *table {
	t := newTable("Rate against latency", "rate", "tps", "measured s", "p50 ms", "p95 ms", "num strong:p99 ms", "p99.9 ms",
		"errors", "dropped", "load generator", "text:goal")
	for _, step := range c.Steps {
		class, verdict, l := "", "met", step.Latency
		switch {
		case step.Missed != "":
			class, verdict = "soft", "missed: "+step.Missed
		case c.Goal == "":
			verdict = ""
		}
		t.add(class, step.Rate, step.TPS, step.Seconds, micros(l.P50), micros(l.P95), micros(l.P99), micros(l.P999),
			percent(step.Errors, 2), step.Dropped, percent(step.Generator, 0), verdict)
	}
	return t
}

// curveChart draws the median and the 99th percentile over the rate, as far as it helps: the latency of an overloaded
// target is hundreds of times that of one that keeps up, and would flatten the rest of the curve.
func curveChart(c *result.Curve) []figureView {
	highest := 0.0
	for _, step := range c.Steps {
		if step.Missed == "" {
			highest = max(highest, step.Latency.P99)
		}
	}
	median, high := chart.Series{Name: "p50"}, chart.Series{Name: "p99", Slot: 1}
	for _, step := range c.Steps {
		if l := step.Latency; highest == 0 || l.P99 <= 5*highest {
			median.Points = append(median.Points, chart.Point{X: step.Rate, Y: l.P50 / 1000})
			high.Points = append(high.Points, chart.Point{X: step.Rate, Y: l.P99 / 1000})
		}
	}
	if len(high.Points) < 2 {
		return nil
	}
	const title = "Latency against rate"
	return []figureView{{title, chart.Lines{Title: title, X: "transactions due a second", Y: "milliseconds",
		Series: []chart.Series{median, high}, FormatX: axisText, FormatY: axisText}.HTML()}}
}

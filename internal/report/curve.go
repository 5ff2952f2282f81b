package report

import (
	"fmt"

	"brokerage/internal/format"
	"brokerage/internal/report/chart"
	"brokerage/internal/result"
)

// curveSection shows rate against latency, for a search for the highest rate.
func curveSection(r *result.Run) section {
	c := r.Curve
	note := c.Answer() + "."
	if c.Limit != "" {
		note += " What limits: " + c.Limit + "."
	}
	if c.Disturbed > 0 {
		note += fmt.Sprintf(" %d of %s were repeated, because others disturbed them.", c.Disturbed,
			format.Plural(c.Slices, "slice"))
	}
	b := block{Title: r.Workload.Name, Note: note, Table: curveTable(c), Charts: curveChart(c)}
	if len(b.Charts) > 0 {
		b.After = "The chart leaves out rates whose 99th percentile is above five times that of the highest rate that met " +
			"the goal."
	}
	return section{ID: "curve", Blocks: []block{b}}
}

func curveTable(c *result.Curve) *table {
	t := newTable("Rate against latency", "rate", "tries", "met", "tps", "measured s", "p50 ms", "p95 ms",
		"num strong:p99 ms", "p99.9 ms", "errors", "text:last miss")
	for _, step := range c.Steps {
		class, l := "", step.Latency
		if step.Misses > step.Met {
			class = "soft"
		}
		t.add(class, step.Rate, step.Met+step.Misses, step.Met, step.TPS, step.Seconds, micros(l.P50), micros(l.P95),
			micros(l.P99), micros(l.P999), percent(step.Errors, 2), step.Missed)
	}
	return t
}

// curveChart draws the median and the 99th percentile over the rate, as far as it helps: the latency of an overloaded
// target is hundreds of times that of one that keeps up, and would flatten the rest of the curve.
func curveChart(c *result.Curve) []figureView {
	highest := 0.0
	for _, step := range c.Steps {
		if step.Misses <= step.Met {
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

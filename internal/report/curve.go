package report

import (
	"fmt"

	"brokerage/internal/format"
	"brokerage/internal/report/chart"
	"brokerage/internal/result"
)

// curveSection shows latency against rate, for a search for the highest rate. The chart leaves out rates that overload
// the target: their latency is hundreds of times higher, and would flatten the rest of the curve.
func curveSection(r *result.Run) section {
	c := r.Curve
	t := newTable("rate", "tries", "met", "tps", "measured s", "p50 ms", "p95 ms", "num strong:p99 ms", "p99.9 ms",
		"errors", "text:last miss")
	highest := 0.0
	for _, step := range c.Steps {
		class, l := "", step.Latency
		if step.Misses > step.Met {
			class = "soft"
		} else {
			highest = max(highest, l.P99)
		}
		t.add(class, step.Rate, step.Met+step.Misses, step.Met, step.TPS, step.Seconds, micros(l.P50), micros(l.P95),
			micros(l.P99), micros(l.P999), percent(step.Errors, 2), step.Missed)
	}
	median, high := chart.Series{Name: "p50"}, chart.Series{Name: "p99", Slot: 1}
	for _, step := range c.Steps {
		if l := step.Latency; highest == 0 || l.P99 <= 5*highest {
			median.Points = append(median.Points, chart.Point{X: step.Rate, Y: l.P50 / 1000})
			high.Points = append(high.Points, chart.Point{X: step.Rate, Y: l.P99 / 1000})
		}
	}
	latency := chart.Chart{Title: "Latency against rate, up to five times the p99 of the highest rate that met the goal",
		X: "transactions due a second", Y: "milliseconds", Series: []chart.Series{median, high}}
	note := c.Answer() + "."
	if c.Limit != "" {
		note += " What limits: " + c.Limit + "."
	}
	if c.Disturbed > 0 {
		note += fmt.Sprintf(" %d of %s were disturbed, by other programs or a stalled clock, and repeated.", c.Disturbed,
			format.Plural(c.Slices, "slice"))
	}
	return section{ID: "curve", Blocks: []block{{Note: note, Table: t, Charts: latency.HTML()}}}
}

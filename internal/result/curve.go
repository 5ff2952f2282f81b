package result

import "fmt"

// Curve is the latency of a target at several rates of an open model.
type Curve struct {
	Goal  string      `json:"goal,omitempty"`
	Found float64     `json:"found,omitempty"` // highest rate at which a whole run met the goal; 0 if there is none
	Steps []CurveStep `json:"steps"`           // ascending by rate
}

// CurveStep is the result of one rate.
type CurveStep struct {
	Rate      float64 `json:"rate"` // arrivals a second
	TPS       float64 `json:"tps"`
	Seconds   float64 `json:"seconds"` // measured
	Latency   Latency `json:"latency"`
	Errors    float64 `json:"errors"`           // share of all due that failed, were dropped, or were never answered
	Dropped   int64   `json:"dropped"`          // the queue was full
	Generator float64 `json:"generator"`        // share of its processors that the load generator used
	Met       bool    `json:"met,omitempty"`    // the goal
	Missed    string  `json:"missed,omitempty"` // why not
}

// curveForm has a column for each figure of a step.
const curveForm = "%10s %10s %7s %7s %7s %7s %8s"

// String returns the step as one line of text.
func (s CurveStep) String() string {
	l := s.Latency
	text := fmt.Sprintf("%s a second: p50 %s  p99 %s  p99.9 %s ms  errors %.3g %%", Rate(s.Rate), Milli(l.P50),
		Milli(l.P99), Milli(l.P999), 100*s.Errors)
	if s.Missed != "" {
		text += "  missed: " + s.Missed
	}
	return text
}

// curve writes the latency at all rates.
func (p *printer) curve(c *Curve) {
	if c == nil {
		return
	}
	p.linef("\nRate against latency in ms, from when each transaction was due")
	p.linef(curveForm, "rate", "tps", "p50", "p95", "p99", "p99.9", "errors %")
	for _, s := range c.Steps {
		l, missed := s.Latency, ""
		if s.Missed != "" {
			missed = "  missed: " + s.Missed
		}
		p.linef(curveForm+"%s", Rate(s.Rate), Rate(s.TPS), Milli(l.P50), Milli(l.P95), Milli(l.P99), Milli(l.P999),
			fmt.Sprintf("%.3g", 100*s.Errors), missed)
	}
	switch {
	case c.Goal == "":
	case c.Found > 0:
		p.linef("Highest rate with %s: %s a second, which this run confirms", c.Goal, Rate(c.Found))
	default:
		p.linef("No rate was found with %s", c.Goal)
	}
}

// ErrorShare returns the share of all transactions due that failed, were dropped, or were never answered.
func (r *Run) ErrorShare() float64 {
	t := &r.Total
	return ratio(float64(t.unexpected()+t.Dropped+t.Waiting-t.Late), float64(t.Due))
}

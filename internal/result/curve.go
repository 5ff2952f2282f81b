package result

import (
	"fmt"
	"slices"
	"time"

	"brokerage/internal/format"
)

// Curve is the result of a search for the highest rate that meets a goal: the rate at which half of all tries meet it.
type Curve struct {
	Goal  string  `json:"goal"`
	Found float64 `json:"found,omitempty"` // the most likely rate; 0 if the interval is open, or the target changed
	// Low and High are the 95 % interval of Found. 0 means that it is open at this end.
	Low  float64 `json:"low,omitempty"`
	High float64 `json:"high,omitempty"`

	Limit     string  `json:"limit,omitempty"`   // what limits the target just above Found
	Changed   bool    `json:"changed,omitempty"` // the target met the goal at more than twice the estimate
	Slices    int     `json:"slices"`
	Disturbed int     `json:"disturbed,omitempty"` // of Slices, those that were disturbed and repeated
	Seconds   float64 `json:"seconds"`             // that the search has taken,
	Within    float64 `json:"within"`              // and may take

	Steps []CurveStep `json:"steps"` // ascending by rate
}

// CurveStep is the result of all tries at a rate.
type CurveStep struct {
	Rate    float64 `json:"rate"` // arrivals a second
	Met     int     `json:"met"`  // tries that met the goal
	Misses  int     `json:"misses"`
	TPS     float64 `json:"tps"`
	Seconds float64 `json:"seconds"` // measured
	Latency Latency `json:"latency"`
	Errors  float64 `json:"errors"`           // share of all due that failed, had no answer or were never begun
	Missed  string  `json:"missed,omitempty"` // why the last of the Misses missed the goal

	all Row
}

// Add adds a slice: its records, the number of arrivals that were never begun, and its length.
func (s *CurveStep) Add(records []Record, lost int64, length time.Duration) {
	if s.all.times == nil {
		s.all = newRow("", "", 0)
	}
	all := &s.all
	for i := range records {
		all.add(&records[i])
	}
	all.Dropped += lost
	s.Seconds += length.Seconds()
	s.TPS, s.Latency = ratio(float64(all.Count), s.Seconds), all.latency()
	s.Errors = ratio(float64(all.unexpected()+all.Waiting-all.Late+all.Dropped), float64(all.Due+all.Dropped))
}

// Between returns the interval in words.
func (c *Curve) Between() string {
	switch {
	case c.Low > 0 && c.High > 0:
		return fmt.Sprintf("%s to %s a second", format.Figure(c.Low), format.Figure(c.High))
	case c.Low > 0:
		return fmt.Sprintf("at least %s a second", format.Figure(c.Low))
	case c.High > 0:
		return fmt.Sprintf("below %s a second", format.Figure(c.High))
	}
	return "unknown"
}

// Progress returns the state of the search in one line.
func (c *Curve) Progress() string {
	return fmt.Sprintf("%s of at most %s  %s, %d repeated  %s", format.Duration(seconds(c.Seconds)),
		format.Duration(seconds(c.Within)), format.Plural(c.Slices, "slice"), c.Disturbed, c.Between())
}

// Answer returns the result of the search in one sentence.
func (c *Curve) Answer() string {
	took := format.Duration(seconds(c.Seconds))
	missed := slices.IndexFunc(c.Steps, func(s CurveStep) bool { return s.Misses > 0 })
	met := slices.ContainsFunc(c.Steps, func(s CurveStep) bool { return s.Met > 0 })
	switch none := "No answer for " + c.Goal + " after " + took + ": "; {
	case c.Found > 0:
		more := ""
		if c.Seconds >= c.Within {
			more = "; a longer --within narrows it"
		}
		return fmt.Sprintf("Highest rate with %s: %s (95 %%), most likely %s, after %s%s", c.Goal, c.Between(),
			format.Figure(c.Found), took, more)
	case 2*c.Disturbed > c.Slices:
		return none + fmt.Sprintf("%d of %s were disturbed, by other programs or a stalled clock", c.Disturbed,
			format.Plural(c.Slices, "slice"))
	case c.Changed:
		return none + "the speed of the target changed; it met the goal at more than twice a rate that missed it"
	case !met && missed < 0:
		return none + "no rate had as many transactions as the goal needs: use a longer --within or a lower percentile"
	case !met:
		lowest := c.Steps[missed]
		return fmt.Sprintf("No rate meets %s: it was missed even at %s a second (%s)", c.Goal, format.Figure(lowest.Rate),
			lowest.Missed)
	default:
		return fmt.Sprintf("Highest rate with %s: %s, after %s; a longer --within narrows it", c.Goal, c.Between(), took)
	}
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// write writes a table of all rates, what limits the target, and the Answer.
func (c *Curve) write(line func(string, ...any)) {
	const form = "%10s %9s %10s %7s %7s %7s %7s %8s  %s"
	line("Latency in ms at each rate, from when each transaction was due")
	line(form, "rate", "met", "tps", "p50", "p95", "p99", "p99.9", "errors %", "missed")
	for _, s := range c.Steps {
		l := s.Latency
		met := fmt.Sprintf("%d of %d", s.Met, s.Met+s.Misses)
		line(form, format.Figure(s.Rate), met, format.Figure(s.TPS), milli(l.P50), milli(l.P95), milli(l.P99),
			milli(l.P999), format.Figure(100*s.Errors), s.Missed)
	}
	line("")
	if c.Disturbed > 0 {
		line("%d of %s were disturbed, by other programs or a stalled clock, and repeated", c.Disturbed,
			format.Plural(c.Slices, "slice"))
	}
	if c.Limit != "" {
		line("What limits: %s", c.Limit)
	}
	line("%s", c.Answer())
}

package workload

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"brokerage/internal/format"
)

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

// RateSearch is how Find looks for a rate.
type RateSearch struct {
	Goal    Goal
	Step    time.Duration // measured time of a step; its ramp is a fifth of that
	Stepped func(CurveStep)
}

const (
	firstRate = 100.0 // if the configuration has none
	leastRate = 1.0
	// precision is the ratio of the lowest rate that misses the goal to the highest that meets it at which a search ends.
	precision = 1.05
	// confirmations is how many whole runs are made at the most. The second is at a rate that is lower by the precision,
	// and each after it twice as far below the one before, down to 0.29 of the first.
	confirmations = 6
)

// finder looks for the highest rate that meets a goal.
type finder struct {
	RateSearch

	config Config
	drive  func(context.Context, Config) (*Run, error)
	curve  *Curve
	runs   int
	last   *Run
}

// Find looks for the highest rate at which a target meets a goal. From the rate of the configuration on it doubles the
// rate until the target misses the goal, and then searches between the last two rates. It returns the whole run that
// confirms the rate found, with the curve of all rates; or, if none was found, the last run with a curve without one.
// If the search ends early, it returns the last run, with the curve until then, and the error.
func Find(ctx context.Context, b Backend, c Config, s RateSearch) (*Run, error) {
	f := &finder{RateSearch: s, config: c}
	f.drive = func(ctx context.Context, c Config) (*Run, error) { return Drive(ctx, b, c) }
	return f.find(ctx)
}

func (f *finder) find(ctx context.Context) (*Run, error) {
	f.curve = &Curve{Goal: f.Goal.String()}
	met, missed, err := f.search(ctx, max(cmp.Or(f.config.Rate, firstRate), leastRate))
	lower := precision - 1
	for n := 0; err == nil && met > 0 && n < confirmations; n++ {
		var step CurveStep
		if step, err = f.whole(ctx, met); err == nil && step.Met {
			f.curve.Found = met
			break
		}
		met, lower = threeDigits(met/(1+lower)), 2*lower
	}
	if f.last == nil {
		return nil, err
	}
	if err != nil {
		err = fmt.Errorf("after %s: %w", format.Plural(f.runs, "run"), err)
	}
	slices.SortStableFunc(f.curve.Steps, func(a, b CurveStep) int { return cmp.Compare(a.Rate, b.Rate) })
	f.last.Curve = f.curve
	f.noteGenerator(missed)
	return f.last, err
}

// noteGenerator notes when the rate that missed the goal may have been too high for the load generator.
func (f *finder) noteGenerator(missed float64) {
	i := slices.IndexFunc(f.curve.Steps, func(s CurveStep) bool { return s.Rate == missed })
	if i < 0 || f.last.Usage.Shared || f.curve.Steps[i].Generator < mostGenerator {
		return
	}
	note := fmt.Sprintf("at %s a second, where the goal was missed, the load generator used %.0f %% of its processors: "+
		"the limit may be its own", rate(missed), 100*f.curve.Steps[i].Generator)
	f.last.Validity.Notes = append(f.last.Validity.Notes, note)
}

// search returns the highest rate that met the goal, or 0, and the lowest that missed it.
func (f *finder) search(ctx context.Context, first float64) (met, missed float64, err error) {
	for next := first; next >= leastRate; {
		step, err := f.step(ctx, next)
		if err != nil {
			return 0, 0, err
		}
		if step.Met {
			met = next
		} else {
			missed = next
		}
		switch {
		case missed == 0 && met == MaxRate:
			return met, missed, nil
		case missed == 0:
			next = min(2*met, MaxRate)
		case met == 0:
			next = threeDigits(missed / 2)
		case missed/met <= precision:
			return met, missed, nil
		default:
			next = threeDigits(math.Sqrt(met * missed))
			if next <= met || next >= missed {
				return met, missed, nil
			}
		}
	}
	return met, missed, nil
}

// threeDigits returns a rate with three digits.
func threeDigits(rate float64) float64 {
	r, err := strconv.ParseFloat(strconv.FormatFloat(rate, 'g', 3, 64), 64)
	if err != nil {
		panic(err) // it was just written
	}
	return r
}

// step measures a rate for a short time. Each step draws other parameters.
func (f *finder) step(ctx context.Context, rate float64) (CurveStep, error) {
	c := f.config
	c.Rate, c.Ramp, c.Duration, c.Every = rate, f.Step/5, f.Step, 0
	c.Seed += uint64(f.runs) + 1
	c.Begun, c.Report = nil, nil
	return f.run(ctx, c)
}

// whole measures a rate for the whole time of the configuration.
func (f *finder) whole(ctx context.Context, rate float64) (CurveStep, error) {
	c := f.config
	c.Rate = rate
	return f.run(ctx, c)
}

func (f *finder) run(ctx context.Context, c Config) (CurveStep, error) {
	run, err := f.drive(ctx, c)
	if err != nil {
		return CurveStep{}, err
	}
	f.runs++
	f.last = run
	s := CurveStep{
		Rate: c.Rate, TPS: run.TPS, Seconds: run.Measured, Latency: run.Total.Latency, Errors: run.errorShare(),
		Dropped: run.Total.Dropped, Generator: generatorShare(run), Missed: f.Goal.missed(run),
	}
	s.Met = s.Missed == ""
	f.curve.Steps = append(f.curve.Steps, s)
	if f.Stepped != nil {
		f.Stepped(s)
	}
	return s, nil
}

// curveForm has a column for each figure of a step.
const curveForm = "%10s %10s %7s %7s %7s %7s %8s"

// String returns the step as one line of text.
func (s CurveStep) String() string {
	l := s.Latency
	text := fmt.Sprintf("%s a second: p50 %s  p99 %s  p99.9 %s ms  errors %.3g %%", rate(s.Rate), Milli(l.P50),
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
		p.linef(curveForm+"%s", rate(s.Rate), rate(s.TPS), Milli(l.P50), Milli(l.P95), Milli(l.P99), Milli(l.P999),
			fmt.Sprintf("%.3g", 100*s.Errors), missed)
	}
	switch {
	case c.Goal == "":
	case c.Found > 0:
		p.linef("Highest rate with %s: %s a second, which this run confirms", c.Goal, rate(c.Found))
	default:
		p.linef("No rate was found with %s", c.Goal)
	}
}

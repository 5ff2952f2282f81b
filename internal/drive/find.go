package drive

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"brokerage/internal/format"
	"brokerage/internal/result"
)

// RateSearch is how Find looks for a rate.
type RateSearch struct {
	Goal    Goal
	Step    time.Duration // measured time of a step; its ramp is a fifth of that
	Stepped func(result.CurveStep)
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

	plan  Plan
	drive func(context.Context, Plan) (*result.Run, error)
	curve *result.Curve
	runs  int
	last  *result.Run
}

// Find looks for the highest rate at which a target meets a goal. From the rate of the configuration on it doubles the
// rate until the target misses the goal, and then searches between the last two rates. It returns the whole run that
// confirms the rate found, with the curve of all rates; or, if none was found, the last run with a curve without one.
// If the search ends early, it returns the last run, with the curve until then, and the error.
func Find(ctx context.Context, c Plan, t Target, s RateSearch) (*result.Run, error) {
	f := &finder{RateSearch: s, plan: c}
	f.drive = func(ctx context.Context, c Plan) (*result.Run, error) { return Run(ctx, c, t) }
	return f.find(ctx)
}

func (f *finder) find(ctx context.Context) (*result.Run, error) {
	f.curve = &result.Curve{Goal: f.Goal.String()}
	met, missed, err := f.search(ctx, max(cmp.Or(f.plan.Rate, firstRate), leastRate))
	lower := precision - 1
	for n := 0; err == nil && met > 0 && n < confirmations; n++ {
		var step result.CurveStep
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
	slices.SortStableFunc(f.curve.Steps, func(a, b result.CurveStep) int { return cmp.Compare(a.Rate, b.Rate) })
	f.last.Curve = f.curve
	f.noteGenerator(missed)
	return f.last, err
}

// noteGenerator notes when the rate that missed the goal may have been too high for the load generator.
func (f *finder) noteGenerator(missed float64) {
	i := slices.IndexFunc(f.curve.Steps, func(s result.CurveStep) bool { return s.Rate == missed })
	if i < 0 || f.last.Usage.Shared || f.curve.Steps[i].Generator < result.MostGenerator {
		return
	}
	note := fmt.Sprintf("at %s a second, where the goal was missed, the load generator used %.0f %% of its processors: "+
		"the limit may be its own", result.Rate(missed), 100*f.curve.Steps[i].Generator)
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
func (f *finder) step(ctx context.Context, rate float64) (result.CurveStep, error) {
	c := f.plan
	c.Rate, c.Ramp, c.Duration, c.Every = rate, f.Step/5, f.Step, 0
	c.Seed += uint64(f.runs) + 1
	c.Begun, c.Report = nil, nil
	return f.run(ctx, c)
}

// whole measures a rate for the whole time of the configuration.
func (f *finder) whole(ctx context.Context, rate float64) (result.CurveStep, error) {
	c := f.plan
	c.Rate = rate
	return f.run(ctx, c)
}

func (f *finder) run(ctx context.Context, c Plan) (result.CurveStep, error) {
	run, err := f.drive(ctx, c)
	if err != nil {
		return result.CurveStep{}, err
	}
	f.runs++
	f.last = run
	s := result.CurveStep{
		Rate: c.Rate, TPS: run.TPS, Seconds: run.Measured, Latency: run.Total.Latency, Errors: run.ErrorShare(),
		Dropped: run.Total.Dropped, Generator: run.GeneratorShare(), Missed: f.Goal.missed(run),
	}
	s.Met = s.Missed == ""
	f.curve.Steps = append(f.curve.Steps, s)
	if f.Stepped != nil {
		f.Stepped(s)
	}
	return s, nil
}

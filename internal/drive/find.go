package drive

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"brokerage/internal/result"
	"brokerage/internal/workload"
)

// RateSearch is how Find looks for a rate.
type RateSearch struct {
	Goal     Goal
	Within   time.Duration       // the longest time
	Others   float64             // largest share of the machine that other programs may use in a slice that counts
	Progress func(*result.Curve) // called after each slice; may be nil
}

const (
	firstRate = 100.0 // if no transaction was done in the closed model
	leastRate = 1.0
	// A target is idle at idleShare of the first rate: a goal that is missed there is never met.
	idleShare = 0.01
	// grid is the logarithm of the ratio of two neighbouring rates.
	grid = 0.04
	// A search ends when the ratio of the two ends of its interval is at most precise.
	precise = 1.15
	// likely bounds the 95 % interval: the quantile of chi-square with one degree of freedom.
	likely = 3.84

	// A search ends when the share of its disturbed slices is above hopeless, once there are leastSlices.
	hopeless    = 0.9
	leastSlices = 24

	// waitingShare is the share of a slice's transactions that may wait at its end: a search is less precise than that.
	waitingShare = 0.05

	shortSlice = 2 * time.Second
	longSlice  = 10 * time.Second
	discarded  = 200 * time.Millisecond
)

// errTime ends a search whose time is over, or of which nearly all slices were disturbed. Find does not return it.
var errTime = errors.New("the time is over")

// finder looks for the highest rate that meets a goal.
type finder struct {
	RateSearch

	users   int
	mix     []workload.Mixed
	rand    *rand.Rand
	now     func() time.Time
	slice   func(ctx context.Context, rate float64, length time.Duration) (Sliced, result.Usage, error)
	began   time.Time
	curve   *result.Curve
	usage   map[float64]result.Usage // of the last slice that missed the goal, by rate
	discard time.Duration
	length  time.Duration
}

// Find estimates the highest rate at which a target meets a goal: the rate at which half of all tries meet it. It
// returns a result without transactions whose curve has the estimate, its interval and all rates. If the search ends
// early, it returns the error, and the curve until then if there is one.
//
// The first rate is that of the plan or, without one, what the users achieve in the closed model while they warm up,
// which takes the ramp of the plan, but at least a slice.
func Find(ctx context.Context, p Plan, t Target, s RateSearch) (*result.Run, error) {
	first, ramp := p.Rate, p.Ramp
	p.Rate, p.Ramp, p.Duration, p.Every = 0, 0, s.Within, 0
	crew, err := Gather(ctx, p, t)
	if err != nil {
		return nil, err
	}
	defer crew.Close()
	run, f := crew.Run, newFinder(s, crew.Mix(), p.Users, p.Seed)
	seed := p.Seed
	f.slice = func(ctx context.Context, rate float64, length time.Duration) (Sliced, result.Usage, error) {
		seed++
		sampler := crew.startSampling(ctx)
		s, err := crew.Slice(ctx, seed, rate, length)
		return s, usage(sampler.end(ctx), run.Target, run.Machine.Cores), err
	}
	run.Started, run.Ramp, run.Warmed = time.Now().UTC(), ramp.Seconds(), ramp.Seconds()
	f.began = f.now()
	if warmUp := max(ramp, f.length); ramp > 0 || first == 0 {
		var warm Sliced
		warm, _, err = f.slice(ctx, 0, warmUp)
		first = cmp.Or(first, float64(len(warm.Records))/warmUp.Seconds(), firstRate)
	}
	if err == nil {
		err = f.find(ctx, first)
	}
	if err != nil && len(f.curve.Steps) == 0 {
		return nil, err
	}
	p.Rate = cmp.Or(f.curve.Found, first)
	run.Model, run.Curve, run.Ended = p.model(), f.curve, ending(err)
	run.Usage, run.Usage.Shared = f.limiting(), run.Target.Kind == result.Direct
	f.curve.Limit = run.Limit()
	for i := range f.curve.Steps {
		run.Measured += f.curve.Steps[i].Seconds
	}
	crew.tally().Finish(run)
	return run, err
}

func newFinder(s RateSearch, mix []workload.Mixed, users int, seed uint64) *finder {
	length := min(max(50*s.Goal.slowest(), shortSlice), longSlice, s.Within/50)
	return &finder{
		RateSearch: s, users: users, mix: mix, now: time.Now, length: length, discard: min(discarded, length/10),
		usage: make(map[float64]result.Usage),
		rand:  rand.New(rand.NewPCG(seed, 33)), //nolint:gosec // no secret
		curve: &result.Curve{Goal: s.Goal.String(), Within: s.Within.Seconds()},
	}
}

// limiting returns what was used at the lowest rate that missed the goal and is not below the estimate.
func (f *finder) limiting() result.Usage {
	lowest := math.Inf(1)
	for rate := range f.usage {
		if rate >= f.curve.Found {
			lowest = min(lowest, rate)
		}
	}
	return f.usage[lowest]
}

// find tries rates until next returns none, or try returns errTime.
func (f *finder) find(ctx context.Context, first float64) (err error) {
	for next := []float64{first}; len(next) > 0; next = f.next(first) {
		for _, rate := range next {
			missed, err := f.try(ctx, onGrid(rate))
			for again := 0; missed && again < 2 && err == nil; again++ {
				_, err = f.try(ctx, onGrid(rate))
			}
			if errors.Is(err, errTime) {
				return nil
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// onGrid returns the nearest rate of the grid, in three digits, so that tries of nearly the same rate add up.
func onGrid(rate float64) float64 {
	return min(max(threeDigits(math.Exp(grid*math.Round(math.Log(rate)/grid))), leastRate), MaxRate)
}

func threeDigits(rate float64) float64 {
	digit := math.Pow(10, math.Floor(math.Log10(rate))-2)
	return digit * math.Round(rate/digit)
}

// next returns the rates to try next, none when the search is over: twice the highest rate until one misses the goal,
// and half the lowest rate until one meets it. After that, three rates are in the interval where the boundary can be,
// and one is outside of it, because the interval may be wrong.
func (f *finder) next(first float64) []float64 {
	tried := f.tried()
	lowest, highest := tried[0], tried[len(tried)-1]
	switch {
	case highest.Misses == 0 && highest.Rate < MaxRate:
		return []float64{2 * highest.Rate}
	case highest.Misses == 0 && highest.Met >= 3, lowest.Met == 0 && lowest.Rate <= max(leastRate, idleShare*first):
		return nil
	case lowest.Met == 0:
		return []float64{lowest.Rate / 2}
	case f.curve.Found > 0 && f.curve.High <= precise*f.curve.Low:
		return nil
	}
	low, high := boundary(tried, likely/2)
	if low == 0 {
		low = lowest.Rate / 2
	}
	high = min(high, 2*highest.Rate)
	within := func(low, high float64) float64 { return low * math.Pow(high/low, f.rand.Float64()) }
	const beyond = 1.3
	next := []float64{within(low, high), within(low, high), within(low, high), within(low/beyond, low)}
	if f.rand.IntN(2) == 0 {
		next[3] = within(high, beyond*high)
	}
	f.rand.Shuffle(len(next), func(i, j int) { next[i], next[j] = next[j], next[i] })
	return next
}

// try measures a rate until it is known whether the goal is met: for as many transactions as the goal needs, or until
// leastBeyond of them are beyond a limit. Whatever the goal, the target must keep up with the rate: see keepsUp.
// Disturbed slices are repeated.
func (f *finder) try(ctx context.Context, rate float64) (missed bool, err error) {
	counts := make([]counted, len(f.Goal.limits))
	for decided := false; !decided; {
		if f.curve.Seconds = f.now().Sub(f.began).Seconds(); f.curve.Seconds >= f.Within.Seconds() {
			return false, errTime
		}
		s, used, err := f.slice(ctx, rate, f.discard+f.length)
		if err != nil {
			return false, err
		}
		f.curve.Slices++
		if f.Progress != nil {
			f.Progress(f.curve)
		}
		others := 0.0
		if used.Others != nil {
			others = *used.Others
		}
		if s.Disturbed(others, f.Others) != "" {
			f.curve.Disturbed++
			if n := f.curve.Slices; n >= leastSlices && float64(f.curve.Disturbed) > hopeless*float64(n) {
				return false, errTime
			}
			continue
		}
		s.Records = slices.DeleteFunc(s.Records, func(r result.Record) bool { return r.At-r.Took < f.discard })
		f.Goal.count(counts, s.Records, f.mix)
		step := f.step(rate)
		step.Add(s.Records, s.Lost, f.length)
		var why string
		if why, decided = f.Goal.judge(counts); !f.keepsUp(rate, &s) {
			why, decided = fmt.Sprintf("%d transactions were waiting at the end", s.waiting()), true
		}
		if decided && why == "" {
			step.Met++
		} else if decided {
			step.Misses, step.Missed = step.Misses+1, why
			f.usage[rate], missed = used, true
		}
		f.estimate()
	}
	return missed, nil
}

// keepsUp reports whether the target keeps up with a rate. At the end of a slice, no more transactions may wait than
// there are users or, if all were begun later and their times count for the goal, than waitingShare of those due.
func (f *finder) keepsUp(rate float64, s *Sliced) bool {
	waiting := s.waiting()
	return waiting <= f.users || s.Lost == 0 && float64(waiting) <= waitingShare*rate*f.length.Seconds()
}

// step returns the step of a rate in the curve, which it adds if there is none.
func (f *finder) step(rate float64) *result.CurveStep {
	i, found := slices.BinarySearchFunc(f.curve.Steps, rate, func(s result.CurveStep, rate float64) int {
		return cmp.Compare(s.Rate, rate)
	})
	if !found {
		f.curve.Steps = slices.Insert(f.curve.Steps, i, result.CurveStep{Rate: rate})
	}
	return &f.curve.Steps[i]
}

// tried returns the rates of which a try is complete, in ascending order.
func (f *finder) tried() []result.CurveStep {
	return slices.DeleteFunc(slices.Clone(f.curve.Steps), func(s result.CurveStep) bool { return s.Met+s.Misses == 0 })
}

// estimate sets the interval and the estimate. The estimate is 0 while the interval has an open end, or if it would
// be below half of a rate that has met the goal, because then the target has changed.
func (f *finder) estimate() {
	tried := f.tried()
	low, high := boundary(tried, likely)
	bestLow, bestHigh := boundary(tried, 0)
	f.curve.Found, f.curve.Low, f.curve.High, f.curve.Changed = 0, low, high, false
	if math.IsInf(high, 1) {
		f.curve.High = 0
	}
	if low == 0 || f.curve.High == 0 {
		return
	}
	f.curve.Found = threeDigits(math.Sqrt(bestLow * bestHigh))
	f.curve.Changed = slices.ContainsFunc(tried, func(s result.CurveStep) bool {
		return s.Met > 0 && s.Rate > 2*f.curve.Found
	})
	if f.curve.Changed {
		f.curve.Found = 0
	}
}

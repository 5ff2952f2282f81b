package report

import (
	"math"
	"slices"
)

// sample is what repeats of one measurement gave.
type sample []float64

func (s sample) sorted() sample { return slices.Sorted(slices.Values(s)) }

// median is the middle one, or between the two in the middle.
func (s sample) median() float64 {
	if len(s) == 0 {
		return 0
	}
	sorted := s.sorted()
	return (sorted[(len(s)-1)/2] + sorted[len(s)/2]) / 2
}

func (s sample) low() float64  { return slices.Min(s) }
func (s sample) high() float64 { return slices.Max(s) }

// spreadText is how far the repeats went, of the median: what stands beside it.
func (s sample) spreadText() string {
	if len(s) < 2 || s.median() == 0 {
		return ""
	}
	return "±" + percent((s.high()-s.low())/2/s.median(), 1)
}

// rangeText is the repeats from the least to the greatest.
func (s sample) rangeText(format func(float64) string) string {
	if len(s) < 2 {
		return ""
	}
	return format(s.low()) + "–" + format(s.high())
}

// squares is the sum of squared distances from the mean.
func (s sample) squares() float64 {
	mean := 0.0
	for _, v := range s {
		mean += v / float64(len(s))
	}
	sum := 0.0
	for _, v := range s {
		sum += (v - mean) * (v - mean)
	}
	return sum
}

// verdict is what repeats allow to say about a difference.
type verdict int

const (
	unknown verdict = iota // too few repeats to know the noise
	within                 // no more than noise
	larger                 // than noise
)

const (
	// Below three a side, ranges that do not overlap are likelier than not to mean nothing: one in three pairs of two do
	// so.
	enoughRepeats = 3
	// A difference counts from so many standard deviations of a single run.
	enoughDeviations = 3
)

// judge holds the rule of decision 0013: a difference is larger than the noise when the ranges of the repeats do not
// overlap and the medians are more than three pooled standard deviations apart.
func judge(a, b sample) verdict {
	if len(a) < enoughRepeats || len(b) < enoughRepeats {
		return unknown
	}
	apart := a.high() < b.low() || b.high() < a.low()
	pooled := math.Sqrt((a.squares() + b.squares()) / float64(len(a)+len(b)-2))
	if apart && math.Abs(a.median()-b.median()) > enoughDeviations*pooled {
		return larger
	}
	return within
}

func (v verdict) String() string {
	return [...]string{"noise unknown", "within noise", "larger than noise"}[v]
}

// ruleText says the rule where its verdicts stand.
const ruleText = "A difference is larger than noise when both sides have at least three repeats, the ranges of the repeats do not overlap, and the medians are more than " +
	"three pooled standard deviations apart. Where nothing has changed, three repeats a side still say so of about one figure in forty, four of one in 170, five of one in 600 " +
	"(if repeats scatter normally). With fewer repeats the noise is unknown."

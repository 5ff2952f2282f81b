package report

import (
	"math"
	"slices"

	"brokerage/internal/format"
)

// repeats are the values of one figure in the repeats of a measurement.
type repeats []float64

// median returns the middle value, or the mean of the two in the middle.
func (s repeats) median() float64 {
	if len(s) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(s))
	return (sorted[(len(s)-1)/2] + sorted[len(s)/2]) / 2
}

// spread writes half the range of the repeats as a share of the median, or "" for a single one.
func (s repeats) spread() string {
	if len(s) < 2 || s.median() == 0 {
		return ""
	}
	return "±" + percent((slices.Max(s)-slices.Min(s))/2/s.median(), 1)
}

// limits returns the least and the greatest value as text, "" for a single value.
func (s repeats) limits() string {
	if len(s) < 2 {
		return ""
	}
	return format.Figure(slices.Min(s)) + "–" + format.Figure(slices.Max(s))
}

// squares returns the sum of squared distances from the mean.
func (s repeats) squares() float64 {
	mean, sum := 0.0, 0.0
	for _, v := range s {
		mean += v / float64(len(s))
	}
	for _, v := range s {
		sum += (v - mean) * (v - mean)
	}
	return sum
}

// verdict says whether the difference between two sides is larger than the noise of their repeats.
type verdict int

const (
	unknown verdict = iota // too few repeats to know the noise
	within                 // no more than noise
	larger                 // than noise
)

func (v verdict) String() string {
	return [...]string{"noise unknown", "within noise", "larger than noise"}[v]
}

const (
	// With two repeats on each side the rule would mean nothing: by chance alone, the ranges do not overlap in one of
	// three comparisons.
	enoughRepeats = 3
	// enoughDeviations is how many standard deviations of a single run the medians must differ by.
	enoughDeviations = 3
)

// judge compares the repeats of two sides by the rule of decision 0013: a difference is larger than the noise when the
// ranges of the repeats do not overlap and the medians are more than three pooled standard deviations apart.
func judge(a, b repeats) verdict {
	if len(a) < enoughRepeats || len(b) < enoughRepeats {
		return unknown
	}
	apart := slices.Max(a) < slices.Min(b) || slices.Max(b) < slices.Min(a)
	pooled := math.Sqrt((a.squares() + b.squares()) / float64(len(a)+len(b)-2))
	if apart && math.Abs(a.median()-b.median()) > enoughDeviations*pooled {
		return larger
	}
	return within
}

// ruleText explains the rule of judge to the reader of a comparison.
const ruleText = "A difference is larger than noise when both sides have at least three repeats, the ranges of the " +
	"repeats do not overlap, and the medians are more than three pooled standard deviations apart. Where nothing has " +
	"changed, the rule still finds a difference in about one figure of 40 with three repeats a side, of 170 with four, " +
	"of 600 with five (if repeats are normally distributed). With fewer repeats the noise is unknown."

// chanceOf returns how often the rule finds a difference where there is none, with so many repeats on each side.
// TestJudge_Chance measures it.
func chanceOf(repeats int) float64 {
	switch {
	case repeats < enoughRepeats:
		return 0
	case repeats == 3:
		return 0.025
	case repeats == 4:
		return 0.006
	default:
		return 0.0016
	}
}

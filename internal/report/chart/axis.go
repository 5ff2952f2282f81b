package chart

import "math"

// axis maps values to positions in the drawing. Those outside are drawn at its ends.
type axis struct {
	min, max float64
	from, to float64 // where they are drawn
}

func (a axis) at(value float64) float64 {
	return a.from + share((value-a.min)/(a.max-a.min))*(a.to-a.from)
}

// share returns v within 0 and 1.
func share(v float64) float64 {
	if math.IsNaN(v) {
		return 0
	}
	return max(0, min(1, v))
}

// roundAbove returns the least of 1, 2 and 5 times a power of ten that is not below v.
func roundAbove(v float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(v)))
	for _, factor := range []float64{1, 2, 5} {
		if v <= factor*power*(1+1e-9) {
			return factor * power
		}
	}
	return 10 * power
}

// ticks returns about count round numbers, from the last that is not above least to the first that is not below most.
func ticks(least, most float64, count int) (all []float64) {
	if !(most > least) || math.IsInf(most, 0) {
		most = least + 1
	}
	step := roundAbove((most - least) / float64(count))
	for i := math.Floor(least/step + 1e-9); i <= math.Ceil(most/step-1e-9); i++ {
		all = append(all, i*step)
	}
	return all
}

// thin leaves out ticks that would overlap: those kept are at least the distance apart, and the last is one of them.
func thin(values []float64, a axis, distance float64) (kept []float64) {
	if len(values) == 0 {
		return nil
	}
	last := values[len(values)-1]
	for _, v := range values[:len(values)-1] {
		if a.at(last)-a.at(v) >= distance && (len(kept) == 0 || a.at(v)-a.at(kept[len(kept)-1]) >= distance) {
			kept = append(kept, v)
		}
	}
	return append(kept, last)
}

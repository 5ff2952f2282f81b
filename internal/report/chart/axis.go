package chart

import "math"

// axis maps values to positions in the drawing.
type axis struct {
	max      float64 // the greatest value; the least is 0
	from, to float64 // where they are drawn
}

func (a axis) at(value float64) float64 {
	if a.max == 0 {
		return (a.from + a.to) / 2
	}
	return a.from + value/a.max*(a.to-a.from)
}

// roundAbove returns the least of 1, 2 and 5 times a power of ten that is not below v, and roundBelow the greatest that
// is not above it.
func roundAbove(v float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(v)))
	for _, factor := range []float64{1, 2, 5} {
		if v <= factor*power*(1+1e-9) {
			return factor * power
		}
	}
	return 10 * power
}

// ticks returns about count round numbers from 0 to the first that is not below most.
func ticks(most float64, count int) []float64 {
	if most <= 0 || math.IsInf(most, 0) || math.IsNaN(most) {
		most = 1
	}
	step := roundAbove(most / float64(count))
	all := make([]float64, int(math.Ceil(most/step-1e-9))+1)
	for i := range all {
		all[i] = float64(i) * step
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

// spread moves sorted positions apart until a row of text fits between neighbours, within [low, high] as far as
// possible.
func spread(positions []float64, low, high float64) []float64 {
	moved := make([]float64, len(positions))
	for i, p := range positions {
		moved[i] = max(p, low)
		if i > 0 {
			moved[i] = max(moved[i], moved[i-1]+rowHeight)
		}
	}
	for i := len(moved) - 1; i >= 0; i-- {
		moved[i] = min(moved[i], high)
		high = moved[i] - rowHeight
	}
	return moved
}

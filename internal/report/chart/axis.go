package chart

import "math"

// axis maps values to positions in the drawing.
type axis struct {
	min, max float64 // values
	from, to float64 // where they are drawn
}

func (a axis) at(value float64) float64 {
	if a.max == a.min {
		return (a.from + a.to) / 2
	}
	return a.from + (value-a.min)/(a.max-a.min)*(a.to-a.from)
}

// ticks returns about count round numbers from 0 to the first that is not below most, in steps of 1, 2 or 5 times a
// power of ten.
func ticks(most float64, count int) []float64 {
	if most <= 0 || math.IsInf(most, 0) || math.IsNaN(most) {
		most = 1
	}
	step := math.Pow(10, math.Floor(math.Log10(most/float64(count))))
	for _, factor := range []float64{1, 2, 5, 10} {
		if most/(factor*step) <= float64(count) {
			step *= factor
			break
		}
	}
	steps := int(math.Ceil(most/step - 1e-9))
	all := make([]float64, steps+1)
	for i := range all {
		all[i] = float64(i) * step
	}
	return all
}

// thin leaves out ticks that would overlap: those kept are at least the distance apart, and the last is one of them.
func thin(values []float64, a axis, distance float64) []float64 {
	if len(values) == 0 {
		return nil
	}
	last := values[len(values)-1]
	var kept []float64
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
		if i < len(moved)-1 {
			moved[i] = min(moved[i], moved[i+1]-rowHeight)
		}
	}
	return moved
}

package chart

import (
	"math"
	"strconv"
	"strings"

	"brokerage/internal/format"
)

// axis maps values to positions in the drawing. Values outside are drawn at its ends.
type axis struct {
	min, max float64
	from, to float64 // where they are drawn
}

func (a axis) at(value float64) float64 {
	share := (value - a.min) / (a.max - a.min)
	if math.IsNaN(share) {
		share = 0
	}
	return a.from + max(0, min(1, share))*(a.to-a.from)
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
	const tiny = 1e-100
	if !(most-least > tiny) || math.IsInf(most, 0) {
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
	end := len(values) - 1
	last := values[end]
	for _, v := range values[:end] {
		if a.at(last)-a.at(v) >= distance && (len(kept) == 0 || a.at(v)-a.at(kept[len(kept)-1]) >= distance) {
			kept = append(kept, v)
		}
	}
	return append(kept, last)
}

// figure writes a figure at an axis: 0.25, 5000, 250 k, 1.5 M.
func figure(v float64) string {
	units := []string{"", " k", " M", " G"}
	i := 0
	for i < len(units)-1 && (v >= 10_000 || (i > 0 && v >= 1000)) {
		v, i = v/1000, i+1
	}
	return strings.ReplaceAll(strconv.FormatFloat(v, 'g', 4, 64), "-", format.Minus) + units[i]
}

// widest returns the width of the widest figure at an axis.
func widest(ticks []float64) (width float64) {
	for _, v := range ticks {
		width = max(width, textWidth(figure(v)))
	}
	return width
}

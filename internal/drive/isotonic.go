package drive

import (
	"math"

	"brokerage/internal/result"
)

// boundary returns the interval of rates in which the chance of a try to miss the goal may rise above one half, if the
// chance rises with the rate. The steps are in ascending order of rates. A boundary is in the interval unless its
// log likelihood is below the best by more than worst/2. 0 and +Inf mean that no rate bounds the interval.
func boundary(of []result.CurveStep, worst float64) (low, high float64) {
	const rounding = 1e-9
	best := logLikelihood(of, isotonic(of, 0, 1))
	low, high = math.Inf(1), 0
	for n := range len(of) + 1 { // n rates are below the boundary
		chances := append(isotonic(of[:n], 0, 0.5), isotonic(of[n:], 0.5, 1)...)
		if 2*(best-logLikelihood(of, chances)) > worst+rounding {
			continue
		}
		below, above := 0.0, math.Inf(1)
		if n > 0 {
			below = of[n-1].Rate
		}
		if n < len(of) {
			above = of[n].Rate
		}
		low, high = min(low, below), max(high, above)
	}
	return low, high
}

// isotonic returns the chances to miss, one for each rate, that fit the tries best if they rise with the rate and are
// within bounds. Neighbouring rates whose shares of misses fall are pooled until no share falls.
func isotonic(of []result.CurveStep, least, most float64) []float64 {
	type block struct{ missed, all, rates int }
	var blocks []block
	for _, t := range of {
		blocks = append(blocks, block{t.Misses, t.Met + t.Misses, 1})
		for n := len(blocks); n > 1 && blocks[n-2].missed*blocks[n-1].all >= blocks[n-1].missed*blocks[n-2].all; n-- {
			a, b := blocks[n-2], blocks[n-1]
			blocks = append(blocks[:n-2], block{a.missed + b.missed, a.all + b.all, a.rates + b.rates})
		}
	}
	var chances []float64
	for _, b := range blocks {
		for range b.rates {
			chances = append(chances, min(max(float64(b.missed)/float64(b.all), least), most))
		}
	}
	return chances
}

func logLikelihood(of []result.CurveStep, chances []float64) (sum float64) {
	for i, t := range of {
		if t.Met > 0 {
			sum += float64(t.Met) * math.Log1p(-chances[i])
		}
		if t.Misses > 0 {
			sum += float64(t.Misses) * math.Log(chances[i])
		}
	}
	return sum
}

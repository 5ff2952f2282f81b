package compare

import "math"

// alpha is the chance that an interval that decides misses the truth, at any look of a comparison.
const alpha = 0.05

// spending computes the boundaries of a group sequential test by Lan and DeMets: alpha is spent evenly over the time
// that a comparison may take, so that looking often costs little. A look spends what its time allows and earlier
// looks have not spent.
// A spending follows the sum of standard normal increments and keeps the density of sums not stopped by a boundary.
type spending struct {
	alpha   float64   // in all
	spent   float64   // of alpha
	blocks  float64   // at the last look,
	z       float64   // and its result
	sums    []float64 // a grid of sums that were within the last boundary,
	density []float64 // and their density times the width of the grid
}

// The points of the grid, and the widest boundary in standard deviations: it is practically never crossed.
const (
	gridPoints = 61
	widest     = 8.0
)

// look returns how many standard errors an interval extends to each side at a look, after a number of blocks and a
// share of the time. Neither may fall from look to look, except after restart.
func (s *spending) look(blocks int, passed float64) float64 {
	n := float64(blocks)
	if n == s.blocks {
		return s.z
	}
	target := max(s.alpha*min(passed, 1)-s.spent, 0)
	step := math.Sqrt(n - s.blocks)
	if s.sums == nil { // the first look, or the first since restart
		s.sums, s.density = []float64{0}, []float64{1}
	}
	beyond := func(limit float64) (p float64) {
		for i, sum := range s.sums {
			p += s.density[i] * (upperTail((limit-sum)/step) + upperTail((limit+sum)/step))
		}
		return p
	}
	low, high := 0.0, widest*math.Sqrt(n)
	for range 30 {
		if middle := (low + high) / 2; beyond(middle) > target {
			low = middle
		} else {
			high = middle
		}
	}
	limit := high
	s.spent += beyond(limit)
	sums, density := make([]float64, gridPoints), make([]float64, gridPoints)
	width := 2 * limit / (gridPoints - 1)
	for j := range sums {
		sums[j] = -limit + float64(j)*width
		for i, from := range s.sums {
			x := (sums[j] - from) / step
			density[j] += s.density[i] * math.Exp(-x*x/2) / (step * math.Sqrt(2*math.Pi)) * width
		}
	}
	density[0], density[gridPoints-1] = density[0]/2, density[gridPoints-1]/2
	s.blocks, s.sums, s.density, s.z = n, sums, density, limit/math.Sqrt(n)
	return s.z
}

// restart forgets the blocks, but not the alpha that was spent on them.
func (s *spending) restart() { s.blocks, s.sums, s.density = 0, nil, nil }

// quantile returns the x that a standard normal variable exceeds with a chance of tail.
func quantile(tail float64) float64 { return math.Sqrt2 * math.Erfcinv(2*tail) }

// upperTail returns the chance that a standard normal variable exceeds x.
func upperTail(x float64) float64 { return math.Erfc(x/math.Sqrt2) / 2 }

// studentFor returns the quantile of Student's distribution that is exceeded as often as z is by the normal one: the
// standard error is only an estimate.
func studentFor(z float64, degrees int) float64 {
	target := upperTail(z)
	low, high := 0.0, 1e6
	for range 100 {
		if middle := (low + high) / 2; studentTail(middle, degrees) > target {
			low = middle
		} else {
			high = middle
		}
	}
	return high
}

// studentTail returns the chance that a variable of Student's distribution exceeds t, by the finite sums for whole
// degrees of freedom (Abramowitz and Stegun 26.7.3 and 26.7.4).
func studentTail(t float64, degrees int) float64 {
	angle := math.Atan(t / math.Sqrt(float64(degrees)))
	sin, cos := math.Sincos(angle)
	sum, term, from := 0.0, 1.0, 1
	if degrees%2 == 1 {
		term, from = cos, 2
	}
	for k := from; k < degrees; k += 2 {
		sum += term
		term *= cos * cos * float64(k) / float64(k+1)
	}
	if degrees%2 == 1 {
		return max(0, 0.5-(angle+sin*sum)/math.Pi)
	}
	return max(0, 0.5-sin*sum/2)
}

// widestHalf is the largest half width of an interval of log ratios, so that JSON can hold its ends.
const widestHalf = 100

// intervalOf returns the mean of the log ratios of blocks with an interval of z standard errors each way, as changes.
func intervalOf(logs []float64, z float64) Interval {
	mean, deviation := meanOf(logs)
	n := independent(logs)
	half := min(studentFor(z, max(int(n)-1, 1))*deviation/math.Sqrt(n), widestHalf)
	return Interval{math.Expm1(mean), math.Expm1(mean - half), math.Expm1(mean + half)}
}

// independent returns how many independent values would have a mean as certain as the mean of the given values, whose
// neighbours may resemble each other.
func independent(values []float64) float64 {
	r := min(max(alike(values), 0), 0.9)
	return float64(len(values)) * (1 - r) / (1 + r)
}

// alike returns the correlation of neighbours, with Kendall's correction of its bias, which is large for few values.
func alike(values []float64) float64 {
	mean, _ := meanOf(values)
	var all, next float64
	for i, v := range values {
		all += (v - mean) * (v - mean)
		if i > 0 {
			next += (v - mean) * (values[i-1] - mean)
		}
	}
	if all == 0 {
		return 0
	}
	n := float64(len(values))
	return (n*next/all + 1) / (n - 4)
}

// meanOf returns the mean and the standard deviation.
func meanOf(values []float64) (mean, deviation float64) {
	n := float64(len(values))
	for _, v := range values {
		mean += v / n
	}
	for _, v := range values {
		deviation += (v - mean) * (v - mean)
	}
	return mean, math.Sqrt(deviation / max(n-1, 1))
}

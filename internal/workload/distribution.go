package workload

import (
	"math"
	"math/rand/v2"
)

// Draw is a distribution over the indexes of keys, [0, n): uniform, zipf or hot-set. Shares are fractions of 1.
type Draw struct {
	Distribution string  `json:"distribution"`
	S            float64 `json:"s"`     // exponent of zipf
	Hot          float64 `json:"hot"`   // share of the keys that are hot in a hot-set,
	Share        float64 `json:"share"` // and their share of the draws
}

// picker returns a function that draws the indexes of keys from [0, n). It scatters popular keys, so that they are not
// next to each other on a page, by a stride that reaches every index once: a prime that does not divide n.
func (d Draw) picker(r *rand.Rand, n int64) func() int64 {
	ranked, stride := d.ranks(r, n), int64(1)
	if d.Distribution == "uniform" {
		return ranked
	}
	for _, prime := range []int64{7901, 7907, 7919} {
		if n%prime != 0 {
			stride = prime
		}
	}
	return func() int64 { return ranked() * stride % n }
}

// ranks is like picker, but does not scatter popular keys: they have the lowest indexes.
func (d Draw) ranks(r *rand.Rand, n int64) func() int64 {
	switch d.Distribution {
	case "zipf":
		return zipf(r, d.S, n)
	case "hot-set":
		hot := min(max(int64(d.Hot*float64(n)), 1), n)
		return func() int64 {
			if hot == n || r.Float64() < d.Share {
				return r.Int64N(hot)
			}
			return hot + r.Int64N(n-hot)
		}
	default:
		return func() int64 { return r.Int64N(n) }
	}
}

// zipf returns a function that draws rank k, from 0, with a probability proportional to (k+1)^-s, for any s above 0:
// rejection from the integral (Hörmann and Derflinger, 1996), without a table, so that n may be millions.
func zipf(r *rand.Rand, s float64, n int64) func() int64 {
	integral, inverse := math.Log, math.Exp
	if s != 1 {
		integral = func(x float64) float64 { return math.Expm1((1-s)*math.Log(x)) / (1 - s) }
		inverse = func(u float64) float64 { return math.Exp(math.Log1p(u*(1-s)) / (1 - s)) }
	}
	density := func(x float64) float64 { return math.Exp(-s * math.Log(x)) }
	low, high := integral(1.5)-1, integral(float64(n)+.5)
	surely := 2 - inverse(integral(2.5)-density(2))
	return func() int64 {
		for {
			u := high + r.Float64()*(low-high)
			x := inverse(u)
			k := min(max(math.Floor(x+.5), 1), float64(n))
			if k-x <= surely || u >= integral(k+.5)-density(k) {
				return int64(k) - 1
			}
		}
	}
}

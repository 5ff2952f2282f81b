package workload

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// Draw is a distribution over the indexes from 0 to below a number. Shares are of 1.
type Draw struct {
	Distribution string  `json:"distribution"`
	S            float64 `json:"s"`     // exponent of Zipf
	Hot          float64 `json:"hot"`   // share of the keys that are hot in a HotSet,
	Share        float64 `json:"share"` // and their share of the draws
}

// The distributions. Zipf and HotSet are scattered over the keys of the dataset, so that popular keys are not next to
// each other on a page.
const (
	Uniform = "uniform"
	Zipf    = "zipf"
	HotSet  = "hot-set"
)

func (d Draw) check(of string) error {
	own := Draw{Distribution: d.Distribution} // with the fields that its distribution has
	ok, needs := true, ""
	switch d.Distribution {
	case Uniform:
	case Zipf:
		own.S = d.S
		ok, needs = d.S > 0 && d.S <= 10, fmt.Sprintf("the exponent s is %v, and must be above 0 and at most 10", d.S)
	case HotSet:
		own.Hot, own.Share = d.Hot, d.Share
		ok = d.Hot > 0 && d.Hot < 1 && d.Share > 0 && d.Share < 1
		needs = "hot-set needs two numbers above 0 and below 1: hot (share of the keys) and share (share of the draws)"
	default:
		return fmt.Errorf("%s: there is no distribution %q: it is one of %s, %s, %s", of, d.Distribution, Uniform, Zipf,
			HotSet)
	}
	switch {
	case !ok:
		return fmt.Errorf("%s: %s", of, needs)
	case own != d:
		return fmt.Errorf("%s: %s has no such parameters: s is for zipf, hot and share for hot-set", of, d.Distribution)
	}
	return nil
}

// picker returns a function that draws the indexes of keys from [0, n).
func (d Draw) picker(r *rand.Rand, n int64) (pick func() int64) {
	ranked := d.ranks(r, n)
	if d.Distribution == Uniform {
		return ranked
	}
	stride := scatter(n)
	return func() int64 { return ranked() * stride % n } // no overflow: the stride is small
}

// ranks returns the same function without the scattering: it prefers the lowest indexes.
func (d Draw) ranks(r *rand.Rand, n int64) (pick func() int64) {
	switch d.Distribution {
	case Zipf:
		return zipf(r, d.S, n)
	case HotSet:
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
	integral := func(x float64) float64 {
		if s == 1 {
			return math.Log(x)
		}
		return math.Expm1((1-s)*math.Log(x)) / (1 - s)
	}
	inverse := func(u float64) float64 {
		if s == 1 {
			return math.Exp(u)
		}
		return math.Exp(math.Log1p(u*(1-s)) / (1 - s))
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

// scatter returns a stride that reaches every index below n once: a prime that does not divide n, and too small to
// overflow with any dataset.
func scatter(n int64) int64 {
	for _, prime := range []int64{7919, 7907, 7901} {
		if n%prime != 0 {
			return prime
		}
	}
	return 1
}

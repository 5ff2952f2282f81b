package dataset

import "math/bits"

// popularity draws securities by Zipf's law with exponent 1: the security of rank r is drawn 1/r times as often as the
// first. It uses Walker's alias method, with one random number and one lookup for any number of securities. Weights and
// thresholds are integers, see rng.
type popularity []aliasColumn

// aliasColumn is drawn as often as every other column. It gives the security in the field first with a probability of
// keep/2^32, and otherwise the security in the field second.
type aliasColumn struct {
	keep          uint32
	first, second int32
}

// hotStride and hotOffset scatter the ranks over the indexes, so that popular securities are not neighbours in an index
// or on a page of a database.
const (
	hotStride = 7919 // prime, divides neither 500 nor 20,833
	hotOffset = 311
)

// hotIndex returns the security of rank r, from 0, among n.
func hotIndex(r, n int) int32 { return int32((r*hotStride + hotOffset) % n) }

func newPopularity(n int) popularity {
	weights := make([]uint64, n)
	total := uint64(0)
	for r := range weights {
		weights[r] = (1 << 32) / uint64(r+1)
		total += weights[r]
	}
	// Multiplied by n, the mean weight is total: a weight below it leaves room in its column, which a weight above it
	// fills.
	var below, above []int
	for r := range weights {
		weights[r] *= uint64(n)
		if weights[r] < total {
			below = append(below, r)
		} else {
			above = append(above, r)
		}
	}
	p := make(popularity, n)
	for r := range p {
		p[r] = aliasColumn{keep: 1<<32 - 1, first: hotIndex(r, n), second: hotIndex(r, n)}
	}
	for len(below) > 0 && len(above) > 0 {
		small, large := below[len(below)-1], above[len(above)-1]
		below = below[:len(below)-1]
		hi, lo := bits.Mul64(weights[small], 1<<32)
		keep, _ := bits.Div64(hi, lo, total)
		p[small].keep = uint32(keep)
		p[small].second = hotIndex(large, n)
		weights[large] -= total - weights[small]
		if weights[large] < total {
			above = above[:len(above)-1]
			below = append(below, large)
		}
	}
	return p
}

func (p popularity) draw(r *rng) int {
	x := r.next()
	c := &p[(x>>32)*uint64(len(p))>>32]
	if x&(1<<32-1) < uint64(c.keep) {
		return int(c.first)
	}
	return int(c.second)
}

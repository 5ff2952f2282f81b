package dataset

import (
	"math/bits"
	"strconv"
	"strings"
)

// rng is the generator of Java's SplittableRandom (Steele, Lea and Flood, "Fast splittable pseudorandom number
// generators", 2014): a counter that goes up by an odd gamma of its own in every stream, and a mixing function over it.
//
// The package has its own implementation and bounded draws, because documents must never change with a Go release:
// math/rand/v2 guarantees only the raw output of its generators, not what Rand derives from it. SplittableRandom is
// also very fast, and a new stream costs two mixes, which matters since every document has one. Streams do not overlap:
// that would need the same gamma and close counters, 127 bits that must agree.
//
// Everything is integer arithmetic. A compiler may fuse floating-point operations on one processor and not on another,
// and documents would differ.
type rng struct{ counter, gamma uint64 }

const golden = 0x9e3779b97f4a7c15 // 2^64 divided by the golden ratio, odd

// mix is variant 13 of Stafford's finalisers, a bijection on 64 bits.
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// A purpose separates streams of the same index.
type purpose uint64

const (
	forSecurity purpose = iota + 1
	forIssue            // name, type and sector of a security, which others refer to
	forCustomer
	forOrder
	forOrderRefs // account, symbol and time of an order, which a caller may replace
	forAccount
	numPurposes
)

// stream returns the i-th stream under a key. Indexes that follow each other give counters and gammas that have nothing
// to do with each other, because both come out of a full mix.
func stream(key uint64, i int64) rng {
	x := key + uint64(i)*golden
	gamma := (x ^ x>>33) * 0xff51afd7ed558ccd
	gamma = (gamma ^ gamma>>33) * 0xc4ceb9fe1a85ec53
	gamma = (gamma ^ gamma>>33) | 1
	if bits.OnesCount64(gamma^gamma>>1) < 24 {
		gamma ^= 0xaaaaaaaaaaaaaaaa // a gamma such as 1 or 3 would leave too much work to mix
	}
	return rng{counter: mix(x), gamma: gamma}
}

func (r *rng) next() uint64 {
	r.counter += r.gamma
	return mix(r.counter)
}

// below draws from [0, n). The bias of multiplying instead of rejecting is less than n / 2^64, far below what any
// number of documents could show.
func (r *rng) below(n int) int {
	hi, _ := bits.Mul64(r.next(), uint64(n))
	return int(hi)
}

// between draws from [lo, hi], both ends included.
func (r *rng) between(lo, hi int) int { return lo + r.below(hi-lo+1) }

// percent returns true in p of 100 draws.
func (r *rng) percent(p int) bool { return r.below(100) < p }

// skewed draws from [lo, hi] with a density that falls linearly to zero at hi: the smaller of two uniform draws.
func (r *rng) skewed(lo, hi int) int { return min(r.between(lo, hi), r.between(lo, hi)) }

// codes is a list of values with weights, stored so that eight random bits select one.
type codes struct {
	values []string
	slot   [256]uint8
}

// newCodes reads a list such as "1:45 2:42 5" of values and their weights; a missing weight is 1. Values have no
// colons or blanks.
func newCodes(list string) *codes {
	values := strings.Fields(list)
	weights := make([]int, len(values))
	for i, field := range values {
		value, weight, found := strings.Cut(field, ":")
		values[i], weights[i] = value, 1
		if found {
			weights[i] = must(strconv.Atoi(weight))
		}
	}
	c := newWeights(weights...)
	c.values = values
	return c
}

// newWeights returns a list without values, to draw indexes. Every index has the slots between the cumulative weights,
// rounded down, and at least one.
func newWeights(weights ...int) *codes {
	c, total := &codes{}, 0
	for _, n := range weights {
		total += n
	}
	at, sum := 0, 0
	for i, n := range weights {
		sum += n
		for upTo := max(at+1, sum*len(c.slot)/total); at < upTo && at < len(c.slot); at++ {
			c.slot[at] = uint8(i)
		}
	}
	return c
}

// index draws an index of a list.
func (r *rng) index(c *codes) int { return int(c.slot[r.next()>>56]) }

// pick draws a value of a list.
func (r *rng) pick(c *codes) string { return c.values[r.index(c)] }

// one draws an element of a list without weights.
func one[T any](r *rng, list []T) T { return list[r.below(len(list))] }

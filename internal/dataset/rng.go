package dataset

import "math/bits"

// rng is the generator of Java's SplittableRandom (Steele, Lea and Flood, "Fast splittable pseudorandom number
// generators", 2014): a counter that goes up by an odd gamma of its own in every stream, and a mixing function over it.
//
// The package has its own implementation and bounded draws, because documents must never change with a Go release:
// math/rand/v2 guarantees only the raw output of its generators, not what Rand derives from it. It is also very fast,
// and a new stream costs three mixes, which matters since every document has one. Streams do not overlap: that would
// need the same gamma and close counters, 127 bits that must agree.
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

// mixGamma makes an odd number with enough changes between its bits: a gamma such as 1 or 3 would leave too much work
// to mix.
func mixGamma(x uint64) uint64 {
	x = (x ^ x>>33) * 0xff51afd7ed558ccd
	x = (x ^ x>>33) * 0xc4ceb9fe1a85ec53
	x = (x ^ x>>33) | 1
	if bits.OnesCount64(x^x>>1) < 24 {
		x ^= 0xaaaaaaaaaaaaaaaa
	}
	return x
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

// streamKey returns the key of all streams of a purpose in datasets of one seed and profile.
func streamKey(seed uint64, p Profile, f purpose) uint64 {
	return mix(mix(seed+golden) + (uint64(p)<<32+uint64(f))*golden)
}

// stream returns the i-th stream under a key. Indexes that follow each other give counters and gammas that have nothing
// to do with each other, because both come out of a full mix.
func stream(key uint64, i int64) rng {
	x := key + uint64(i)*golden
	return rng{counter: mix(x), gamma: mixGamma(x)}
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

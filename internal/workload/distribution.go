package workload

import "math/rand/v2"

// picker returns a function that draws indexes from [0, n) for one of several users. Sequential users begin evenly
// spread and go through all indexes.
func (d Draw) picker(r *rand.Rand, n int64, user, users int) (pick func() int64) {
	switch d.Distribution {
	case Zipf:
		// The ranks are scattered over the indexes, so that popular keys are not next to each other on a page.
		count := uint64(n) //nolint:gosec // not below 0
		ranks, stride := rand.NewZipf(r, d.S, 1, count-1), scatter(count)
		return func() int64 {
			return int64(ranks.Uint64() * stride % count) //nolint:gosec // no overflow: stride is small
		}
	case Sequential:
		next := n / int64(users) * int64(user)
		return func() int64 {
			i := next
			next = (i + 1) % n
			return i
		}
	default:
		return func() int64 { return r.Int64N(n) }
	}
}

// scatter returns a stride that reaches every index below n once: a prime that does not divide n, and too small to
// overflow with any dataset.
func scatter(n uint64) uint64 {
	for _, prime := range []uint64{7919, 7907, 7901} {
		if n%prime != 0 {
			return prime
		}
	}
	return 1
}

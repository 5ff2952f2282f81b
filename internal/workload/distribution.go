package workload

import "math/rand/v2"

// picker draws indexes from [0, n).
type picker interface {
	pick(r *rand.Rand) int64
}

// picker returns the picker of one of several users. Sequential users begin evenly spread and go through all indexes.
func (d Draw) picker(r *rand.Rand, n int64, user, users int) picker {
	switch d.Distribution {
	case Zipf:
		return &zipfPicker{rand.NewZipf(r, d.S, 1, uint64(n-1)), uint64(n), scatter(uint64(n))}
	case Sequential:
		return &sequentialPicker{next: n / int64(users) * int64(user), n: n}
	default:
		return uniformPicker(n)
	}
}

type uniformPicker int64

func (n uniformPicker) pick(r *rand.Rand) int64 { return r.Int64N(int64(n)) }

type sequentialPicker struct{ next, n int64 }

func (p *sequentialPicker) pick(*rand.Rand) int64 {
	i := p.next
	p.next = (i + 1) % p.n
	return i
}

// zipfPicker scatters the ranks over the indexes, so that popular keys are not next to each other on a page.
type zipfPicker struct {
	ranks     *rand.Zipf
	n, stride uint64
}

func (p *zipfPicker) pick(*rand.Rand) int64 {
	//nolint:gosec // n is below 2^63, and the product below 2^64 because of the size of stride
	return int64(p.ranks.Uint64() * p.stride % p.n)
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

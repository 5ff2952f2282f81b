package live

import (
	"math"
	"math/bits"
	"time"
)

// The buckets of a histogram are microseconds up to 32, and then 16 for each power of two, so that a percentile is
// within 4 % of the truth. The last bucket takes everything from a minute on.
//
// HdrHistogram has the same buckets, but neither atomic counts nor a difference of two readings: it would need a lock
// for each count and five histograms for each transaction, and a frame takes 1.2 ms instead of 0.23 ms. Histograms of
// Prometheus have half as many buckets, and are read as protobuf only.
const (
	perPower = 16
	powers   = 22
	buckets  = perPower * (powers + 1)
)

// bucketOf returns the bucket of a duration.
func bucketOf(took time.Duration) int {
	us := uint64(max(took.Microseconds(), 0)) //nolint:gosec // not below 0
	if us < 2*perPower {
		return int(us)
	}
	power := bits.Len64(us) - 5 // us>>power has five bits: 16 to 31
	return min(perPower*power+int(us>>power), buckets-1)
}

// middleOf returns the middle of a bucket in milliseconds.
func middleOf(bucket int) float64 {
	if bucket < 2*perPower {
		return (float64(bucket) + .5) / 1000
	}
	power := bucket/perPower - 1
	from := float64(bucket-perPower*power) * float64(uint64(1)<<power)
	return (from + float64(uint64(1)<<power)/2) / 1000
}

// percentiles returns the percentiles in milliseconds, to three digits, or nil without requests. Shares must ascend.
func percentiles(counts *[buckets]uint32, shares ...float64) []float64 {
	var total uint64
	for _, n := range counts {
		total += uint64(n)
	}
	if total == 0 {
		return nil
	}
	found := make([]float64, 0, len(shares))
	bucket, below := 0, uint64(counts[0])
	for _, share := range shares {
		rank := max(uint64(math.Ceil(share*float64(total))), 1)
		for below < rank {
			bucket++
			below += uint64(counts[bucket])
		}
		found = append(found, threeDigits(middleOf(bucket)))
	}
	return found
}

// threeDigits rounds to three significant digits, which is more than the histogram's accuracy.
func threeDigits(v float64) float64 {
	if v <= 0 {
		return 0
	}
	unit := math.Pow(10, 2-math.Floor(math.Log10(v)))
	return math.Round(v*unit) / unit
}

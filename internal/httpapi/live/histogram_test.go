package live

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// The middle of a bucket is within 4 % of the duration, or half a microsecond, and a longer one is never in an
// earlier bucket.
func TestBucketOf(t *testing.T) {
	last := 0
	for us := int64(0); us < 70_000_000; us += 1 + us/97 {
		bucket := bucketOf(time.Duration(us) * time.Microsecond)
		require.GreaterOrEqual(t, bucket, last)
		last = bucket
		if us < 60_000_000 {
			require.InDelta(t, float64(us), middleOf(bucket)*1000, math.Max(.51, .04*float64(us)), "%d µs", us)
		}
	}
	require.Equal(t, buckets-1, last)
	require.Equal(t, buckets-1, bucketOf(math.MaxInt64))
	require.Equal(t, 0, bucketOf(-time.Second)) // a clock that was set back
	require.Equal(t, 0, bucketOf(999*time.Nanosecond))
}

func TestPercentiles(t *testing.T) {
	var counts [buckets]uint32
	require.Nil(t, percentiles(&counts, .5))
	for ms := 1; ms <= 100; ms++ {
		counts[bucketOf(time.Duration(ms)*time.Millisecond)]++
	}
	p := percentiles(&counts, .01, .5, .95, .99, 1)
	for i, want := range []float64{1, 50, 95, 99, 100} {
		require.InEpsilon(t, want, p[i], .04)
	}
	// One request is all of them.
	counts = [buckets]uint32{7: 1}
	require.Equal(t, []float64{.0075, .0075}, percentiles(&counts, .5, .99))
}

func TestThreeDigits(t *testing.T) {
	for in, out := range map[float64]float64{0: 0, -1: 0, .0075: .0075, 1.23456: 1.23, 999.6: 1000, 12345: 12300} {
		require.InDelta(t, out, threeDigits(in), 1e-9)
	}
}

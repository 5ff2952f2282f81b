package dataset

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPart_Cut(t *testing.T) {
	for _, count := range []int64{0, 1, 5, 16, 17, 20833, 500_000_000_000} {
		for _, of := range []int64{1, 2, 16, 1000} {
			end := int64(0)
			for number := range of {
				from, to := Part{number + 1, of}.cut(count)
				require.Equal(t, end, from)
				require.InDelta(t, float64(count)/float64(of), float64(to-from), 1)
				end = to
			}
			require.Equal(t, count, end)
		}
	}
}

// The files of a share cover it once.
func TestShare_At(t *testing.T) {
	for _, s := range []share{
		{Order, 0, 1}, {Order, 99_999, 100_001}, {Customer, 24_999, 75_000},
		{Order, 299_999_900_000, 300_000_000_000},
	} {
		next := s.from
		for next < s.to {
			f := s.at(next)
			require.Equal(t, next, f.from)
			require.Greater(t, f.to, f.from)
			require.LessOrEqual(t, f.to-f.from, perFile[s.kind])
			require.Equal(t, f, s.at(f.to-1))
			next = f.to
		}
		require.Equal(t, s.to, next)
	}
}

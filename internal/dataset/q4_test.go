package dataset_test

import (
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/dataset"
)

// Q4 searches for securities of a sector with peMin <= PE < peMax and a yield above yieldMin; the bounds are from
// 20-23, 25-27 and 4-6. It must find something, but fewer than 60, and in tiny something in about a third of searches.
func TestAppend_SearchHits(t *testing.T) {
	t.Parallel()
	slow(t)
	eachProfile(t, func(t *testing.T, p dataset.Profile) {
		for _, seed := range []uint64{1, 20260101} {
			full := hits(t, dataset.New(dataset.Spec{Scale: scale(t, "M"), Profile: p, Seed: seed}))
			slices.Sort(full)
			median := full[len(full)/2]
			t.Logf("seed %d: %d to %d hits, median %d", seed, full[0], full[len(full)-1], median)
			require.GreaterOrEqual(t, median, 8)
			require.LessOrEqual(t, median, 20)
			require.NotZero(t, full[0])
			require.Less(t, full[len(full)-1], 60)

			tiny := hits(t, dataset.New(dataset.Spec{Profile: p, Seed: seed}))
			found := 0
			for _, n := range tiny {
				if n > 0 {
					found++
				}
			}
			share := float64(found) / float64(len(tiny))
			t.Logf("seed %d: %.0f %% of searches find something in tiny", seed, 100*share)
			require.InDelta(t, 0.33, share, 0.12)
			require.GreaterOrEqual(t, share, 0.25)
		}
	})
}

// hits counts what every possible search finds.
func hits(t *testing.T, d *dataset.Dataset) []int {
	t.Helper()
	type security struct{ earnings, yield float64 }
	bySector := map[string][]security{}
	each(d, dataset.Security, 0, d.Count(dataset.Security), func(_ int64, doc []byte) {
		sector := text(doc, "Sector")
		if sector == nil {
			return
		}
		earnings, err := strconv.ParseFloat(string(text(doc, "PE")), 64)
		require.NoError(t, err)
		yield, err := strconv.ParseFloat(string(text(doc, "Yield")), 64)
		require.NoError(t, err)
		bySector[string(sector)] = append(bySector[string(sector)], security{earnings, yield})
	})
	require.Len(t, bySector, 12)
	var counts []int
	for _, securities := range bySector {
		for _, peMin := range []float64{20, 21, 22, 23} {
			for _, peMax := range []float64{25, 26, 27} {
				for _, yieldMin := range []float64{4, 5, 6} {
					n := 0
					for _, s := range securities {
						if peMin <= s.earnings && s.earnings < peMax && s.yield > yieldMin {
							n++
						}
					}
					counts = append(counts, n)
				}
			}
		}
	}
	return counts
}

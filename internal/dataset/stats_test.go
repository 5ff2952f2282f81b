package dataset_test

import (
	"math"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/dataset"
)

// Document sizes are those of the scenario, and MeanSize returns them.
func TestAppend_Sizes(t *testing.T) {
	t.Parallel()
	bounds := map[dataset.Kind][2]int{
		dataset.Security: {2000, 10_000}, dataset.Customer: {2000, 23_000}, dataset.Order: {1000, 2000},
	}
	scenario := map[dataset.Profile][len(dataset.Kinds)]float64{
		dataset.TPoX2: {6200, 6600, 1500}, dataset.TPoX1: {6200, 6040, 1930},
	}
	eachProfile(t, func(t *testing.T, p dataset.Profile) {
		d := open(t, "S", p)
		for _, k := range dataset.Kinds {
			n := min(fewer(100_000), d.Count(k))
			lo, hi := bounds[k][0], bounds[k][1]
			if k == dataset.Order && p == dataset.TPoX1 {
				hi = 2400
			}
			var sizes []int
			total := 0
			each(d, k, 0, n, func(i int64, doc []byte) {
				check(t, lo <= len(doc) && len(doc) <= hi, "%s %d has %d bytes", k, i, len(doc))
				sizes = append(sizes, len(doc))
				total += len(doc)
			})
			mean := float64(total) / float64(n)
			slices.Sort(sizes)
			median, top := sizes[len(sizes)/2], sizes[len(sizes)-1]
			t.Logf("%s: %.1f bytes, median %d, %d to %d", k, mean, median, sizes[0], top)
			require.InEpsilon(t, scenario[p][k], mean, 0.02, "%s", k)
			require.InEpsilon(t, d.MeanSize(k), mean, 0.02, "%s", k)
			if k == dataset.Customer { // skewed, up to a maximum
				require.Less(t, float64(median), 0.95*mean)
				require.Greater(t, float64(top), map[dataset.Profile]float64{dataset.TPoX2: 20_000, dataset.TPoX1: 14_000}[p])
			}
		}
	})
}

// Orders are spread evenly over the accounts of their increment: customers have as many at every scale, and no account
// has far more than its share.
func TestAppend_OrdersPerCustomer(t *testing.T) {
	t.Parallel()
	eachProfile(t, func(t *testing.T, p dataset.Profile) {
		small, d := open(t, "XXXS", p), open(t, "XXS", p)
		first := evenness(t, d, 0, small.Count(dataset.Order), 0, small.TotalAccounts())
		if fewer(10) == 10 {
			second := evenness(t, d, small.Count(dataset.Order), d.Count(dataset.Order), small.TotalAccounts(),
				d.TotalAccounts())
			require.InEpsilon(t, first, second, 0.001)
		}
	})
}

// evenness requires that the orders from i to j belong to the accounts from m to n, each as likely as any other, and
// returns how many an account has on average.
func evenness(t *testing.T, d *dataset.Dataset, i, j, m, n int64) float64 {
	t.Helper()
	orders := map[string]int{}
	each(d, dataset.Order, i, j-i, func(_ int64, doc []byte) { orders[string(attr(doc, "Order", "Acct"))]++ })
	mean := float64(j-i) / float64(n-m)
	chi2, found := 0.0, 0
	for a := m; a < n; a++ {
		c := orders[strconv.FormatInt(d.AccountAt(a), 10)]
		found += c
		chi2 += (float64(c) - mean) * (float64(c) - mean) / mean
	}
	require.EqualValues(t, j-i, found, "orders of other accounts")
	freedom := float64(n - m - 1)
	require.InDelta(t, freedom, chi2, 6*math.Sqrt(2*freedom))
	return mean
}

// The popularity of a security is proportional to 1/rank, and its rank is independent of its index.
func TestAppend_Zipf(t *testing.T) {
	t.Parallel()
	d := open(t, "S", dataset.TPoX2)
	index := map[string]int{}
	for i := range int(d.Count(dataset.Security)) {
		index[dataset.Symbol(i)] = i
	}
	n := fewer(400_000)
	counts := make([]int, len(index))
	each(d, dataset.Order, 0, n, func(_ int64, doc []byte) { counts[index[string(attr(doc, "Instrmt", "Sym"))]]++ })
	popular := make([]int, len(counts))
	for i := range popular {
		popular[i] = i
	}
	slices.SortStableFunc(popular, func(a, b int) int { return counts[b] - counts[a] })

	// The slope of log count over log rank, by least squares over the first 300.
	var sx, sy, sxx, sxy float64
	const ranks = 300
	for r := range ranks {
		x, y := math.Log(float64(r+1)), math.Log(float64(counts[popular[r]]))
		sx, sy, sxx, sxy = sx+x, sy+y, sxx+x*x, sxy+x*y
	}
	slope := (ranks*sxy - sx*sy) / (ranks*sxx - sx*sx)
	t.Logf("exponent %.3f, first %d of %d", -slope, counts[popular[0]], n)
	require.InDelta(t, -1, slope, 0.05)
	require.InEpsilon(t, float64(n)/10.52, float64(counts[popular[0]]), 0.10) // the sum of 1/r is 10.52

	near := 0
	for r := range 100 {
		if distance := popular[r] - popular[r+1]; max(distance, -distance) < 100 {
			near++
		}
	}
	require.Less(t, near, 10, "popular securities lie together")
}

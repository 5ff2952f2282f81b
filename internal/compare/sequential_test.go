package compare

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// The quantiles are those of the usual tables.
func TestStudentFor(t *testing.T) {
	z := math.Sqrt2 * math.Erfinv(0.95)
	require.InDelta(t, 1.959964, z, 1e-6)
	for degrees, want := range map[int]float64{1: 12.7062, 2: 4.3027, 5: 2.5706, 10: 2.2281, 30: 2.0423, 1000: 1.9623} {
		require.InDelta(t, want, studentFor(z, degrees), 1e-3, "%d", degrees)
	}
}

// Five looks at equal distances: the boundaries of Lan and DeMets (1983) for a spending of alpha·t are 2.58, 2.49,
// 2.41, 2.34, 2.28.
func TestSpending_Published(t *testing.T) {
	s := spending{alpha: alpha}
	for i, want := range []float64{2.58, 2.49, 2.41, 2.34, 2.28} {
		require.InDelta(t, want, s.look(100*(i+1), float64(i+1)/5), 0.005)
	}
	require.InDelta(t, alpha, s.spent, 1e-6)
}

// An early look at values that scatter widely gives an interval that says nothing, and that JSON can hold.
func TestIntervalOf_Wide(t *testing.T) {
	i := intervalOf([]float64{-3, 4, 2, -5, 3}, widest)
	_, err := json.Marshal(i)
	require.NoError(t, err)
	row := &Row{Name: "p99", Change: i}
	require.Equal(t, "p99 not known yet", (&comparison{result: &Result{}}).undecided(row))
}

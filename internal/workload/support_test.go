package workload

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/dataset"
	"brokerage/internal/result"
	"brokerage/internal/store"
	"brokerage/internal/testenv"
	"brokerage/internal/tpox"
)

func TestMain(m *testing.M) {
	testenv.Parallel()
	os.Exit(m.Run())
}

func definition(t testing.TB, name string) *Definition {
	t.Helper()
	d, err := Load(name)
	require.NoError(t, err)
	return d
}

func tinyPopulation(t testing.TB, profile dataset.Profile) *Population {
	t.Helper()
	d := dataset.New(dataset.Spec{Seed: 1, Profile: profile})
	p, err := PopulationOf(store.ContentsOf(d), tpox.EngineInfo{})
	require.NoError(t, err)
	return p
}

func newCrowd(t testing.TB, d *Definition, seed uint64) *Crowd {
	t.Helper()
	c, err := NewCrowd(d, tinyPopulation(t, dataset.TPoX2), time.Unix(1e9, 0), seed)
	require.NoError(t, err)
	return c
}

const firstLeased = 1_000_000

// drawn lets a user draw a call of a transaction. Every lease begins with firstLeased.
func (u *User) drawn(t testing.TB, tx *Transaction) bool {
	t.Helper()
	ok, err := u.Draw(t.Context(), tx, func(context.Context, string, int64) (tpox.Range, error) {
		return tpox.Range{First: firstLeased, Count: tpox.MaxLease}, nil
	})
	require.NoError(t, err)
	return ok
}

// alike requires that counts differ from what is expected by no more than chance, by chi-square.
func alike(t testing.TB, counts, expected []float64) {
	t.Helper()
	chi, degrees := 0.0, -1.0
	for i, want := range expected {
		if want >= 5 {
			chi += (counts[i] - want) * (counts[i] - want) / want
			degrees++
		}
	}
	require.LessOrEqual(t, chi, result.ChiSquareLimit(max(degrees, 1)), "%v instead of %v", counts, expected)
}

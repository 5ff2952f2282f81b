package workload

import (
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/dataset"
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

// newTestUser returns a user with leased ids of all kinds.
func newTestUser(t testing.TB, d *Definition, seed uint64, number, users int) *User {
	t.Helper()
	return newTestCrowd(t, d, seed, users).User(number)
}

// newTestCrowd returns users with leased ids of all kinds.
func newTestCrowd(t testing.TB, d *Definition, seed uint64, users int) *Crowd {
	t.Helper()
	c, err := NewCrowd(d, tinyPopulation(t, dataset.TPoX2), time.Unix(1e9, 0), seed, users, Share{})
	require.NoError(t, err)
	for _, l := range c.leases {
		*l = leased{next: 1_000_000, end: 1_000_000 + tpox.MaxLease}
	}
	return c
}

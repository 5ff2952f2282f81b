package sqlite

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/brokerage"
	"brokerage/internal/chaostest"
)

// Connections cut at random, and the service started again: each trade counts once.
func TestOnce_Cut(t *testing.T) {
	d := generator(t, "tiny")
	path := filepath.Join(t.TempDir(), "brokerage.db")
	s := opened(t, path, Options{})
	require.NoError(t, s.LoadDataset(t.Context(), d, nil))
	require.NoError(t, s.Close())
	chaostest.Once(t, chaostest.Database{
		Generator: d,
		Alone:     true,
		Open:      func(t testing.TB) brokerage.Store { return opened(t, path, Options{}) },
	})
	v, err := opened(t, path, Options{}).Verify(
		t.Context(), func(finding string) error { t.Error(finding); return nil }, func(int64) {},
	)
	require.NoError(t, err)
	require.Zero(t, v.Findings)
}

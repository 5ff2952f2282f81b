//go:build db2

package db2

import (
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/chaostest"
	"brokerage/internal/dataset"
	"brokerage/internal/tpox"
)

// Two instances on one database of the stand-in, with connections cut at random and one instance restarted: each trade
// counts once.
func TestOnce_Cut(t *testing.T) {
	b := onBench(t)
	link := chaostest.NewProxy(t, "tcp", b.Address())
	chaostest.Once(t, chaostest.Database{
		Generator: few(),
		Link:      link,
		Writes:    40,
		Open: func(t testing.TB) tpox.Store {
			s, err := Open(t.Context(), b.URLAt(link.Addr().String()), Options{Pool: 8})
			require.NoError(t, err)
			return s
		},
	})
	find := func(finding string) error { t.Error(finding); return nil }
	v, err := openBench(t, b, Options{}).Verify(t.Context(), find, func(int64) {})
	require.NoError(t, err)
	require.Zero(t, v.Findings)
	require.NotZero(t, v.Documents[dataset.Customer])
}

//go:build db2

package db2

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/brokerage"
	"brokerage/internal/chaostest"
	"brokerage/internal/dataset"
)

// Two instances on one database of the bench, connections to them and to it cut at random, one of them started again:
// each trade counts once.
func TestOnce_Cut(t *testing.T) {
	b := onBench(t)
	link := chaostest.NewProxy(t, "tcp", b.Address())
	chaostest.Once(t, chaostest.Database{
		Generator: few(),
		Link:      link,
		Writes:    40,
		Open: func(t testing.TB) brokerage.Store {
			s, err := Open(t.Context(), b.URLAt(link.Addr().String()), Settings{Pool: 8})
			require.NoError(t, err)
			return s
		},
	})
	find := func(finding string) error { t.Error(finding); return nil }
	v, err := openBench(t, b, Settings{}).Verify(t.Context(), find, func(int64) {})
	require.NoError(t, err)
	require.Zero(t, v.Findings)
	require.NotZero(t, v.Documents[dataset.Customer])
}

// A write whose connection is cut while a statement is prepared is not lost: IBM's client connects again, and the
// driver does not report that the transaction is another one.
func TestOnce_CutAtPrepare(t *testing.T) {
	b := onBench(t)
	for n := range 4 { // claim and order are written by the second and the third of four statements
		s := openBench(t, b, Settings{Pool: 1})
		id := 900_000 + int64(n)
		doc := few().AppendNewOrder(nil, id, dataset.NewOrder{
			ID: id, Account: few().FirstAccount(1), Symbol: few().Symbol(1), Time: noon,
		})
		w := brokerage.Write{Now: noon, Once: &brokerage.Once{Key: strconv.Itoa(n), Expires: noon.AddDate(0, 0, 1)}}
		b.CutAtDescribe(n + 1)
		_, err := s.InsertOrder(t.Context(), w, doc)
		require.NoError(t, err)
		require.Positive(t, s.retries.Load(), "no connection was cut")
		_, err = s.GetOrder(t.Context(), brokerage.ID(id))
		require.NoError(t, err)
	}
}

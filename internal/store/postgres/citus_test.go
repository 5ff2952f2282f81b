package postgres

import (
	"encoding/xml"
	"testing"

	"github.com/shopspring/decimal"
	"github.com/stretchr/testify/require"

	"brokerage/internal/brokerage"
	"brokerage/internal/chaostest"
	"brokerage/internal/store/postgres/pgtest"
)

// countUp is a statement on one table that commits by itself.
const countUp = "count_up"

// The connection between two nodes is cut when a worker has committed, and before its answer arrives: the outcome is
// unknown to the store, which does not repeat the write. It has been applied once.
func TestCommit_AnswerLost(t *testing.T) {
	cluster := pgtest.StartCluster(t, 1)
	link := chaostest.NewSocketProxy(t, cluster.Nodes[1].Socket())
	cluster.Hosts[1] = link.Folder()
	s := opened(t, cluster.URL(cluster.Database(t), 0)+"&layout=citus&shards=4", Options{})
	d := generator(t, "tiny")
	require.NoError(t, s.LoadDataset(t.Context(), d, nil))
	account := brokerage.ID(d.FirstAccount(0))

	// loses requires that a write without an answer is unknown, and was not tried again.
	loses := func(t *testing.T, write func() error, texts ...string) {
		link.SetTrap(&chaostest.Trap{Texts: texts, CutAnswer: true})
		tries := s.retries.Load()
		err := write()
		require.True(t, link.Sprung())
		require.Equal(t, unknown, outcome(t, err), "%v", err)
		require.Equal(t, tries, s.retries.Load())
	}
	const commit = "COMMIT\x00"

	t.Run("Statement", func(t *testing.T) {
		const query = "SELECT home FROM brokerage.account_homes WHERE account = $1"
		home := value[int64](t, s.pool, query, account)
		loses(t, func() error {
			return s.change(t.Context(), now(), change{statement: countUp, args: []any{account}})
		}, "UPDATE brokerage.account_homes_")
		require.Equal(t, home+1, value[int64](t, s.pool, query, account))
		require.NoError(t, errOf(s.pool.Exec(t.Context(),
			"UPDATE brokerage.account_homes SET home = $2 WHERE account = $1", account, home)))
	})
	trade := func(w brokerage.Write) (position decimal.Decimal, err error) {
		answer, err := s.Trade(t.Context(), w, account, buy(d.Symbol(0)))
		if err != nil {
			return position, err
		}
		var confirmation struct{ Position decimal.Decimal }
		err = xml.Unmarshal(answer, &confirmation)
		return confirmation.Position, err
	}
	bought := func(t *testing.T, w brokerage.Write) int64 {
		position, err := trade(w)
		require.NoError(t, err)
		return position.IntPart()
	}
	t.Run("Trade", func(t *testing.T) {
		held := bought(t, now())
		loses(t, func() error { return errOf(trade(now())) }, "customers_", commit)
		require.Equal(t, held+2, bought(t, now()))
	})
	t.Run("TradeOnce", func(t *testing.T) {
		held, w := bought(t, now()), once()
		loses(t, func() error { return errOf(trade(w)) }, "customers_", commit)
		require.Equal(t, held+1, bought(t, w), "the stored answer")
		require.Equal(t, held+2, bought(t, now()))
	})
	t.Run("InsertOrder", func(t *testing.T) {
		insert := func() error { return errOf(s.InsertOrder(t.Context(), now(), order(d, 900))) }
		loses(t, insert, "order_homes_", "orders_", commit)
		require.True(t, is[*brokerage.Conflict](insert()))
		require.NoError(t, errOf(s.GetOrder(t.Context(), 900)))
	})
	require.Empty(t, verified(t, s))
}

package postgres

import (
	"context"
	"errors"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/chaostest"
	"brokerage/internal/dataset"
	"brokerage/internal/store/postgres/pgtest"
	"brokerage/internal/tpox"
)

// The connection between two nodes is cut when a worker has committed, and before its answer arrives: the outcome is
// unknown to the store, which does not repeat the write. It has been applied once.
func TestCommit_AnswerLost(t *testing.T) {
	cluster := pgtest.StartCluster(t, 1)
	link := chaostest.NewSocketProxy(t, cluster.Nodes[1].Socket())
	cluster.Hosts[1] = link.Folder()
	s := opened(t, cluster.URL(cluster.Database(t), 0)+"&distribute=1", Options{})
	d := generator(t)
	require.NoError(t, s.LoadDataset(t.Context(), d, nil))

	// loses requires that a write whose answer is lost has an unknown outcome, and was not retried.
	loses := func(t *testing.T, write func() error, texts ...string) {
		link.SetTrap(&chaostest.Trap{Texts: texts, CutAnswer: true})
		tries := s.retries.Load()
		err := write()
		require.True(t, link.Sprung())
		u, ok := errors.AsType[*tpox.Unavailable](err)
		require.True(t, ok && u.Unknown, "%v", err)
		require.Equal(t, tries, s.retries.Load())
	}
	const commit = "COMMIT\x00"
	for name, w := range map[string]tpox.Write{"Trade": now(), "TradeOnce": once()} {
		t.Run(name, func(t *testing.T) {
			trade := func() error { return errOf(s.Trade(t.Context(), w, tpox.ID(d.FirstAccount(0)), buy(d.Symbol(0)))) }
			held := sharesOf(t, s)
			loses(t, trade, "customers_", commit)
			if w.Once != nil {
				require.NoError(t, trade(), "the stored answer")
			}
			require.Equal(t, held+1, sharesOf(t, s))
		})
	}
	t.Run("InsertOrder", func(t *testing.T) {
		insert := func() error { return errOf(s.InsertOrder(t.Context(), now(), order(d, 900))) }
		loses(t, insert, "orders_", commit)
		require.True(t, tpox.Is[*tpox.Conflict](insert()))
		require.NoError(t, errOf(s.GetOrder(t.Context(), 900)))
	})
	require.Empty(t, verified(t, s))
}

// A shard that is about to be moved stays where it is until a transaction that has read one of its rows writes. The
// transaction enters the cluster at a node that is neither end of the move: from there, without holds, Citus would
// write to the old node.
func TestMove_BetweenReadAndWrite(t *testing.T) {
	const entry = 3
	cluster := pgtest.StartCluster(t, entry)
	database := cluster.Database(t)
	cluster.Nodes[0].Exec(t, database, `SELECT citus_set_node_property(nodename, nodeport, 'shouldhaveshards', false)
		FROM pg_dist_node WHERE groupid = 3`)
	s := opened(t, cluster.URL(database, 0)+"&distribute=1", Options{})
	d := generator(t)
	require.NoError(t, s.LoadDataset(t.Context(), d, nil))
	before := func(string) {}
	s = opened(t, cluster.URL(database, entry), Options{
		Trace: func(_ context.Context, statement string, _ net.Addr) func(error) {
			before(statement)
			return func(error) {}
		},
	})
	owner, account := tpox.ID(d.ID(dataset.Customer, 0)), tpox.ID(d.FirstAccount(0))
	symbol, id := d.Symbol(0), orderID(d, 0)
	trade := func(w tpox.Write) error { return errOf(s.Trade(t.Context(), w, account, buy(symbol))) }
	w, held := once(), sharesOf(t, s)
	for _, c := range []struct {
		write, table string // the statement that begins to write, and the table whose shard is moved before it
		do           func() error
		done         func() bool // nil: verify compares all that was written
	}{
		{
			"update_customer", "customers", func() error { return trade(now()) },
			func() bool { return sharesOf(t, s) == held+1 },
		},
		{
			"update_customer", "answers", func() error { return trade(w) },
			func() bool { return trade(w) == nil && sharesOf(t, s) == held+2 }, // with the stored answer
		},
		{
			"update_order_status", "orders",
			func() error { return errOf(s.UpdateOrderStatus(t.Context(), now(), id, "8")) },
			func() bool {
				doc, err := s.GetOrder(t.Context(), id)
				return err == nil && strings.Contains(string(doc), `Stat="8"`)
			},
		},
		{
			"replace_security", "securities",
			func() error {
				return errOf(s.UpdateSecurityPrice(t.Context(), now(), symbol, tpox.Price{LastTrade: "7.77"}))
			},
			func() bool {
				doc, err := s.GetSecurity(t.Context(), symbol)
				return err == nil && strings.Contains(string(doc), "7.77")
			},
		},
		{"replace_customer", "customers", func() error {
			return errOf(s.OpenAccount(t.Context(), now(), owner, d.AppendNewAccount(nil, 1, dataset.NewAccount{ID: 911})))
		}, nil},
		{"replace_customer", "accounts", func() error {
			return s.ReplaceCustomer(t.Context(), now(), owner, customer(d, int64(owner), 910), true, nil)
		}, nil},
		{"delete_customer", "customers", func() error { return s.DeleteCustomer(t.Context(), now(), owner) }, nil},
	} {
		t.Run(c.write+" "+c.table, func(t *testing.T) {
			moved := make(chan struct{})
			move := sync.OnceFunc(func() {
				go func() {
					defer close(moved)
					cluster.MoveShards(t, database, "brokerage."+c.table)
				}()
				awaitMove(t, cluster.Nodes[entry], moved)
			})
			before = func(statement string) {
				if statement == c.write {
					move()
				}
			}
			require.NoError(t, c.do())
			<-moved
			require.True(t, c.done == nil || c.done())
			require.Empty(t, verified(t, s))
		})
	}
}

// sharesOf returns the total quantity of the first symbol in all accounts.
func sharesOf(t testing.TB, s *Store) int64 {
	t.Helper()
	return value[int64](t, s.pool, `SELECT coalesce(sum(p.quantity), 0)::numeric(20, 3)::bigint FROM brokerage.customers,
		XMLTABLE(XMLNAMESPACES('http://tpox-benchmark.com/custacc' AS c), '//c:Position' PASSING doc
			COLUMNS symbol text PATH 'c:Symbol', quantity numeric PATH 'c:Quantity') AS p
		WHERE p.symbol = $1`, generator(t).Symbol(0))
}

// awaitMove returns when a move is done or is waiting for its lock.
func awaitMove(t *testing.T, node *pgtest.Server, moved <-chan struct{}) {
	conn := node.Connect(t, "postgres")
	const waits = "SELECT EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted)"
	for !value[bool](t, conn, waits) {
		select {
		case <-moved:
			return
		case <-time.After(time.Millisecond):
		}
	}
}

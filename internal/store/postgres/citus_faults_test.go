package postgres

import (
	"context"
	"errors"
	"net"
	"slices"
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
	account := tpox.ID(d.FirstAccount(0))

	// loses requires that a write without an answer is unknown, and was not tried again.
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

	trade := func(w tpox.Write) error { return errOf(s.Trade(t.Context(), w, account, buy(d.Symbol(0)))) }
	t.Run("Trade", func(t *testing.T) {
		held := sharesOf(t, s)
		loses(t, func() error { return trade(now()) }, "customers_", commit)
		require.Equal(t, held+1, sharesOf(t, s))
	})
	t.Run("TradeOnce", func(t *testing.T) {
		held, w := sharesOf(t, s), once()
		loses(t, func() error { return trade(w) }, "customers_", commit)
		require.NoError(t, trade(w), "the stored answer")
		require.Equal(t, held+1, sharesOf(t, s))
	})
	t.Run("InsertOrder", func(t *testing.T) {
		insert := func() error { return errOf(s.InsertOrder(t.Context(), now(), order(d, 900))) }
		loses(t, insert, "orders_", commit)
		require.True(t, tpox.Is[*tpox.Conflict](insert()))
		require.NoError(t, errOf(s.GetOrder(t.Context(), 900)))
	})
	require.Empty(t, verified(t, s))
}

// A held is a transaction that reads what it writes, and what it must leave behind.
type held struct {
	write, table string // the statement that begins to write, and the table whose shard is moved before it
	do           func(s *Store) error
	done         func(t *testing.T) // nil if verify is enough
}

// A shard that is about to be moved stays where it is until a transaction that has read a row of it has written. The
// transaction enters the cluster at a node that is neither end of the move, from where Citus would write to the old
// one.
func TestMove_BetweenReadAndWrite(t *testing.T) {
	const entry = 3
	cluster := pgtest.StartCluster(t, entry)
	database := cluster.Database(t)
	cluster.Nodes[0].Exec(t, database, `SELECT citus_set_node_property(nodename, nodeport, 'shouldhaveshards', false)
		FROM pg_dist_node WHERE groupid = 3`)
	before := func(string) {}
	s := opened(t, cluster.URL(database, 0)+"&distribute=1", Options{})
	d := generator(t)
	require.NoError(t, s.LoadDataset(t.Context(), d, nil))
	s = opened(t, cluster.URL(database, entry), Options{
		Trace: func(_ context.Context, statement string, _ net.Addr) func(error) {
			before(statement)
			return func(error) {}
		},
	})
	for _, h := range slices.Concat(heldRows(t, s, d), heldCustomers(t, d)) {
		t.Run(h.write+" "+h.table, func(t *testing.T) {
			moved := make(chan struct{})
			move := sync.OnceFunc(func() {
				go func() {
					defer close(moved)
					cluster.MoveShards(t, database, "brokerage."+h.table)
				}()
				awaitMove(t, cluster.Nodes[entry], moved)
			})
			before = func(statement string) {
				if statement == h.write {
					move()
				}
			}
			require.NoError(t, h.do(s))
			<-moved
			if h.done != nil {
				h.done(t)
			}
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

// awaitMove waits until a move is done or waits for its lock.
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

// heldRows write one row each.
func heldRows(t *testing.T, s *Store, d *dataset.Dataset) []held {
	account, symbol, id, w := tpox.ID(d.FirstAccount(0)), d.Symbol(0), orderID(d, 0), once()
	shares := sharesOf(t, s)
	trade := func(w tpox.Write) func(*Store) error {
		return func(s *Store) error { return errOf(s.Trade(t.Context(), w, account, buy(symbol))) }
	}
	return []held{
		{"update_customer", "customers", trade(now()), func(t *testing.T) {
			require.Equal(t, shares+1, sharesOf(t, s))
		}},
		{"update_customer", "answers", trade(w), func(t *testing.T) {
			require.NoError(t, trade(w)(s), "the stored answer")
			require.Equal(t, shares+2, sharesOf(t, s))
		}},
		{
			"update_order_status", "orders",
			func(s *Store) error { return errOf(s.UpdateOrderStatus(t.Context(), now(), id, "8")) },
			func(t *testing.T) {
				doc, err := s.GetOrder(t.Context(), id)
				require.NoError(t, err)
				require.Contains(t, string(doc), `Stat="8"`)
			},
		},
		{
			"replace_security", "securities", func(s *Store) error {
				p := tpox.Price{LastTrade: "7.77", Ask: "7.78", Bid: "7.76"}
				return errOf(s.UpdateSecurityPrice(t.Context(), now(), symbol, p))
			},
			func(t *testing.T) {
				doc, err := s.GetSecurity(t.Context(), symbol)
				require.NoError(t, err)
				require.Contains(t, string(doc), "7.77")
			},
		},
	}
}

// heldCustomers write a customer and its accounts, which verify compares.
func heldCustomers(t *testing.T, d *dataset.Dataset) []held {
	id := d.ID(dataset.Customer, 0)
	open := func(s *Store) error {
		doc := d.AppendNewAccount(nil, 1, dataset.NewAccount{ID: 911})
		return errOf(s.OpenAccount(t.Context(), now(), tpox.ID(id), doc))
	}
	replace := func(s *Store) error {
		return s.ReplaceCustomer(t.Context(), now(), tpox.ID(id), customer(d, id, 910), true, nil)
	}
	remove := func(s *Store) error { return s.DeleteCustomer(t.Context(), now(), tpox.ID(id)) }
	return []held{
		{"replace_customer", "customers", open, nil},
		{"replace_customer", "accounts", replace, nil},
		{"delete_customer", "customers", remove, nil},
	}
}

package postgres

import (
	"context"
	"encoding/xml"
	"sync"
	"testing"

	"github.com/shopspring/decimal"
	"github.com/stretchr/testify/require"

	"brokerage/internal/brokerage"
	"brokerage/internal/chaostest"
	"brokerage/internal/dataset"
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

// A race is two transactions, of which the second runs when the first has read and is about to write.
type race struct {
	write         string // the statement by which the first begins to write
	table         string // whose shard is moved before that
	first, second func(s *Store) error
	both          func(t *testing.T) // requires that both count; nil leaves that to verify
}

// Between the read and the write of a transaction, a shard is moved to another node, where locks do not follow, and
// another transaction changes there what was read. The first one starts again, so that both count.
func TestMove_BetweenReadAndWrite(t *testing.T) {
	cluster := pgtest.StartCluster(t, 2)
	database := cluster.Database(t)
	s := opened(t, cluster.URL(database, 0)+"&layout=citus&shards=1", Options{})
	d := generator(t, "tiny")
	require.NoError(t, s.LoadDataset(t.Context(), d, nil))
	insertOrder(t, s, d.AppendNewOrder(nil, 7, dataset.NewOrder{ID: 900, Account: 901})) // nobody has the account
	before := func(string) {}
	slow := opened(t, cluster.URL(database, 0), Options{
		Trace: func(_ context.Context, statement string) func(error) { before(statement); return func(error) {} },
	})
	for _, r := range append(updateRaces(t, s, d), customerRaces(t, d)...) {
		t.Run(r.write, func(t *testing.T) {
			second := sync.OnceFunc(func() {
				cluster.MoveShards(t, database, "brokerage."+r.table)
				require.NoError(t, r.second(s))
			})
			before = func(statement string) {
				if statement == r.write {
					second()
				}
			}
			tries := slow.retries.Load()
			if err := r.first(slow); !is[*brokerage.Conflict](err) {
				require.NoError(t, err)
			}
			require.Equal(t, tries+1, slow.retries.Load())
			if r.both != nil {
				r.both(t)
			}
			require.Empty(t, verified(t, s))
		})
	}
}

// updateRaces are about one row each.
func updateRaces(t *testing.T, s *Store, d *dataset.Dataset) []race {
	account, symbol, id, w := brokerage.ID(d.FirstAccount(0)), d.Symbol(0), orderID(d, 0), once()
	const homes = "SELECT home FROM brokerage.account_homes WHERE account = $1"
	held, home := sharesOf(t, s), value[int64](t, s.pool, homes, account)
	trade := func(s *Store) error { return errOf(s.Trade(t.Context(), now(), account, buy(symbol))) }
	count := func(s *Store) error { // one request, twice
		return errOf(s.write(t.Context(), w, nil, func() (change, error) {
			return change{statement: countUp, args: []any{account}}, nil
		}))
	}
	status := func(s *Store) error { return errOf(s.UpdateOrderStatus(t.Context(), now(), id, "1")) }
	replace := func(s *Store) error {
		return s.ReplaceSecurity(t.Context(), now(), symbol, d.Append(nil, dataset.Security, 0), true, nil)
	}
	price := func(s *Store) error {
		p := brokerage.Price{LastTrade: "1", Ask: "1", Bid: "1"}
		return errOf(s.UpdateSecurityPrice(t.Context(), now(), symbol, p))
	}
	return []race{
		{"replace_customer", "customers", trade, trade, func(t *testing.T) {
			require.Equal(t, held+2, sharesOf(t, s))
		}},
		{countUp, "answers", count, count, func(t *testing.T) {
			require.Equal(t, home+1, value[int64](t, s.pool, homes, account))
			require.NoError(t, errOf(s.pool.Exec(t.Context(),
				"UPDATE brokerage.account_homes SET home = $2 WHERE account = $1", account, home)))
		}},
		{"update_order_status", "orders", status, status, nil},
		{"replace_security", "securities", replace, price, nil},
	}
}

// customerRaces are about a customer and its accounts.
func customerRaces(t *testing.T, d *dataset.Dataset) []race {
	id := d.ID(dataset.Customer, 0)
	open := func(account int64) func(s *Store) error {
		return func(s *Store) error {
			doc := d.AppendNewAccount(nil, 1, dataset.NewAccount{ID: account})
			return errOf(s.OpenAccount(t.Context(), now(), brokerage.ID(id), doc))
		}
	}
	insert := func(customerID, account int64) func(s *Store) error {
		return func(s *Store) error {
			return errOf(s.InsertCustomer(t.Context(), now(), customer(d, customerID, account), true))
		}
	}
	replace := func(s *Store) error {
		return s.ReplaceCustomer(t.Context(), now(), brokerage.ID(id), customer(d, id, 910), true, nil)
	}
	remove := func(s *Store) error { return s.DeleteCustomer(t.Context(), now(), brokerage.ID(id)) }
	return []race{
		{"insert_customer", "account_homes", insert(920, 901), insert(921, 901), nil},
		{"replace_customer_elsewhere", "customers", open(911), open(912), nil},
		{"replace_customer_elsewhere", "customers", replace, open(913), nil},
		{"delete_customer", "customers", remove, open(914), nil},
	}
}

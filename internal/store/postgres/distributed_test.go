package postgres

import (
	"context"
	"fmt"
	"net"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/require"

	"brokerage/internal/dataset"
	"brokerage/internal/store/postgres/pgtest"
	"brokerage/internal/tpox"
)

var documentTable = regexp.MustCompile(
	`(?s)CREATE TABLE brokerage\.(customers|orders|securities|accounts|account_orders|answers|once_slots) \(\n` +
		`  (\w+)(.*?)\n\)[^;]*;`)

// partitionedSchema returns the schema with partitions in place of the shards of a cluster, by the same keys: a
// unique key holds within one partition, and the plan of a statement shows which partitions it visits.
func partitionedSchema(parts int) string {
	return documentTable.ReplaceAllStringFunc(wanted{}.read("tables"), func(text string) string {
		found := documentTable.FindStringSubmatch(text)
		made := fmt.Sprintf("CREATE TABLE brokerage.%s (\n  %s%s\n) PARTITION BY HASH (%[2]s);", found[1], found[2], found[3])
		for n := range parts {
			made += fmt.Sprintf("\nCREATE TABLE brokerage.%s_p%d PARTITION OF brokerage.%[1]s "+
				"FOR VALUES WITH (MODULUS %[3]d, REMAINDER %[2]d);", found[1], n, parts)
		}
		return made
	})
}

// onPartitions opens a store of partitions that is loaded with d.
func onPartitions(t testing.TB, d *dataset.Dataset, parts int, options Options) *Store {
	t.Helper()
	server := pgtest.Shared(t)
	database := server.Filled(t, fmt.Sprint(d.Fingerprint(), "in", parts), func(url string) {
		conn, err := pgx.Connect(context.Background(), url)
		require.NoError(t, err)
		exec(t, conn, partitionedSchema(parts))
		require.NoError(t, conn.Close(context.Background()))
		s := openedWith(t, url, Options{}, hidden{distributed: true})
		require.NoError(t, s.LoadDataset(context.Background(), d, nil))
		require.NoError(t, s.Close())
	})
	return openedWith(t, server.URL(server.Clone(t, database)), options, hidden{distributed: true})
}

// A visit describes a statement on distributed tables, which reads or writes one part of each named table.
type visit struct {
	args   string
	tables string
	fast   bool // Citus plans it as a query of one table by its key
}

// visits returns the statements of the 17 transactions, the two PUTs, GET /v1/accounts and idempotency keys, except
// those in notVisits.
func visits(d *dataset.Dataset) map[string]visit {
	order, customer := fmt.Sprint(d.ID(dataset.Order, 7)), fmt.Sprint(d.ID(dataset.Customer, 7))
	account, symbol := fmt.Sprint(d.FirstAccount(7)), "'"+d.Symbol(9)+"'"
	return map[string]visit{
		"get_order":            {order, "orders", true},
		"get_order_message":    {order, "orders", true},
		"get_security":         {symbol, "securities", true},
		"get_security_price":   {symbol, "securities", false},
		"search_securities":    {"'Energy', 210000, 260000, 50000, 'K', 5", "", false},
		"customer_profile":     {customer, "customers", false},
		"account_summary":      {customer, "customers", false},
		"get_customer":         {customer, "customers", true},
		"customer_accounts":    {customer, "customers", true},
		"greatest_orders":      {account + ", 1", "account_orders", true},
		"customer_of_account":  {account, "accounts", true},
		"lock_customer":        {customer, "customers", true},
		"lock_order":           {order, "orders", true},
		"lock_security":        {symbol, "securities", true},
		"update_order_status":  {order + ", '<a/>'", "orders", true},
		"update_customer":      {customer + ", '<a/>'", "customers", true},
		"replace_customer":     {customer + ", '{}', '<a/>'", "customers", true},
		"replace_security":     {symbol + ", '<a/>'", "securities", true},
		"insert_order":         {order + ", " + account + ", '<a/>'", "orders", false},
		"insert_account_order": {account + ", " + order + ", 1, '1'", "account_orders", false},
		"insert_customer":      {customer + ", '{}', '<a/>'", "customers", false},
		"insert_account":       {account + ", " + customer, "accounts", false},
		"remove_order":         {order, "orders", true},
		"delete_account_order": {account + ", " + order, "account_orders", true},
		"delete_customer":      {customer, "customers", true},
		"delete_account":       {account, "accounts", true},
		"lock_key":             {"7, 77", "once_slots", true},
		"get_answer":           {`7, '\x61', '\x62'`, "answers", true},
		"keep_answer":          {`7, '\x61', '\x62', '\x63', '\x64', now()`, "answers", false},
		"forget_answers":       {"7, now(), 200", "answers", false},
	}
}

// notVisits are the statements that are for one server, for a reference table, or not of a transaction.
var notVisits = []string{"customer_max_order", "delete_order", "lock_customer_of_account", "replace_search", "lease",
	"get_setting", "set_setting", "taken_account", "count_pages", "estimate_documents", "replica_state",
	"server_identity", "write_position", failWith}

func TestVisits_All(t *testing.T) {
	all := visits(generator(t))
	for name, text := range statements {
		v, visits := all[name]
		require.NotEqual(t, visits, slices.Contains(notVisits, name), name)
		if found := divided.FindStringSubmatch(text); visits && v.tables != "" {
			require.Equal(t, v.tables, found[1], name) // entries choose the node by it
		}
	}
}

var partition = regexp.MustCompile(`\b([a-z_]+)_p\d+\b`)

// The plan of each statement reads exactly one partition of each table that the statement is declared to visit.
func TestVisits_Partitions(t *testing.T) {
	explained(t, onPartitions(t, generator(t), 16, Options{}), func(t *testing.T, v visit, plan string, _ []string) {
		if into, insert := strings.CutPrefix(plan, "Insert on "); insert { // each row goes to its partition
			require.Equal(t, v.tables, strings.Fields(into)[0])
			return
		}
		var visited []string
		for _, part := range partition.FindAllString(plan, -1) {
			if on := partition.ReplaceAllString(part, "$1"); !slices.Contains(visited, part) {
				visited = append(visited, part)
				require.Equal(t, v.tables, on, plan)
			}
		}
		require.Len(t, visited, len(strings.Fields(v.tables)), plan)
	})
}

// In a cluster that is entered at a worker, each statement is one task, and those marked fast take the fast path of
// the planner.
func TestVisits_Citus(t *testing.T) {
	cluster := pgtest.StartCluster(t, 2)
	for _, shards := range []int{32, 64} {
		database := cluster.Database(t)
		s := opened(t, cluster.URL(database, 0)+fmt.Sprintf("&distribute=%d", shards), Options{})
		require.NoError(t, s.LoadDataset(t.Context(), generator(t), nil))
		worker := opened(t, cluster.URL(database, 1), Options{})
		explained(t, worker, func(t *testing.T, v visit, plan string, said []string) {
			require.Contains(t, plan, "Task Count: 1\n")
			require.NotContains(t, plan, "Subplan", plan)
			fast := slices.ContainsFunc(said, func(line string) bool { return strings.Contains(line, "fast-path router query") })
			require.Equal(t, v.fast, fast, "%s\n%s", strings.Join(said, "\n"), plan)
		})
	}
}

// explained calls check with the plan of each statement, and with what the server said while it planned.
func explained(t *testing.T, s *Store, check func(t *testing.T, v visit, plan string, said []string)) {
	config := s.pool.Config().ConnConfig
	var said []string
	config.OnNotice = func(_ *pgconn.PgConn, n *pgconn.Notice) { said = append(said, n.Message) }
	conn, err := pgx.ConnectConfig(t.Context(), config)
	require.NoError(t, err)
	defer func() { _ = conn.Close(context.Background()) }()
	exec(t, conn, "SET plan_cache_mode = force_custom_plan; SET client_min_messages = debug2")
	for name, v := range visits(generator(t)) {
		t.Run(name, func(t *testing.T) {
			said = nil
			plan := planOf(t, conn, statements[name], v.args)
			check(t, v, plan, said)
		})
	}
}

// A row whose order is missing or differs from it never makes a wrong greatest order: the next row whose order agrees
// is found. A deletion removes the row of its order, or starts again.
func TestDistributed_HalfVisible(t *testing.T) {
	d := generator(t)
	s := onPartitions(t, d, 4, Options{})
	id, account := tpox.ID(d.ID(dataset.Customer, 0)), d.FirstAccount(0)
	want, err := s.CustomerMaxOrder(t.Context(), id)
	require.NoError(t, err)
	require.Contains(t, string(want), "ORDER_ID")
	for _, promised := range []tpox.ID{1, orderID(d, 0)} { // one is not there, the other one has another cash
		exec(t, s.pool, "INSERT INTO brokerage.account_orders VALUES ($1, $2, 9999999999, '9999999999')", account, promised)
	}
	tries := s.retries.Load()
	got, err := s.CustomerMaxOrder(t.Context(), id)
	require.NoError(t, err)
	require.Equal(t, string(want), string(got))
	require.Greater(t, s.retries.Load(), tries)

	exec(t, s.pool, "DELETE FROM brokerage.account_orders")
	ctx, cancel := context.WithTimeout(t.Context(), patience/10)
	defer cancel()
	require.Error(t, s.DeleteOrder(ctx, now(), orderID(d, 1)))
	s.pool.Reset() // a cancel request that comes late cancels the next statement of its connection
	require.NoError(t, errOf(s.GetOrder(t.Context(), orderID(d, 1))))
	exec(t, s.pool, "INSERT INTO brokerage.account_orders SELECT account, id, 1, '1' FROM brokerage.orders")
	require.NoError(t, s.DeleteOrder(t.Context(), now(), orderID(d, 1)))
	require.Zero(t, value[int](t, s.pool, "SELECT count(*) FROM brokerage.account_orders WHERE id = $1", orderID(d, 1)))
}

// An account that changes hands between the look-up of a trade and its lock is looked up again.
func TestDistributed_TradeFollowsAccount(t *testing.T) {
	d := generator(t)
	var once bool
	var s *Store
	s = onPartitions(t, d, 4, Options{Trace: func(_ context.Context, name string, _ net.Addr) func(error) {
		if name == "begin" && !once {
			once = true
			require.NoError(t, s.CloseAccount(context.Background(), now(), 900_001, 900_002))
			insertCustomer(t, s, customer(d, 900_003, 900_002))
		}
		return func(error) {}
	}})
	once = true
	insertCustomer(t, s, customer(d, 900_001, 900_002, 900_004))
	once = false
	require.NoError(t, errOf(s.Trade(t.Context(), now(), 900_002, buy(d.Symbol(0)))))
	doc, err := s.GetCustomer(t.Context(), 900_003)
	require.NoError(t, err)
	require.NotEqual(t, string(customer(d, 900_003, 900_002)), string(doc))
	require.Empty(t, verified(t, s))
}

// Expired answers are deleted in the slot of a write.
func TestPurge(t *testing.T) {
	s, d, _, _ := tiny(t)
	w := once()
	exec(t, s.pool, `INSERT INTO brokerage.answers
		SELECT slot, 'x', 'y', 'h', 'a', now() - interval '1 hour' FROM brokerage.once_slots`)
	require.NoError(t, errOf(s.InsertOrder(t.Context(), w, order(d, 1))))
	require.Equal(t, slots-1, value[int](t, s.pool, "SELECT count(*) FROM brokerage.answers WHERE client = 'x'"))
	require.Zero(t, value[int](t, s.pool, "SELECT count(*) FROM brokerage.answers WHERE client = 'x' AND slot = $1",
		slotOf(w.Once)))
}

package postgres

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/require"

	"brokerage/internal/dataset"
	"brokerage/internal/store/postgres/pgtest"
)

// A visit is the part of each table that a statement of the spread layout reads or writes: one of each named table.
type visit struct {
	args   string
	tables string
	fast   bool // Citus plans it as a query of one table by its key
}

// visits are all statements of the 17 transactions, of idempotency keys and of leases. Those named hold read no row.
func visits(d *dataset.Dataset) map[string]visit {
	order, customer := d.ID(dataset.Order, 7), d.ID(dataset.Customer, 7)
	account := d.FirstAccount(7)
	at := fmt.Sprintf
	symbol := "'" + d.Symbol(9) + "'"
	return map[string]visit{
		"order_home":                 {at("%d", order), "order_homes", true},
		"get_order":                  {at("%d, %d, 65536", customer, order), "orders", true},
		"get_security":               {symbol, "securities", true},
		"get_security_price":         {symbol, "securities", true},
		"search_securities":          {"'Energy', 210000, 260000, 50000", "", true},
		"search_securities_page":     {"'Energy', 210000, 260000, 50000, 'K', 5", "", false},
		"customer_profile":           {at("%d, 65536", customer), "customers", true},
		"account_summary":            {at("%d, 65536", customer), "customers", true},
		"get_customer":               {at("%d", customer), "customers", true},
		"customer_max_order":         {at("%d, 65536", customer), "customers orders", false},
		"customer_accounts":          {at("%d", customer), "customers", true},
		"account_max_order":          {at("%d, %d", customer, account), "orders", true},
		"account_home":               {at("%d", account), "account_homes", true},
		"customer_of":                {at("%d", account), "account_homes", true},
		"customer_exists":            {at("%d", customer), "customers", true},
		"lock_account":               {at("%d", account), "account_homes", true},
		"hold_account":               {at("%d", account), "", true},
		"hold_customer":              {at("%d", customer), "", true},
		"hold_order":                 {at("%d", customer), "", true},
		"hold_security":              {symbol, "", true},
		"hold_answers":               {"7", "", true},
		"lock_customer":              {at("%d, 65536", customer), "customers", true},
		"lock_customer_elsewhere":    {at("%d, 65536", customer), "customers", true},
		"lock_order":                 {at("%d, %d", customer, order), "orders", true},
		"lock_security":              {symbol, "securities", true},
		"update_order_status":        {at("%d, %d, '<a/>'", customer, order), "orders", true},
		"replace_customer":           {at("%d, '<a/>'", customer), "customers", true},
		"replace_customer_elsewhere": {at("%d, '<a/>', '{}'", customer), "customers", true},
		"replace_security":           {symbol + ", '<a/>'", "securities", true},
		"insert_order_home":          {at("%d, %d", order, customer), "order_homes", false},
		"insert_order":               {at("%d, %d, '<a/>'", customer, order), "orders", false},
		"insert_customer":            {at("%d, '{}', '<a/>'", customer), "customers", false},
		"first_order":                {at("%d", account), "account_homes", false},
		"new_account":                {at("%d, %d", account, customer), "account_homes", false},
		"claim_account":              {at("%d, %d", account, customer), "account_homes", true},
		"release_account":            {at("%d", account), "account_homes", true},
		"delete_order_home":          {at("%d", order), "order_homes", true},
		"delete_order":               {at("%d, %d", customer, order), "orders", true},
		"delete_customer":            {at("%d", customer), "customers", true},
		"lock_key":                   {"7, 77", "once_slots", true},
		"get_answer":                 {`7, '\x61', '\x62'`, "answers", true},
		"keep_answer":                {`7, '\x61', '\x62', '\x63', '\x64', now()`, "answers", false},
		"forget_answers":             {"7, now(), 200", "answers", false},
	}
}

// notVisits are the statements of the layout that are not of transactions: a load, a check or a measurement may read
// all parts of a table.
var notVisits = []string{"account_homes", "first_orders", "next_ids", "count_accounts", "estimate_documents",
	"replace_search"} // writes on every node, and belongs to none of the 17

func TestVisits_All(t *testing.T) {
	all := visits(generator(t, "tiny"))
	for name, text := range spreadStatements {
		if text != statements[name] && !slices.Contains(notVisits, name) {
			require.Contains(t, all, name)
		}
	}
}

var partition = regexp.MustCompile(`\b([a-z_]+)_p\d+\b`)

// The plan of each statement reads exactly one partition of each table that the statement is declared to visit.
func TestVisits_Partitions(t *testing.T) {
	server := pgtest.Shared(t)
	d := generator(t, "tiny")
	for _, shards := range []int{32, 64} {
		s := opened(t, server.URL(server.Database(t))+fmt.Sprintf("&layout=partitioned&shards=%d", shards), Options{})
		explained(t, s.pool.Config().ConnConfig, d, func(t *testing.T, v visit, plan string, _ []string) {
			if into, insert := strings.CutPrefix(plan, "Insert on "); insert { // each row goes to its partition
				require.Equal(t, v.tables, strings.Fields(into)[0])
				return
			}
			var visited []string
			for _, part := range partition.FindAllString(plan, -1) {
				if on := partition.ReplaceAllString(part, "$1"); !slices.Contains(visited, part) {
					visited = append(visited, part)
					require.Contains(t, strings.Fields(v.tables), on, plan)
				}
			}
			require.Len(t, visited, len(strings.Fields(v.tables)), plan)
		})
	}
}

// In a cluster, each statement is one task, and those that find rows of one table take the fast path of the planner,
// through a worker.
func TestVisits_Citus(t *testing.T) {
	d := generator(t, "tiny")
	cluster := pgtest.StartCluster(t, 2)
	for _, shards := range []int{32, 64} {
		database := cluster.Database(t)
		s := opened(t, cluster.URL(database, 0)+fmt.Sprintf("&layout=citus&shards=%d", shards), Options{})
		require.NoError(t, s.LoadDataset(t.Context(), d, nil))
		worker := opened(t, cluster.URL(database, 1), Options{})
		explained(t, worker.pool.Config().ConnConfig, d, func(t *testing.T, v visit, plan string, said []string) {
			require.Contains(t, plan, "Task Count: 1\n")
			require.NotContains(t, plan, "Subplan", plan)
			fast := slices.ContainsFunc(said, func(line string) bool { return strings.Contains(line, "fast-path router query") })
			require.Equal(t, v.fast, fast, "%s\n%s", strings.Join(said, "\n"), plan)
		})
	}
}

// explained calls check with the plan of each statement, and with what the server said while it planned.
func explained(
	t *testing.T, config *pgx.ConnConfig, d *dataset.Dataset,
	check func(t *testing.T, v visit, plan string, said []string),
) {
	config = config.Copy()
	var said []string
	config.OnNotice = func(_ *pgconn.PgConn, n *pgconn.Notice) { said = append(said, n.Message) }
	conn, err := pgx.ConnectConfig(t.Context(), config)
	require.NoError(t, err)
	defer func() { _ = conn.Close(context.Background()) }()
	exec := func(t *testing.T, sql string) {
		require.NoError(t, errOf(conn.Exec(t.Context(), sql)))
	}
	exec(t, "SET plan_cache_mode = force_custom_plan; SET client_min_messages = debug2")
	for name, v := range visits(d) {
		t.Run(name, func(t *testing.T) {
			exec(t, "PREPARE planned AS "+spreadStatements[name])
			defer exec(t, "DEALLOCATE planned")
			said = nil
			rows, _ := conn.Query(t.Context(), "EXPLAIN EXECUTE planned ("+v.args+")", pgx.QueryExecModeSimpleProtocol)
			lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
			require.NoError(t, err)
			check(t, v, strings.Join(lines, "\n")+"\n", said)
		})
	}
}

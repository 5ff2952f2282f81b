package postgres

import (
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"brokerage/internal/dataset"
	"brokerage/internal/store/postgres/pgtest"
	"brokerage/internal/tpox"
)

// aQuarter is a dataset with a quarter of the documents of XXXS.
func aQuarter() *dataset.Dataset {
	return dataset.NewOf(1, dataset.Counts{Securities: 5000, Customers: 1250, Orders: 12_500})
}

// With a quarter of the documents of XXXS, and with statistics, the planner uses the intended index for each statement,
// and scans no table. The statements are prepared, as in operation, with custom and with generic plans.
func TestPlans(t *testing.T) {
	if testing.Short() {
		t.Skip("loads thousands of documents")
	}
	d := aQuarter()
	conn := pgtest.Shared(t).Connect(t, template(t, d, ""))

	id := func(k dataset.Kind) string { return tpox.ID(d.ID(k, d.Count(k)/2)).String() }
	order, customer := id(dataset.Order), id(dataset.Customer)
	account, symbol := tpox.ID(d.FirstAccount(9)).String(), "'"+d.Symbol(99)+"'"
	for name, c := range map[string]struct {
		args    string
		indexes []string
	}{
		"get_order":                {order, []string{"orders_id"}},
		"get_security":             {symbol, []string{"securities_symbol"}},
		"get_security_price":       {symbol, []string{"securities_symbol"}},
		"search_securities":        {"'Energy', 210000, 260000, 50000, 'K', 5", []string{"security_search_sector"}},
		"customer_profile":         {customer, []string{"customers_id"}},
		"account_summary":          {customer, []string{"customers_id"}},
		"customer_max_order":       {customer, []string{"customers_id", "account_orders_cash", "orders_id"}},
		"get_customer":             {customer, []string{"customers_id"}},
		"customer_of_account":      {account, []string{"accounts_account"}},
		"lock_order":               {order, []string{"orders_id"}},
		"lock_customer":            {customer, []string{"customers_id"}},
		"lock_security":            {symbol, []string{"securities_symbol"}},
		"lock_customer_of_account": {account, []string{"accounts_account", "customers_id"}},
		"update_order_status":      {order + ", '<a/>'", []string{"orders_id"}},
		"update_customer":          {customer + ", '<a/>'", []string{"customers_id"}},
		"replace_customer":         {customer + ", '{}', '<a/>'", []string{"customers_id"}},
		"replace_security":         {symbol + ", '<a/>'", []string{"securities_symbol"}},
		"delete_order":             {order, []string{"orders_id", "account_orders_id"}},
		"delete_customer":          {customer, []string{"customers_id"}},
		"delete_account":           {account, []string{"accounts_account"}},
	} {
		t.Run(name, func(t *testing.T) { requireIndexes(t, conn, statements[name], c.args, c.indexes) })
	}
}

// No value that a search of mode=pure uses has an index or a statistic of its own beside the documents: the indexes are
// on expressions over them, and the planner uses them already with a quarter of the documents of XXXS.
func TestPlans_Pure(t *testing.T) {
	if testing.Short() {
		t.Skip("loads thousands of documents")
	}
	d := aQuarter()
	conn := pgtest.Shared(t).Connect(t, template(t, d, pure))
	for _, index := range []string{"account_orders_cash", "security_search_sector"} {
		require.Contains(t, value[string](t, conn, "SELECT pg_get_indexdef('brokerage."+index+"'::regclass)"), "(doc)")
	}
	requireIndexes(t, conn, pureStatements["search_securities"], "'Energy', 210000, 260000, 50000, '', NULL",
		[]string{"security_search_sector"})
	requireIndexes(t, conn, pureStatements["customer_max_order"],
		tpox.ID(d.ID(dataset.Customer, d.Count(dataset.Customer)/2)).String(),
		[]string{"customers_id", "account_orders_cash"})
}

// requireIndexes requires that a statement with these arguments uses the indexes, and scans no table.
func requireIndexes(t *testing.T, conn *pgx.Conn, statement, args string, indexes []string) {
	t.Helper()
	exec := func(sql string) {
		require.NoError(t, errOf(conn.Exec(t.Context(), sql)))
	}
	exec("PREPARE planned AS " + statement)
	defer exec("DEALLOCATE planned")
	for _, mode := range []string{"force_custom_plan", "force_generic_plan"} {
		exec("SET plan_cache_mode = " + mode)
		rows, _ := conn.Query(t.Context(), "EXPLAIN EXECUTE planned ("+args+")")
		lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
		require.NoError(t, err)
		plan := strings.Join(lines, "\n")
		require.NotContains(t, plan, "Seq Scan", mode)
		for _, index := range indexes {
			require.Regexp(t, `(Index Scan using|Bitmap Index Scan on) `+index+`\b`, plan, mode)
		}
	}
}

// Every query of the 17 is a statement in a file of its name, in SQL/XML, and statements that other stores have too
// have the same names.
func TestStatements(t *testing.T) {
	for _, transaction := range tpox.Transactions {
		if transaction.Kind == tpox.Query {
			text, ok := statements[transaction.Name]
			require.True(t, ok, transaction.Name)
			require.Contains(t, text, "XMLSERIALIZE(CONTENT", transaction.Name)
			require.NotContains(t, text, ";", transaction.Name)
		}
	}
}

package postgres

import (
	"fmt"
	"maps"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"brokerage/internal/dataset"
	"brokerage/internal/store/postgres/pgtest"
	"brokerage/internal/testenv"
	"brokerage/internal/tpox"
)

// With a quarter of the documents of XXXS, and with statistics, the planner scans no table of documents and none that
// finds them. The statements are prepared, as in operation, with custom and with generic plans. In mode=pure, the
// indexes of searches are on expressions over the documents.
func TestPlans(t *testing.T) {
	testenv.Long(t)
	d := dataset.NewOf(1, dataset.Counts{Securities: 5000, Customers: 1250, Orders: 12_500})
	order, customer := fmt.Sprint(d.ID(dataset.Order, 7)), fmt.Sprint(d.ID(dataset.Customer, 7))
	all := visits(d)
	maps.Copy(all, map[string]visit{
		"customer_max_order": {args: customer}, "delete_order": {args: order},
		"lock_customer_of_account": {args: fmt.Sprint(d.FirstAccount(7))},
	})
	conn := pgtest.Shared(t).Connect(t, template(t, d, ""))
	for name, v := range all {
		if v.tables != "answers" && v.tables != "once_slots" { // these are empty, or have one page
			requireIndexed(t, conn, statements[name], v.args)
		}
	}
	conn = pgtest.Shared(t).Connect(t, template(t, d, pure))
	for _, index := range []string{"account_orders_cash", "security_search_sector"} {
		require.Contains(t, value[string](t, conn, "SELECT pg_get_indexdef('brokerage."+index+"'::regclass)"), "(doc)")
	}
	for _, name := range []string{"search_securities", "customer_max_order", "delete_order"} {
		requireIndexed(t, conn, pureStatements[name], all[name].args)
	}
}

// requireIndexed requires that a statement with these arguments scans no table.
func requireIndexed(t *testing.T, conn *pgx.Conn, statement, args string) {
	t.Helper()
	for _, mode := range []string{"force_custom_plan", "force_generic_plan"} {
		exec(t, conn, "SET plan_cache_mode = "+mode)
		require.NotContains(t, planOf(t, conn, statement, args), "Seq Scan", mode)
	}
}

// Every query of the 17 is a statement in a file of its name, in SQL/XML, and docs/postgres.md prints it as it runs.
func TestStatements(t *testing.T) {
	printed := testenv.Text(t, "../../../docs/postgres.md")
	for _, transaction := range tpox.Transactions {
		if transaction.Kind == tpox.Query {
			require.Contains(t, statements[transaction.Name], "XMLSERIALIZE(CONTENT", transaction.Name)
			require.NotContains(t, statements[transaction.Name], ";", transaction.Name)
			block := "```sql\n" + statements[transaction.Name] + "\n```\n"
			require.Contains(t, printed, block, "docs/postgres.md does not print %s", transaction.Name)
		}
	}
}

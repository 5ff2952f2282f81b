package postgres

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"brokerage/internal/dataset"
	"brokerage/internal/store/postgres/pgtest"
	"brokerage/internal/testenv"
	"brokerage/internal/tpox"
)

// failWith is a statement of the tests.
const failWith = "fail_with"

func TestMain(m *testing.M) {
	statements[failWith] = "SELECT fail($1)"
	testenv.Parallel()
	pgtest.Main(m)
}

// Parameters of URLs.
const pure, distribute = "&mode=pure", "&distribute=4"

func generator(t testing.TB) *dataset.Dataset {
	t.Helper()
	s, err := dataset.ParseScale("tiny")
	require.NoError(t, err)
	return dataset.New(dataset.Spec{Scale: s, Seed: 1})
}

// template returns a database of the shared server into which a store with these URL parameters has loaded d.
func template(t testing.TB, d *dataset.Dataset, parameters string) string {
	t.Helper()
	return pgtest.Shared(t).Filled(t, d.Fingerprint()+parameters, func(url string) {
		s := opened(t, url+parameters, Options{})
		require.NoError(t, s.LoadDataset(context.Background(), d, nil))
		require.NoError(t, s.Close())
	})
}

// opened opens a store that a test may close itself.
func opened(t testing.TB, url string, options Options) *Store {
	t.Helper()
	return openedWith(t, url, options, hidden{})
}

func openedWith(t testing.TB, url string, options Options, h hidden) *Store {
	t.Helper()
	s, err := open(context.Background(), url, options, h)
	require.NoError(t, err)
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// tiny returns a store with the smallest dataset.
func tiny(t testing.TB) (*Store, *dataset.Dataset, *pgtest.Server, string) {
	t.Helper()
	server, d := pgtest.Shared(t), generator(t)
	database := server.Clone(t, template(t, d, ""))
	return opened(t, server.URL(database), Options{}), d, server, database
}

// loaded returns the URL, without these parameters, of a copy of template's database for one test.
func loaded(t testing.TB, d *dataset.Dataset, parameters string) string {
	t.Helper()
	server := pgtest.Shared(t)
	return server.URL(server.Clone(t, template(t, d, parameters)))
}

// fresh returns a store with nothing in it, its URL, and the smallest dataset.
func fresh(t testing.TB) (*Store, string, *dataset.Dataset) {
	t.Helper()
	server := pgtest.Shared(t)
	url := server.URL(server.Database(t))
	return opened(t, url, Options{}), url, generator(t)
}

func now() tpox.Write { return tpox.Write{Now: time.Now()} }

// once returns what now returns, with an idempotency key.
func once() tpox.Write {
	w := now()
	w.Once = &tpox.Once{Client: "c", Key: "k", Expires: w.Now.Add(time.Hour)}
	return w
}

func buy(symbol string) tpox.Trade {
	return tpox.Trade{Side: tpox.Buy, Symbol: symbol, Quantity: "1", Now: time.Now()}
}

func customer(d *dataset.Dataset, id int64, accounts ...int64) []byte {
	return d.AppendNewCustomer(nil, 3, dataset.NewCustomer{ID: id, Accounts: accounts})
}

func insertCustomer(t testing.TB, s *Store, doc []byte) {
	t.Helper()
	require.NoError(t, errOf(s.InsertCustomer(t.Context(), now(), doc, true)))
}

func order(d *dataset.Dataset, id int64) []byte {
	return d.AppendNewOrder(nil, 7, dataset.NewOrder{ID: id})
}

func orderID(d *dataset.Dataset, i int64) tpox.ID { return tpox.ID(d.ID(dataset.Order, i)) }

// value returns what a query of one row and one column finds.
func value[T any](t testing.TB, q querier, sql string, args ...any) (v T) {
	t.Helper()
	require.NoError(t, q.QueryRow(t.Context(), sql, args...).Scan(&v))
	return v
}

// eventually waits until something is true, on a machine that is busy with other tests.
func eventually(t testing.TB, is func() bool) {
	t.Helper()
	require.Eventually(t, is, 5*time.Minute, 5*time.Millisecond)
}

// exec runs a statement.
func exec(t testing.TB, q querier, sql string, args ...any) {
	t.Helper()
	require.NoError(t, errOf(q.Exec(t.Context(), sql, args...)), sql)
}

// planOf prepares a statement and returns its plan.
func planOf(t testing.TB, conn *pgx.Conn, statement, args string) string {
	t.Helper()
	exec(t, conn, "PREPARE planned AS "+statement)
	defer exec(t, conn, "DEALLOCATE planned")
	rows, _ := conn.Query(t.Context(), "EXPLAIN EXECUTE planned ("+args+")", pgx.QueryExecModeSimpleProtocol)
	lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err)
	return strings.Join(lines, "\n") + "\n"
}

// lockedDocuments makes every transaction on a database wait until the returned function is called.
func lockedDocuments(t testing.TB, server *pgtest.Server, database string) (release func()) {
	t.Helper()
	conn := server.Connect(t, database)
	exec(t, conn, "BEGIN; LOCK TABLE brokerage.orders, brokerage.customers, brokerage.securities, "+
		"brokerage.security_search IN ACCESS EXCLUSIVE MODE")
	return func() { exec(t, conn, "ROLLBACK") }
}

// errOf returns the error of a call.
func errOf[A any](_ A, err error) error { return err }

// verified returns what verify finds.
func verified(t testing.TB, s *Store) (findings []string) {
	t.Helper()
	v, err := s.Verify(t.Context(), func(finding string) error {
		findings = append(findings, finding)
		return nil
	}, nil)
	require.NoError(t, err)
	require.NotZero(t, v.Documents)
	return findings
}

package postgres

import (
	"errors"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"brokerage/internal/store"
	"brokerage/internal/store/postgres/pgtest"
	"brokerage/internal/store/storetest"
	"brokerage/internal/testenv"
	"brokerage/internal/tpox"
)

// Instances that start together on an empty database all find it ready, and one has made the schema.
func TestOpen_TenAtOnce(t *testing.T) {
	server := pgtest.Shared(t)
	url := server.URL(server.Database(t))
	var made atomic.Int64
	require.NoError(t, storetest.Together(10, func(int) error {
		s, err := Open(t.Context(), url, Options{Pool: 2})
		if err == nil {
			if s.Made() {
				made.Add(1)
			}
			_, err = s.Lease(t.Context(), "order", 1)
			err = errors.Join(err, s.Close())
		}
		return err
	}))
	require.Equal(t, int64(1), made.Load())
}

// refuses requires that Open refuses a database in one line, and that its error says whether waiting may help.
func refuses(t testing.TB, url string, mayHeal bool, says string) {
	t.Helper()
	_, err := Open(t.Context(), url, Options{})
	require.ErrorContains(t, err, says)
	require.NotContains(t, err.Error(), "\n")
	require.Equal(t, mayHeal, tpox.Is[*tpox.Unavailable](err), "%v", err)
}

// requireNoSchema requires that databases have no schema brokerage.
func requireNoSchema(t testing.TB, urls ...string) {
	t.Helper()
	for _, url := range urls {
		conn, err := pgx.Connect(t.Context(), url)
		require.NoError(t, err)
		require.True(t, value[bool](t, conn, "SELECT to_regnamespace('brokerage') IS NULL"), url)
		require.NoError(t, conn.Close(t.Context()))
	}
}

// A database that cannot be connected to may become available. TestRoles has a role that may not make the schema.
func TestOpen_Unavailable(t *testing.T) {
	server := pgtest.Shared(t)
	for url, says := range map[string]string{
		"postgres://127.0.0.1:1/none":                "connecting: ",
		"postgres://db.invalid/none":                 "db.invalid",
		server.URL("none"):                           "does not exist",
		server.URLOf("stranger", server.Database(t)): "stranger",
	} {
		refuses(t, url, true, says)
	}
}

// A schema of another version or program is refused with a clear error. With AsIs, so is an empty database.
func TestOpen_OtherVersion(t *testing.T) {
	server := pgtest.Shared(t)
	for change, says := range map[string]string{
		"UPDATE brokerage.settings SET value = '7' WHERE name = 'schema.version'": "schema version 7 is newer than this " +
			"program supports (1); use a newer release",
		"DELETE FROM brokerage.settings": "the schema was made by an unreleased version of this program; " +
			"load the data into a new database",
		"DROP SCHEMA brokerage CASCADE; CREATE SCHEMA brokerage; CREATE TABLE brokerage.orders (id int)": "the database " +
			"has a schema brokerage of another program",
	} {
		database := server.Database(t)
		url := server.URL(database)
		require.ErrorIs(t, errOf(Open(t.Context(), url, Options{AsIs: true})), store.ErrEmpty)
		require.NoError(t, opened(t, url, Options{}).Close())
		server.Exec(t, database, change)
		refuses(t, url, false, says)
		require.EqualError(t, errOf(Open(t.Context(), url, Options{AsIs: true})), says)
	}
}

// A database that is not what a URL asks for is refused, and nothing is changed.
func TestOpen_NotWanted(t *testing.T) {
	server, d := pgtest.Shared(t), generator(t)
	empty, keys, xml := server.URL(server.Database(t)), loaded(t, d, ""), loaded(t, d, pure)
	refuses(t, keys+pure, false,
		"the database has the mode keys, but the URL asks for pure: load the data into a new database")
	refuses(t, xml+"&mode=keys", false, "the database has the mode pure, but the URL asks for keys")
	refuses(t, xml+distribute, false, errPureDistributed.Error())
	refuses(t, keys+distribute, false, "the database has tables that are not distributed: make a backup, and restore it "+
		"into a new database (docs/scaling.md)")
	refuses(t, empty+distribute, true, "the database has no extension citus: CREATE EXTENSION citus, on every node")
	requireNoSchema(t, empty)

	s := opened(t, xml+pure, Options{})
	require.Contains(t, s.Describe().Settings, tpox.Setting{Name: "mode", Value: modePure})
	require.NoError(t, s.Empty(t.Context()))
	require.NoError(t, s.Close())
	require.True(t, opened(t, xml, Options{}).pure, "it stays when the database is emptied")
}

// An attempt to make the schema fails half-way and leaves nothing on any node; the next one succeeds.
func TestOpen_Interrupted(t *testing.T) {
	testenv.Long(t)
	for _, mode := range []string{"", pure} {
		server := pgtest.Shared(t)
		url := server.URL(server.Database(t))
		interrupted(t, url+mode, url)
	}
}

func TestOpen_InterruptedCitus(t *testing.T) {
	cluster := pgtest.StartCluster(t, 2)
	database := cluster.Database(t)
	interrupted(t, cluster.URL(database, 0)+distribute,
		cluster.URL(database, 0), cluster.URL(database, 1), cluster.URL(database, 2))
	cluster.RequireNothingPrepared(t)
}

func interrupted(t *testing.T, url string, nodes ...string) {
	first, err := pgx.Connect(t.Context(), nodes[0])
	require.NoError(t, err)
	defer func() { require.NoError(t, first.Close(t.Context())) }()
	exec(t, first, `CREATE FUNCTION die() RETURNS event_trigger LANGUAGE plpgsql AS $$
		BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); END $$;
		CREATE EVENT TRIGGER dies ON ddl_command_end WHEN TAG IN ('GRANT', 'CREATE INDEX') EXECUTE FUNCTION die()`)
	refuses(t, url, true, "making the schema")
	requireNoSchema(t, nodes...)
	exec(t, first, "DROP EVENT TRIGGER dies")
	s := opened(t, url, Options{})
	require.True(t, s.Made())
	require.NoError(t, s.LoadDataset(t.Context(), generator(t), nil))
	require.Empty(t, verified(t, s))
}

// The script, run by hand, creates exactly the schema that Open creates.
func TestScript(t *testing.T) {
	server := pgtest.Shared(t)
	schema := func(url string, options Options) []string {
		s := opened(t, url, options)
		require.NotEqual(t, options.AsIs, s.Made())
		return value[[]string](t, s.pool, `SELECT array_agg(line ORDER BY line) FROM (
			SELECT 'column ' || attrelid::regclass || attname ||
				format_type(atttypid, atttypmod) || attnotnull || attcompression::text
			FROM pg_attribute JOIN pg_class AS c ON c.oid = attrelid
			WHERE relnamespace = 'brokerage'::regnamespace AND attnum > 0
			UNION ALL SELECT 'class ' || relname || relkind::text || coalesce(reloptions::text, '') FROM pg_class
			WHERE relnamespace = 'brokerage'::regnamespace
			UNION ALL SELECT pg_get_functiondef(oid) FROM pg_proc WHERE pronamespace = 'brokerage'::regnamespace
			UNION ALL SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE connamespace = 'brokerage'::regnamespace
			UNION ALL SELECT indexdef FROM pg_indexes WHERE schemaname = 'brokerage') AS schema (line)`)
	}
	for _, mode := range []string{"", pure} {
		database := server.Database(t)
		text, err := schemaScript(server.URL(database) + mode)
		require.NoError(t, err)
		server.Exec(t, database, text)
		made := schema(server.URL(server.Database(t))+mode, Options{})
		require.Greater(t, len(made), 50)
		require.Equal(t, made, schema(server.URL(database), Options{AsIs: true}))
	}
}

// The owner of the schema need be no superuser. The service's role may carry out all calls, but not change the schema.
func TestRoles(t *testing.T) {
	server := pgtest.Start(t)
	server.Exec(t, "postgres", `CREATE ROLE brokerage_owner LOGIN; CREATE ROLE brokerage_service LOGIN`)
	server.Exec(t, "postgres", "CREATE DATABASE app OWNER brokerage_owner TEMPLATE template0")
	service := server.URLOf("brokerage_service", "app")
	roles(t, server.URLOf("brokerage_owner", "app"), service, service)
}

// The service has the same rights through a worker as elsewhere. Citus copies roles to all nodes if they are created in
// the database of the cluster.
func TestRoles_Citus(t *testing.T) {
	cluster := pgtest.StartCluster(t, 2)
	database := cluster.Database(t)
	as := func(role string, entries ...int) string {
		return strings.Replace(cluster.URL(database, entries...), pgtest.User+"@", role+"@", 1) + distribute
	}
	cluster.Nodes[0].Exec(t, database, "CREATE ROLE brokerage_owner LOGIN; CREATE ROLE brokerage_service LOGIN;"+
		"ALTER DATABASE "+database+" OWNER TO brokerage_owner")
	roles(t, as("brokerage_owner", 0), as("brokerage_service", 0), as("brokerage_service", 1, 2))
}

// roles tests the rights of the owner, and of the service at the node that creates tables and at those that serve it.
func roles(t *testing.T, owns, service, serves string) {
	refuses(t, service, true, "role brokerage_service may not create it: run brokerage migrate as the owner")

	d := generator(t)
	owner := opened(t, owns, Options{})
	err := opened(t, service, Options{}).LoadDataset(t.Context(), d, nil)
	require.ErrorContains(t, err, "only the schema's owner can load, and role brokerage_service is not")
	require.NoError(t, owner.LoadDataset(t.Context(), d, nil))

	s := opened(t, serves, Options{})
	require.NoError(t, s.Ready(t.Context()))
	for _, call := range storetest.Calls(t, s, d) {
		require.NoError(t, call.Do(t.Context()), call.Name)
	}
	require.NoError(t, errOf(s.Lease(t.Context(), "order", 10)))
	require.NoError(t, s.DeleteOrder(t.Context(), once(), orderID(d, 0)))

	s = opened(t, service, Options{})
	for _, forbidden := range []string{
		"TRUNCATE brokerage.orders", "CREATE TABLE brokerage.mine (id int)", "CREATE TABLE public.mine (id int)",
		"DROP INDEX brokerage.account_orders_cash", "ALTER TABLE brokerage.orders DISABLE TRIGGER ALL",
		"UPDATE brokerage.settings SET value = '2'", "INSERT INTO brokerage.once_slots VALUES (99)", "CREATE ROLE other",
	} {
		_, err := s.pool.Exec(t.Context(), forbidden)
		require.True(t, isForbidden(err), "%s: %v", forbidden, err)
	}
}

// A row whose document has another id, or none, is refused, whoever writes it.
func TestSchema_OwnIDs(t *testing.T) {
	s, d, _, _ := tiny(t)
	code := func(sql string, args ...any) string { return codeOf(errOf(s.pool.Exec(t.Context(), sql, args...))) }
	const (
		customers  = "INSERT INTO brokerage.customers VALUES (77, '{}', $1::text::xml)"
		orders     = "INSERT INTO brokerage.orders VALUES (77, 7, $1::text::xml)"
		securities = "INSERT INTO brokerage.securities VALUES ('A&<>B', $1::text::xml)"
	)
	for doc, insert := range map[string]string{
		string(customer(d, 78, 79)):                             customers,
		`<Customer xmlns="http://tpox-benchmark.com/custacc"/>`: customers,
		`<Customer id="77"/>`:                                   customers,
		string(order(d, 78)):                                    orders,
		`<FIXML xmlns="http://www.fixprotocol.org/FIXML-4-4"><Order ID="7"/><Order ID="77"/></FIXML>`: orders,
		`<FIXML xmlns="http://www.fixprotocol.org/FIXML-4-4"/>`:                                       orders,
		`<Security xmlns="http://tpox-benchmark.com/security"><Symbol>AB</Symbol></Security>`:         securities,
		`<Security xmlns="http://tpox-benchmark.com/security"/>`:                                      securities,
	} {
		require.Equal(t, checkViolation, code(insert, doc), doc)
	}
	exec(t, s.pool, customers, string(customer(d, 77, 79)))
	exec(t, s.pool, orders, string(order(d, 77)))
	exec(t, s.pool, securities,
		`<Security xmlns="http://tpox-benchmark.com/security"><Symbol>A&amp;&lt;&gt;B</Symbol></Security>`)
	require.Equal(t, checkViolation, code("INSERT INTO brokerage.account_orders VALUES (1, 2, 3, '4')"))
}

// The store's declaration for each transaction agrees with its statements.
func TestFaithful(t *testing.T) {
	d := generator(t)
	for _, parameters := range []string{"", pure} {
		var tracer storetest.Tracer
		s := opened(t, loaded(t, d, parameters), Options{Trace: tracer.Begin})
		storetest.Faithful(t, s, d, &tracer, s.sql)
	}
}

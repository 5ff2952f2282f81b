package postgres

import (
	"errors"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"brokerage/internal/dataset"
	"brokerage/internal/store"
	"brokerage/internal/store/postgres/pgtest"
	"brokerage/internal/store/storetest"
	"brokerage/internal/tpox"
)

// Replicas that start together on an empty database all find it ready, and one has made the schema.
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

// Another version is refused with a sentence.
func TestOpen_OtherVersion(t *testing.T) {
	server := pgtest.Shared(t)
	for name, c := range map[string]struct{ change, says string }{
		"Newer": {
			"UPDATE brokerage.settings SET value = '7' WHERE name = 'schema.version'",
			"schema version 7 is newer than this program supports (1); use a newer release",
		},
		"Unreleased": {
			"DELETE FROM brokerage.settings",
			"its schema was made by an unreleased version of this program; load it into a new database",
		},
		"NoIdentity": {
			"DELETE FROM brokerage.settings WHERE name = 'database.identity'",
			"its schema was made by an unreleased version of this program; load it into a new database",
		},
		"Foreign": {
			"DROP SCHEMA brokerage CASCADE; CREATE SCHEMA brokerage; CREATE TABLE brokerage.orders (id int)",
			"the database has a schema brokerage of another program",
		},
	} {
		t.Run(name, func(t *testing.T) {
			database := server.Database(t)
			url := server.URL(database)
			_, err := Open(t.Context(), url, Options{AsIs: true})
			require.ErrorIs(t, err, store.ErrEmpty)
			s := opened(t, url, Options{})
			require.Regexp(t, `^[0-9a-f]{32}$`, s.stamp.Identity)
			require.NoError(t, s.Close())
			server.Exec(t, database, c.change)
			for _, options := range []Options{{}, {AsIs: true}} {
				_, err := Open(t.Context(), url, options)
				require.EqualError(t, err, c.says)
			}
		})
	}
}

// An attempt to make the schema that dies half-way leaves nothing, on any node, and the next one makes it.
func TestOpen_Interrupted(t *testing.T) {
	server := pgtest.Shared(t)
	for _, layout := range []string{"", partitioned, "&mode=pure"} {
		database := server.Database(t)
		interrupted(t, server.URL(database)+layout, server.URL(database))
	}
}

func TestOpen_InterruptedCitus(t *testing.T) {
	cluster := pgtest.StartCluster(t, 2)
	database := cluster.Database(t)
	interrupted(t, cluster.URL(database, 0)+onCitus,
		cluster.URL(database, 0), cluster.URL(database, 1), cluster.URL(database, 2))
	cluster.RequireNothingPrepared(t)
}

func interrupted(t *testing.T, url string, nodes ...string) {
	first, err := pgx.Connect(t.Context(), nodes[0])
	require.NoError(t, err)
	defer func() { require.NoError(t, first.Close(t.Context())) }()
	_, err = first.Exec(t.Context(), `CREATE FUNCTION die() RETURNS event_trigger LANGUAGE plpgsql AS $$
		BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); END $$;
		CREATE EVENT TRIGGER dies ON ddl_command_end WHEN TAG IN ('GRANT', 'CREATE INDEX') EXECUTE FUNCTION die()`)
	require.NoError(t, err)
	var unavailable *tpox.Unavailable
	require.ErrorAs(t, errOf(Open(t.Context(), url, Options{})), &unavailable)
	for _, node := range nodes {
		conn, err := pgx.Connect(t.Context(), node)
		require.NoError(t, err)
		require.True(t, value[bool](t, conn, "SELECT to_regnamespace('brokerage') IS NULL"), node)
		require.NoError(t, conn.Close(t.Context()))
	}
	_, err = first.Exec(t.Context(), "DROP EVENT TRIGGER dies")
	require.NoError(t, err)
	s := opened(t, url, Options{})
	require.True(t, s.Made())
	require.NoError(t, s.LoadDataset(t.Context(), generator(t, "tiny"), nil))
	require.Empty(t, verified(t, s))
}

// The script, run by hand, creates exactly the schema that Open creates.
func TestScript(t *testing.T) {
	server := pgtest.Shared(t)
	for _, layout := range []string{"", partitioned, "&mode=pure"} {
		database := server.Database(t)
		text, err := Script(server.URL(database) + layout)
		require.NoError(t, err)
		server.Exec(t, database, text)
		s := opened(t, server.URL(database), Options{AsIs: true})
		other := opened(t, server.URL(server.Database(t))+layout, Options{})
		require.False(t, s.Made())
		require.True(t, other.Made())
		requireSameSchema(t, other, s)
	}
}

func requireSameSchema(t *testing.T, want, got *Store) {
	t.Helper()
	schema := func(s *Store) []string {
		return value[[]string](t, s.pool, `SELECT array_agg(line ORDER BY line) FROM (
			SELECT 'column ' || attrelid::regclass || attname ||
				format_type(atttypid, atttypmod) || attnotnull || attcompression::text
			FROM pg_attribute JOIN pg_class AS c ON c.oid = attrelid
			WHERE relnamespace = 'brokerage'::regnamespace AND attnum > 0
			UNION ALL SELECT 'class ' || relname || relkind::text || coalesce(reloptions::text, '') FROM pg_class
			WHERE relnamespace = 'brokerage'::regnamespace
			UNION ALL SELECT pg_get_functiondef(oid) FROM pg_proc WHERE pronamespace = 'brokerage'::regnamespace
			UNION ALL SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE connamespace = 'brokerage'::regnamespace
			UNION ALL SELECT pg_get_triggerdef(oid) FROM pg_trigger
			UNION ALL SELECT indexdef FROM pg_indexes WHERE schemaname = 'brokerage') AS schema (line)`)
	}
	require.Greater(t, len(schema(want)), 50)
	require.Equal(t, schema(want), schema(got))
}

// The owner of the schema is no superuser, and the service's role may change documents and nothing else.
func TestRoles(t *testing.T) {
	server := pgtest.Start(t)
	server.Exec(t, "postgres", `CREATE ROLE brokerage_owner LOGIN; CREATE ROLE brokerage_service LOGIN`)
	urls := func(database, layout string) (owner, service string) {
		server.Exec(t, "postgres", "CREATE DATABASE "+database+" OWNER brokerage_owner TEMPLATE template0")
		return server.URLOf("brokerage_owner", database) + layout, server.URLOf("brokerage_service", database) + layout
	}
	t.Run(layoutSingle, func(t *testing.T) {
		owner, service := urls("app", "")
		roles(t, owner, service, service, "INSERT INTO brokerage.accounts VALUES (1, 2)", "DELETE FROM brokerage.accounts")
	})
	t.Run(layoutPartitioned, func(t *testing.T) {
		owner, service := urls("spread", partitioned)
		roles(t, owner, service, service, "INSERT INTO brokerage.once_slots VALUES (99)")
	})
}

// The service has the same rights through a worker as elsewhere. Citus copies roles to all nodes if they are created in
// the database of the cluster; it must be told of those that each node has already.
func TestRoles_Citus(t *testing.T) {
	cluster := pgtest.StartCluster(t, 2)
	as := func(database, role string, entries ...int) string {
		return strings.Replace(cluster.URL(database, entries...), pgtest.User+"@", role+"@", 1) + onCitus
	}
	database := cluster.Database(t)
	cluster.Nodes[0].Exec(t, database, "CREATE ROLE brokerage_owner LOGIN; CREATE ROLE brokerage_service LOGIN;"+
		"ALTER DATABASE "+database+" OWNER TO brokerage_owner")
	service := as(database, "brokerage_service", 0)
	roles(t, as(database, "brokerage_owner", 0), service, as(database, "brokerage_service", 1, 2),
		"INSERT INTO brokerage.once_slots VALUES (99)")

	database = cluster.Database(t)
	for _, node := range cluster.Nodes {
		node.Exec(t, "postgres", "CREATE ROLE apart LOGIN; ALTER DATABASE "+database+" OWNER TO apart")
	}
	_, err := Open(t.Context(), as(database, "apart", 0), Options{})
	require.ErrorContains(t, err, "role apart may not make it: brokerage migrate does, as the owner (docs/scaling.md)")
	cluster.Nodes[0].Exec(t, database, "CREATE SCHEMA brokerage AUTHORIZATION apart")
	require.NoError(t, opened(t, as(database, "apart", 0), Options{}).Close())
}

// roles gets URLs of the owner, and of the service where it would create tables and where it serves.
func roles(t *testing.T, owns, service, serves string, alsoForbidden ...string) {
	_, err := Open(t.Context(), service, Options{})
	require.ErrorContains(t, err, "role brokerage_service may not make it: brokerage migrate does, as the owner")

	d := generator(t, "tiny")
	owner := opened(t, owns, Options{})
	err = opened(t, service, Options{}).LoadDataset(t.Context(), d, nil)
	require.ErrorContains(t, err, "only the schema's owner can load, and role brokerage_service is not")
	require.NoError(t, owner.LoadDataset(t.Context(), d, nil))
	require.NoError(t, owner.Close())

	s := opened(t, serves, Options{})
	require.NoError(t, s.Ready(t.Context()))
	for _, call := range storetest.Calls(t, s, d) {
		require.NoError(t, call.Do(t.Context()), call.Name)
	}
	require.NoError(t, errOf(s.Lease(t.Context(), "order", 10)))
	require.NoError(t, s.DeleteOrder(t.Context(), once(), orderID(d, 0)))

	s = opened(t, service, Options{})
	for _, forbidden := range append(alsoForbidden, "TRUNCATE brokerage.orders",
		"CREATE TABLE brokerage.mine (id int)", "CREATE TABLE public.mine (id int)", "DROP INDEX brokerage.orders_cash",
		"ALTER TABLE brokerage.orders DISABLE TRIGGER ALL", "UPDATE brokerage.settings SET value = '2'",
		"CREATE ROLE other",
	) {
		_, err := s.pool.Exec(t.Context(), forbidden)
		require.True(t, Forbidden(err), "%s: %v", forbidden, err)
	}
}

// The keys and the accounts of a document follow its changes, even those made by hand.
func TestSchema_Keys(t *testing.T) {
	s, d, _, _ := tiny(t)
	exec := func(sql string, args ...any) error {
		_, err := s.pool.Exec(t.Context(), sql, args...)
		return err
	}
	requireOwner := func(account, owner tpox.ID) {
		found, err := s.GetAccount(t.Context(), account)
		require.NoError(t, err)
		require.Equal(t, owner, found.Customer)
	}
	id := d.ID(dataset.Customer, 0)
	require.Error(t, exec("UPDATE brokerage.customers SET keys = keys"))
	require.NoError(t, exec("UPDATE brokerage.customers SET doc = $2::text::xml WHERE (keys).id = $1",
		id, customer(d, 77, 78, 79)))
	require.Error(t, errOf(s.GetCustomer(t.Context(), tpox.ID(id))))
	requireOwner(78, 77)
	requireOwner(79, 77)
	require.Error(t, errOf(s.GetAccount(t.Context(), tpox.ID(d.FirstAccount(0)))))

	// The same accounts under another id of their customer.
	require.NoError(t, exec("UPDATE brokerage.customers SET doc = $1::text::xml WHERE (keys).id = 77",
		customer(d, 80, 78, 79)))
	requireOwner(79, 80)

	for name, doc := range map[string]string{
		"NoID":  `<Customer xmlns="http://tpox-benchmark.com/custacc"/>`,
		"BadID": `<Customer xmlns="http://tpox-benchmark.com/custacc" id="01"/>`,
		"BadChild": `<Customer xmlns="http://tpox-benchmark.com/custacc" id="5">` +
			`<Accounts><Account id="x"/></Accounts></Customer>`,
		"Twice": `<Customer xmlns="http://tpox-benchmark.com/custacc" id="5">` +
			`<Accounts><Account id="6"/><Account id="6"/></Accounts></Customer>`,
		"Namespace": `<Customer id="5"/>`,
	} {
		require.Error(t, exec("INSERT INTO brokerage.customers (doc) VALUES ($1::text::xml)", doc), name)
	}
	require.NoError(t, exec("TRUNCATE brokerage.customers"))
	require.Zero(t, value[int](t, s.pool, "SELECT count(*) FROM brokerage.accounts"))
}

// An order records the customer whose account it was for.
func TestSchema_OrderKnowsCustomer(t *testing.T) {
	s, d, _, _ := tiny(t)
	require.Zero(t, value[int](t, s.pool, `SELECT count(*) FILTER (WHERE o.customer IS DISTINCT FROM a.customer)
		FROM brokerage.orders AS o JOIN brokerage.accounts AS a ON a.account = (o.keys).account`))
	for id, c := range map[int64]struct {
		account  int64
		customer *int64
	}{5: {d.FirstAccount(2), new(d.ID(dataset.Customer, 2))}, 6: {account: 7}} {
		insertOrder(t, s, d.AppendNewOrder(nil, 1, dataset.NewOrder{ID: id, Account: c.account}))
		require.Equal(t, c.customer,
			value[*int64](t, s.pool, "SELECT customer FROM brokerage.orders WHERE (keys).id = $1", id))
	}
}

package postgres

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"brokerage/internal/dataset"
	"brokerage/internal/store/postgres/pgtest"
	"brokerage/internal/store/storetest"
	"brokerage/internal/tpox"
)

// Replicas that start together on an empty database all find it ready.
func TestMigrate_TenAtOnce(t *testing.T) {
	server := pgtest.Shared(t)
	url := server.URL(server.Database(t))
	require.NoError(t, storetest.Together(10, func(int) error {
		s, err := Open(t.Context(), url, Options{Pool: 2})
		if err == nil {
			_, err = s.Lease(t.Context(), "order", 1)
			err = errors.Join(err, s.Close())
		}
		return err
	}))
	s := opened(t, url, Options{})
	require.Equal(t, len(migrations), value[int](t, s.pool, "SELECT count(*) FROM brokerage.schema_versions"))
}

// extended returns the migrations of a later version of the program.
func extended(statements string) []migration {
	return append(slices.Clone(migrations), newMigration(len(migrations)+1, "migrations/9999_more.sql", statements))
}

func TestMigrate_Versions(t *testing.T) {
	server := pgtest.Shared(t)
	url := server.URL(server.Database(t))
	current := len(migrations)
	_, err := Open(t.Context(), url, Options{AsIs: true})
	require.ErrorContains(t, err, "the database is empty")

	require.NoError(t, opened(t, url, Options{}).Close())
	later := extended("ALTER TABLE brokerage.settings ADD COLUMN note text")
	_, err = Open(t.Context(), url, Options{AsIs: true, migrations: later})
	require.ErrorContains(t, err,
		fmt.Sprintf("the database has schema version %d, and this program has %d", current, current+1))

	// A migration that fails leaves the version and the tables unchanged.
	failing := extended("ALTER TABLE brokerage.settings ADD COLUMN half text; SELECT 1/0")
	_, err = Open(t.Context(), url, Options{migrations: failing})
	require.ErrorContains(t, err, "9999_more.sql")
	s := opened(t, url, Options{})
	require.Zero(t, value[int](t, s.pool,
		"SELECT count(*) FROM pg_attribute WHERE attrelid = 'brokerage.settings'::regclass AND attname = 'half'"))

	var notices []string
	s = opened(t, url, Options{migrations: later, Notice: func(text string) { notices = append(notices, text) }})
	notice := fmt.Sprintf("the database is being migrated from version %d to %d", current, current+1)
	require.Equal(t, []string{notice}, notices)
	require.NoError(t, s.Ready(t.Context()))

	_, err = Open(t.Context(), url, Options{})
	require.ErrorContains(t, err, fmt.Sprintf(
		"the database has schema version %d, but this program supports up to %d: use a newer release", current+1, current))
}

// On partitions and on a cluster, a migration that dies half-way leaves everything as it was, and the same command
// finishes it. Each migration makes the functions of the layout again.
func TestMigrate_Partitioned(t *testing.T) {
	server := pgtest.Shared(t)
	url := server.URL(server.Database(t))
	migratesSpread(t, layoutPartitioned, url+partitioned, url)
}

func TestMigrate_Citus(t *testing.T) {
	cluster := pgtest.StartCluster(t, 2)
	database := cluster.Database(t)
	migratesSpread(t, layoutCitus, cluster.URL(database, 0)+"&layout=citus&shards=4",
		cluster.URL(database, 0), cluster.URL(database, 1), cluster.URL(database, 2))
	cluster.RequireNothingPrepared(t)
}

func migratesSpread(t *testing.T, layout, url string, nodes ...string) {
	d := generator(t, "tiny")
	all := spreadMigrations(layout, 4)
	with := func(sql string) Options {
		later := newMigration(len(all)+1, "migrations/spread/9999_more.sql", sql)
		return Options{migrations: append(slices.Clone(all), later)}
	}
	const die = "SELECT pg_terminate_backend(pg_backend_pid());"
	requireEverywhere := func(condition string) {
		for _, node := range nodes {
			conn, err := pgx.Connect(t.Context(), node)
			require.NoError(t, err)
			require.True(t, value[bool](t, conn, "SELECT "+condition), "%s: %s", node, condition)
			require.NoError(t, conn.Close(t.Context()))
		}
	}
	var unavailable *tpox.Unavailable
	require.ErrorAs(t, errOf(Open(t.Context(), url, with(die))), &unavailable)
	requireEverywhere("to_regnamespace('brokerage') IS NULL")

	s := opened(t, url, Options{})
	require.NoError(t, s.LoadDataset(t.Context(), d, nil))
	price, err := s.SecurityPrice(t.Context(), d.Symbol(1))
	require.NoError(t, err)
	require.NoError(t, errOf(s.pool.Exec(t.Context(), `CREATE OR REPLACE FUNCTION brokerage.security_price(doc xml)
		RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT 'as an earlier program answered' $$`)))
	const (
		add    = "ALTER TABLE brokerage.orders ADD COLUMN note text;"
		column = "(SELECT FROM pg_attribute WHERE attrelid = 'brokerage.orders'::regclass AND attname = 'note')"
		older  = "pg_get_functiondef('brokerage.security_price(xml)'::regprocedure) LIKE '%earlier program%'"
	)
	requireEverywhere(older)
	require.ErrorAs(t, errOf(Open(t.Context(), url, with(add+die))), &unavailable)
	requireEverywhere("NOT EXISTS " + column)
	requireEverywhere(older)

	s = opened(t, url, with(add))
	from, to := s.Migrated()
	require.Equal(t, []int{len(all), len(all) + 1}, []int{from, to})
	requireEverywhere("EXISTS " + column)
	requireEverywhere("NOT " + older)
	answer, err := s.SecurityPrice(t.Context(), d.Symbol(1))
	require.NoError(t, err)
	require.Equal(t, price, answer)
	tag, err := s.pool.Exec(t.Context(), "UPDATE brokerage.orders SET note = 'in each part'")
	require.NoError(t, err)
	require.Equal(t, d.Count(dataset.Order), tag.RowsAffected())
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
		for s, before := range map[*Store]int{s: len(other.schema.migrations), other: 0} {
			from, to := s.Migrated()
			require.Equal(t, []int{before, len(other.schema.migrations)}, []int{from, to})
		}
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
			UNION ALL SELECT indexdef FROM pg_indexes WHERE schemaname = 'brokerage'
			UNION ALL SELECT version || file FROM brokerage.schema_versions) AS schema (line)`)
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
	require.ErrorContains(t, err, "role apart may not change that: brokerage migrate does, as the owner (docs/scaling.md)")
	cluster.Nodes[0].Exec(t, database, "CREATE SCHEMA brokerage AUTHORIZATION apart")
	require.NoError(t, opened(t, as(database, "apart", 0), Options{}).Close())
}

// roles gets URLs of the owner, and of the service where it would create tables and where it serves.
func roles(t *testing.T, owns, service, serves string, alsoForbidden ...string) {
	_, err := Open(t.Context(), service, Options{})
	require.ErrorContains(t, err, "role brokerage_service may not change that: brokerage migrate does, as the owner")

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
		"ALTER TABLE brokerage.orders DISABLE TRIGGER ALL", "UPDATE brokerage.schema_versions SET version = 2",
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

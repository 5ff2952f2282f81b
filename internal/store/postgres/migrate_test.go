package postgres

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/require"

	"brokerage/internal/brokerage"
	"brokerage/internal/dataset"
	"brokerage/internal/store/postgres/pgtest"
	"brokerage/internal/store/storetest"
)

// Replicas that start together on an empty database all find it ready.
func TestMigrate_TenAtOnce(t *testing.T) {
	server := pgtest.Shared(t)
	url := server.URL(server.Database(t))
	var all sync.WaitGroup
	errs := make([]error, 10)
	for i := range errs {
		all.Go(func() {
			s, err := Open(t.Context(), url, Options{Pool: 2})
			if err == nil {
				_, err = s.Lease(t.Context(), "order", 1)
				err = errors.Join(err, s.Close())
			}
			errs[i] = err
		})
	}
	all.Wait()
	require.NoError(t, errors.Join(errs...))
	s := opened(t, url, Options{})
	var applied int
	require.NoError(t, s.pool.QueryRow(t.Context(), "SELECT count(*) FROM brokerage.schema_versions").Scan(&applied))
	require.Equal(t, current(t), applied)
}

// extended are the migrations of a later program.
func extended(t testing.TB, statements string) fstest.MapFS {
	t.Helper()
	files := fstest.MapFS{"migrations/9999_more.sql": {Data: []byte(statements)}}
	_, names, err := Options{}.migrations()
	require.NoError(t, err)
	for _, name := range names {
		text, err := embedded.ReadFile(name)
		require.NoError(t, err)
		files[name] = &fstest.MapFile{Data: text}
	}
	return files
}

// current is the version of the schema that this program makes.
func current(t testing.TB) int {
	t.Helper()
	_, names, err := Options{}.migrations()
	require.NoError(t, err)
	return len(names)
}

func TestMigrate_Versions(t *testing.T) {
	server := pgtest.Shared(t)
	url := server.URL(server.Database(t))
	_, err := Open(t.Context(), url, Options{AsIs: true})
	require.ErrorContains(t, err, "the database is empty")

	require.NoError(t, opened(t, url, Options{}).Close())
	later := extended(t, "ALTER TABLE brokerage.settings ADD COLUMN note text")
	_, err = Open(t.Context(), url, Options{AsIs: true, files: later})
	require.ErrorContains(t, err,
		fmt.Sprintf("the database has schema version %d, and this program has %d", current(t), current(t)+1))

	// One that fails leaves the version and the tables as they were.
	failing := extended(t, "ALTER TABLE brokerage.settings ADD COLUMN half text; SELECT 1/0")
	_, err = Open(t.Context(), url, Options{files: failing})
	require.ErrorContains(t, err, "9999_more.sql")
	s := opened(t, url, Options{})
	var columns int
	scan(t, s.pool, []any{&columns},
		"SELECT count(*) FROM pg_attribute WHERE attrelid = 'brokerage.settings'::regclass AND attname = 'half'")
	require.Zero(t, columns)

	var notices []string
	s = opened(t, url, Options{files: later, Notice: func(text string) { notices = append(notices, text) }})
	notice := fmt.Sprintf("the database is being migrated from version %d to %d", current(t), current(t)+1)
	require.Equal(t, []string{notice}, notices)
	require.NoError(t, s.Ready(t.Context()))

	_, err = Open(t.Context(), url, Options{})
	require.ErrorContains(t, err, fmt.Sprintf(
		"the database has schema version %d, and this program knows up to %d: use a newer one", current(t)+1, current(t)))
}

// The script, run by hand, makes what Open makes, to the last function.
func TestScript(t *testing.T) {
	server := pgtest.Shared(t)
	script, err := Script()
	require.NoError(t, err)
	byHand, byOpen := server.Database(t), server.Database(t)
	server.Exec(t, byHand, script)
	s := opened(t, server.URL(byHand), Options{AsIs: true})
	from, to := s.Migrated()
	require.Equal(t, []int{current(t), current(t)}, []int{from, to})
	other := opened(t, server.URL(byOpen), Options{})
	from, to = other.Migrated()
	require.Equal(t, []int{0, current(t)}, []int{from, to})
	schema := func(s *Store) (all []string) {
		rows, err := s.pool.Query(t.Context(), `SELECT 'column ' || attrelid::regclass || attname ||
				format_type(atttypid, atttypmod) || attnotnull || attcompression::text
			FROM pg_attribute JOIN pg_class AS c ON c.oid = attrelid
			WHERE relnamespace = 'brokerage'::regnamespace AND attnum > 0
			UNION ALL SELECT 'class ' || relname || relkind::text || coalesce(reloptions::text, '') FROM pg_class
			WHERE relnamespace = 'brokerage'::regnamespace
			UNION ALL SELECT pg_get_functiondef(oid) FROM pg_proc WHERE pronamespace = 'brokerage'::regnamespace
			UNION ALL SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE connamespace = 'brokerage'::regnamespace
			UNION ALL SELECT pg_get_triggerdef(oid) FROM pg_trigger
			UNION ALL SELECT indexdef FROM pg_indexes WHERE schemaname = 'brokerage'
			UNION ALL SELECT version || file FROM brokerage.schema_versions ORDER BY 1`)
		require.NoError(t, err)
		all, err = pgx.CollectRows(rows, pgx.RowTo[string])
		require.NoError(t, err)
		return all
	}
	require.Greater(t, len(schema(s)), 50)
	require.Equal(t, schema(other), schema(s))
}

func TestMigrate_SomebodyElses(t *testing.T) {
	server := pgtest.Shared(t)
	database := server.Database(t)
	server.Exec(t, database, "CREATE SCHEMA brokerage; CREATE TABLE brokerage.things (id int)")
	_, err := Open(t.Context(), server.URL(database), Options{})
	require.ErrorContains(t, err, "not of this program")
}

// The owner of the schema is no superuser, and the service's role may change documents and nothing else.
func TestRoles(t *testing.T) {
	server := pgtest.Start(t)
	server.Exec(t, "postgres", `CREATE ROLE brokerage_owner LOGIN; CREATE ROLE brokerage_service LOGIN`)
	server.Exec(t, "postgres", "CREATE DATABASE app OWNER brokerage_owner TEMPLATE template0")
	service := server.URLOf("brokerage_service", "app")

	_, err := Open(t.Context(), service, Options{})
	require.ErrorContains(t, err, "role brokerage_service may not change that: brokerage migrate does, as the owner")

	d := generator(t, "tiny")
	owner := opened(t, server.URLOf("brokerage_owner", "app"), Options{})
	err = opened(t, service, Options{}).LoadDataset(t.Context(), d, nil)
	require.ErrorContains(t, err, "loading is for the owner to do, and role brokerage_service is not")
	require.NoError(t, owner.LoadDataset(t.Context(), d, nil))
	require.NoError(t, owner.Close())

	s := opened(t, service, Options{})
	require.NoError(t, s.Ready(t.Context()))
	for _, call := range storetest.Calls(t, s, d) {
		require.NoError(t, call.Do(t.Context()), call.Name)
	}
	_, err = s.Lease(t.Context(), "order", 10)
	require.NoError(t, err)
	once := now()
	once.Once = &brokerage.Once{Client: "c", Key: "k", Expires: time.Now().Add(time.Hour)}
	require.NoError(t, s.DeleteOrder(t.Context(), once, brokerage.ID(d.ID(dataset.Order, 0))))

	for _, forbidden := range []string{
		"INSERT INTO brokerage.accounts VALUES (1, 2)", "DELETE FROM brokerage.accounts", "TRUNCATE brokerage.orders",
		"CREATE TABLE brokerage.mine (id int)", "CREATE TABLE public.mine (id int)", "DROP INDEX brokerage.orders_cash",
		"ALTER TABLE brokerage.orders DISABLE TRIGGER ALL", "UPDATE brokerage.schema_versions SET version = 2",
		"CREATE ROLE other",
	} {
		_, err := s.pool.Exec(context.Background(), forbidden)
		driver, ok := errors.AsType[*pgconn.PgError](err)
		require.True(t, ok, "%s: %v", forbidden, err)
		require.Equal(t, insufficientPrivilege, driver.Code, forbidden)
	}
}

// Whoever writes a document, its keys are those of the document, and its accounts follow it.
func TestSchema_Keys(t *testing.T) {
	s, d, _, _ := tiny(t)
	exec := func(sql string, args ...any) error {
		_, err := s.pool.Exec(t.Context(), sql, args...)
		return err
	}
	id := d.ID(dataset.Customer, 0)
	require.Error(t, exec("UPDATE brokerage.customers SET keys = keys"))
	require.NoError(t, exec("UPDATE brokerage.customers SET doc = $2::text::xml WHERE (keys).id = $1",
		id, customer(d, 77, 78, 79)))
	_, err := s.GetCustomer(t.Context(), brokerage.ID(id))
	require.Error(t, err)
	for _, account := range []brokerage.ID{78, 79} {
		owner, err := s.CustomerOf(t.Context(), account)
		require.NoError(t, err)
		require.Equal(t, brokerage.ID(77), owner)
	}
	_, err = s.CustomerOf(t.Context(), brokerage.ID(d.FirstAccount(0)))
	require.Error(t, err)

	// The same accounts under another id of their customer.
	require.NoError(t, exec("UPDATE brokerage.customers SET doc = $1::text::xml WHERE (keys).id = 77",
		customer(d, 80, 78, 79)))
	owner, err := s.CustomerOf(t.Context(), 79)
	require.NoError(t, err)
	require.Equal(t, brokerage.ID(80), owner)

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
	var accounts int
	require.NoError(t, s.pool.QueryRow(t.Context(), "SELECT count(*) FROM brokerage.accounts").Scan(&accounts))
	require.Zero(t, accounts)
}

// An order knows whose account it was for.
func TestSchema_OrderKnowsCustomer(t *testing.T) {
	s, d, _, _ := tiny(t)
	var unknown, wrong int
	require.NoError(t, s.pool.QueryRow(t.Context(), `SELECT
			count(*) FILTER (WHERE o.customer IS NULL), count(*) FILTER (WHERE o.customer <> a.customer)
		FROM brokerage.orders AS o JOIN brokerage.accounts AS a ON a.account = (o.keys).account`).Scan(&unknown, &wrong))
	require.Zero(t, unknown)
	require.Zero(t, wrong)
	for id, owned := range map[int64]bool{5: true, 6: false} {
		account := int64(7)
		if owned {
			account = d.FirstAccount(2)
		}
		_, err := s.InsertOrder(t.Context(), now(), d.AppendNewOrder(nil, 1, dataset.NewOrder{ID: id, Account: account}))
		require.NoError(t, err)
		var customer *int64
		scan(t, s.pool, []any{&customer}, "SELECT customer FROM brokerage.orders WHERE (keys).id = $1", id)
		if owned {
			require.Equal(t, d.ID(dataset.Customer, 2), *customer)
		} else {
			require.Nil(t, customer)
		}
	}
}

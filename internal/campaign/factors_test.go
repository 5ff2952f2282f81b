package campaign

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/dataset"
	"brokerage/internal/store"
	"brokerage/internal/store/postgres/pgtest"
	"brokerage/internal/store/sqlite"
	"brokerage/internal/tpox"
)

// designedEngine has a design in the same database, and notes what is done to the database.
type designedEngine struct {
	fakeEngine

	did *[]string
}

func (e designedEngine) As(Variant) Subject { return e }

func (designedEngine) Designs() []Variant {
	return []Variant{designVariant(factorIndexes, fewIndexes, "fewer")}
}

func (designedEngine) Absent() []Absent { return []Absent{{factorPools, "it has one"}} }

func (e designedEngine) Tune(context.Context) error   { return e.note("tune") }
func (e designedEngine) Untune(context.Context) error { return e.note("untune") }

func (e designedEngine) Restore(ctx context.Context) (Copy, error) {
	_ = e.note("restore")
	return e.fakeEngine.Restore(ctx)
}

func (e designedEngine) note(what string) error {
	*e.did = append(*e.did, what)
	return nil
}

// With factors, a design is measured at least three times from documents that were stored again, also after a workload
// that changes nothing, and so is what follows it.
func TestCampaign_Factors(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.small = true
	var did []string
	r := w.completed(func(c *Campaign) {
		c.Subject = designedEngine{w.engine(), &did}
		c.Settings.Factors, c.Settings.Tuned = true, false
		c.Settings.Workloads, c.Settings.Stages = []string{query}, 0
	})
	require.Equal(t, []Absent{{factorPools, "it has one"}}, r.Absent)
	few := stepOf(t, r, func(s Step) bool { return s.Variant != nil && s.Variant.Design == fewIndexes })
	require.Equal(t, "few indexes: query, 2 users", few.Name)
	require.Len(t, few.Runs, referenceRepeats)
	require.Equal(t, fewIndexes, few.Runs[0].Run.Settings["design"])
	require.True(t, strings.HasSuffix(strings.Join(did, " "), "tune restore untune restore"), "%v", did)

	// Without factors there are neither.
	w = newWorld(t)
	w.small = true
	r = w.completed(func(c *Campaign) { c.Subject = designedEngine{w.engine(), &did} })
	require.Empty(t, r.Absent)
	require.False(t, slices.ContainsFunc(r.Steps, func(s Step) bool { return s.Variant != nil && s.Variant.Design != "" }))
}

// Every factor is measured or absent, on every store, and every variant of a factor says why it is there.
func TestEngines_Factors(t *testing.T) {
	all := []string{factorCompression, factorIndexes, factorInlining, factorPools, factorDurability}
	for _, url := range []string{"sqlite:" + t.TempDir() + "/b.db", "postgres://u@h/d", "postgres://u@h/d?distribute=true",
		"db2://u@h/d"} {
		e, err := Open(url, t.TempDir(), Commands{})
		require.NoError(t, err)
		var names []string
		for _, v := range (Settings{Factors: true}).variants(e, 2) {
			require.NotContains(t, names, v.Name, url)
			require.NotEmpty(t, v.Description, v.Name)
			names = append(names, v.Name)
		}
		for _, factor := range all {
			has := slices.ContainsFunc((Settings{Factors: true}).variants(e, 2), func(v Variant) bool {
				return v.Factor == factor
			})
			absent := slices.ContainsFunc(e.Absent(), func(a Absent) bool { return a.Factor == factor && a.Reason != "" })
			require.NotEqual(t, has, absent, "%s: %s", url, factor)
		}
	}
}

// The designs of the embedded store are in the restored file, and the next restore without one removes them.
func TestSQLite_Designs(t *testing.T) {
	t.Parallel()
	e, err := Open("sqlite:"+t.TempDir()+"/b.db", t.TempDir(), Commands{})
	require.NoError(t, err)
	loadTiny(t, e)
	plain := indexesOf(t, e)
	require.Contains(t, plain, "orders_cash")
	for _, v := range e.Designs() {
		designed := e.As(v)
		require.Equal(t, e.URL(), designed.URL())
		_, err := designed.Restore(t.Context())
		require.NoError(t, err)
		switch indexes := indexesOf(t, e); v.Name {
		case fewIndexes:
			require.Len(t, indexes, len(plain)-3)
		case manyIndexes:
			require.Len(t, indexes, len(plain)+8)
		}
		requireWorks(t, e.URL())
		_, err = e.Restore(t.Context())
		require.NoError(t, err)
		require.Equal(t, plain, indexesOf(t, e))
	}
}

func loadTiny(t testing.TB, e Subject) {
	t.Helper()
	require.NoError(t, e.Create(t.Context()))
	require.NoError(t, e.Load(t.Context(), dataset.New(dataset.Spec{Seed: 1}), func(int, int64) {}))
	_, err := e.Backup(t.Context())
	require.NoError(t, err)
}

func indexesOf(t testing.TB, e Subject) (names []string) {
	t.Helper()
	db, err := sqlite.OpenFile(e.(sqliteSubject).path)
	require.NoError(t, err)
	defer func() { require.NoError(t, db.Close()) }()
	rows, err := db.QueryContext(t.Context(), "SELECT name FROM sqlite_schema WHERE type = 'index' ORDER BY name")
	require.NoError(t, err)
	defer func() { require.NoError(t, rows.Close()) }()
	for rows.Next() {
		var name string
		require.NoError(t, rows.Scan(&name))
		names = append(names, name)
	}
	require.NoError(t, rows.Err())
	return names
}

// requireWorks requires that a store answers a query for which it has an index by default.
func requireWorks(t testing.TB, url string) {
	t.Helper()
	s, err := store.Open(t.Context(), url, store.Options{})
	require.NoError(t, err)
	_, err = s.CustomerMaxOrder(t.Context(), tpox.ID(1002))
	require.NoError(t, err)
	require.NoError(t, s.Close())
}

// What a design changes is in the tables after a restore, and is gone after another one, also when the campaign was
// killed meanwhile.
func TestPostgres_Designs(t *testing.T) {
	t.Parallel()
	server := pgtest.Start(t)
	e := postgresIn(t, server.URL("postgres"))
	loadTiny(t, e)
	conn := server.Connect(t, "postgres")
	value := func(query string) (text string) {
		require.NoError(t, conn.QueryRow(t.Context(), query).Scan(&text))
		return text
	}
	const (
		storage = `SELECT string_agg(attstorage::text || ' ' || attcompression::text, ', ' ORDER BY relname)
			FROM pg_attribute JOIN pg_class AS c ON c.oid = attrelid
			WHERE attname = 'doc' AND relkind = 'r' AND relnamespace = 'brokerage'::regnamespace`
		options = "SELECT coalesce(string_agg(reloptions::text, ' ' ORDER BY relname), '') FROM pg_class " +
			"WHERE relnamespace = 'brokerage'::regnamespace AND relkind = 'r'"
		indexes = "SELECT string_agg(indexname, ' ' ORDER BY indexname) FROM pg_indexes WHERE schemaname = 'brokerage'"
	)
	state := func() [3]string { return [3]string{value(storage), value(options), value(indexes)} }
	toasted := func() (bytes int64) {
		require.NoError(t, conn.QueryRow(t.Context(), `SELECT pg_relation_size(reltoastrelid) FROM pg_class
			WHERE oid = 'brokerage.customers'::regclass`).Scan(&bytes))
		return bytes
	}
	plain, outOfLine := state(), toasted()
	for _, v := range e.Designs() {
		if v.Design == "" {
			continue
		}
		designed := e.As(v)
		require.NoError(t, designed.Tune(t.Context()))
		_, err := designed.Restore(t.Context())
		require.NoError(t, err, v.Name)
		now := state()
		require.NotEqual(t, plain, now, v.Name)
		switch v.Name {
		case uncompressed:
			require.Equal(t, 3, strings.Count(now[0], "e"), now[0])
			require.Greater(t, toasted(), outOfLine)
		case inlined:
			require.Equal(t, 3, strings.Count(now[1], "toast_tuple_target=8160"), now[1])
			require.Less(t, toasted(), outOfLine)
		case fewIndexes:
			require.NotContains(t, now[2], "security_search_sector")
		case manyIndexes:
			require.Equal(t, 9, strings.Count(now[2], "more_"), now[2])
		}
		requireWorks(t, e.URL())
		// The campaign was killed: another process finds the note.
		require.NoError(t, e.Untune(t.Context()))
		_, err = e.Restore(t.Context())
		require.NoError(t, err)
		require.Equal(t, plain, state(), v.Name)
	}
}

// Asynchronous commits are a parameter of the service's URL alone, and the result says that they are not durable.
func TestPostgres_Durability(t *testing.T) {
	t.Parallel()
	server := pgtest.Start(t, "fsync=on", "full_page_writes=on", "synchronous_commit=on")
	e := postgresIn(t, server.URL("postgres"))
	loadTiny(t, e)
	durable, err := e.Describe(t.Context())
	require.NoError(t, err)
	i := slices.IndexFunc(e.Designs(), func(v Variant) bool { return v.Factor == factorDurability })
	v := e.Designs()[i]
	require.Equal(t, e.URL(), e.As(v).URL())
	is, err := e.As(v).Describe(t.Context())
	require.NoError(t, err)
	require.NotEqual(t, durable.Durability, is.Durability)
	require.Equal(t, "off", is.Settings["synchronous_commit"])
	r := running{Campaign: &Campaign{}}
	require.Contains(t, r.serviceSettings(e, &v).DB, "synchronous_commit=off")
}

func TestWithParameters(t *testing.T) {
	require.Equal(t, "db2://h/d", withParameters("db2://h/d", ""))
	require.Equal(t, "db2://h/d?a=b", withParameters("db2://h/d", "a=b"))
	require.Equal(t, "db2://h/d?c=d&a=b", withParameters("db2://h/d?c=d", "a=b"))
}

package postgres

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/dataset"
	"brokerage/internal/store/postgres/pgtest"
	"brokerage/internal/store/storetest"
	"brokerage/internal/tpox"
)

const pure = "&mode=pure"

// What the store declares of each transaction is what its statements do, in every layout and mode.
func TestFaithful(t *testing.T) {
	d := generator(t, "tiny")
	for _, parameters := range []string{"", partitioned, pure} {
		t.Run("URL"+parameters, func(t *testing.T) {
			var tracer storetest.Tracer
			s := opened(t, loaded(t, d, parameters)+parameters, Options{Trace: tracer.Begin})
			storetest.Faithful(t, s, d, &tracer, s.sql)
			declared := s.Describe().Faithful
			require.Equal(t, parameters == pure, declared["search_securities"] == tpox.InDatabase)
			require.Equal(t, parameters == pure, declared["customer_max_order"] == tpox.InDatabase)
		})
	}
}

// A mode that the database does not have is refused in one line; without one, the store finds it.
func TestMode_Refused(t *testing.T) {
	d := generator(t, "tiny")
	refused := func(layout, asked, says string) {
		t.Helper()
		_, err := Open(t.Context(), loaded(t, d, layout)+asked, Options{})
		require.ErrorContains(t, err, says)
	}
	refused("", pure, "the database has the mode keys, and the URL asks for pure: brokerage backup and restore copy it")
	refused(pure, "&mode=keys", "the database has the mode pure, and the URL asks for keys")
	refused(partitioned, pure, errPureSpread.Error())

	url := loaded(t, d, pure)
	s := opened(t, url, Options{})
	require.Contains(t, s.Describe().Settings, Setting{Name: "mode", Value: modePure})
	require.True(t, indexed(t, s))
	require.NoError(t, s.Empty(t.Context()))
	require.NoError(t, s.Close())
	s = opened(t, url, Options{})
	require.Equal(t, modePure, s.mode, "it stays when the database is emptied")
}

// No value that a search uses has an index or a statistic of its own beside the documents: the indexes are on
// expressions over them, and the planner uses them already with a quarter of the documents of XXXS.
func TestPlans_Pure(t *testing.T) {
	if testing.Short() {
		t.Skip("loads thousands of documents")
	}
	d := aQuarter()
	conn := pgtest.Shared(t).Connect(t, template(t, d, pure))
	for _, index := range []string{"orders_cash", "securities_search"} {
		definition := value[string](t, conn, "SELECT pg_get_indexdef('brokerage."+index+"'::regclass)")
		require.NotContains(t, definition, "(keys)", index)
		require.Contains(t, definition, "(doc)", index)
	}
	requireIndexes(t, conn, pureStatements["search_securities"], "'Energy', 210000, 260000, 50000",
		[]string{"securities_search"})
	requireIndexes(t, conn, pureStatements["customer_max_order"],
		fmt.Sprintf("%d, 65536", d.ID(dataset.Customer, d.Count(dataset.Customer)/2)),
		[]string{"customers_id", "orders_cash"})
}

// A backup of a database with keys is restored into a pure one, and the other way round. Both answer the same.
func TestRestore_OtherMode(t *testing.T) {
	s, d, server, _ := tiny(t)
	other := opened(t, server.URL(server.Database(t))+pure, Options{})
	require.NoError(t, errOf(other.Restore(t.Context(), backedUpTo(t, s), false, nil)))
	require.NoError(t, other.Ready(t.Context()))
	require.Empty(t, verified(t, other))
	for k := range d.Count(dataset.Customer) {
		id := tpox.ID(d.ID(dataset.Customer, k))
		want, err := s.CustomerMaxOrder(t.Context(), id)
		require.NoError(t, err)
		got, err := other.CustomerMaxOrder(t.Context(), id)
		require.NoError(t, err)
		require.Equal(t, string(want), string(got))
	}
	hits := 0
	for _, sector := range dataset.Sectors() {
		search := tpox.Search{Sector: sector, PEMin: 200000, PEMax: 270000, YieldMin: 40000}
		want, err := s.SearchSecurities(t.Context(), search)
		require.NoError(t, err)
		got, err := other.SearchSecurities(t.Context(), search)
		require.NoError(t, err)
		require.Equal(t, string(want), string(got))
		hits += len(want)
	}
	require.Greater(t, hits, 20*len(dataset.Sectors()), "a search has found something")
	back := opened(t, server.URL(server.Database(t)), Options{})
	require.NoError(t, errOf(back.Restore(t.Context(), backedUpTo(t, other), false, nil)))
	require.Empty(t, verified(t, back))
	require.Equal(t, modeKeys, back.mode)
}

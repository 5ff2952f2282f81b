package report

import (
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/tpox"
)

// ofPostgres says of each transaction what the store in PostgreSQL says.
var ofPostgres = tpox.FidelityBy(func(t *tpox.Transaction) tpox.Fidelity {
	switch {
	case t.Kind == tpox.Update:
		return tpox.EditedInService
	case t.Kind == tpox.Delete, t.Name == "search_securities", t.Name == "customer_max_order":
		return tpox.FromColumns
	default:
		return tpox.InDatabase
	}
})

// The reason is weighted by the mix: 58 = 5 queries of 10 and inserts of 8, 28 = 2 queries of 10 and deletes of 8.
func TestUnfaithful(t *testing.T) {
	mixed, insert := run("mixed", 100, 1000), run("insert-orders", 100, 1000)
	require.Equal(t, "not recorded how faithful the store is", unfaithful(&mixed))
	mixed.Faithful, insert.Faithful = ofPostgres, ofPostgres
	require.Equal(t, "XML in the database for only 58 % of the load (28 % keys extracted, answered from columns, "+
		"14 % edited in the service)", unfaithful(&mixed))
	require.Empty(t, unfaithful(&insert))
}

// Pages of runs and campaigns list the transactions of each kind, and a comparison says when two stores differ.
func TestWriteHTML_Faithful(t *testing.T) {
	const text = "keys extracted, answered from columns: search_securities, customer_max_order, delete_order, " +
		"delete_customer"
	a, b, c := run("mixed", 100, 1000), run("mixed", 100, 1000), madeUpCampaign()
	a.Faithful, groupsOf(c)[0].Run.Faithful = ofPostgres, ofPostgres
	b.Faithful = tpox.FidelityBy(func(*tpox.Transaction) tpox.Fidelity { return tpox.InDatabase })
	require.Contains(t, html(t, &File{Run: &a}), text)
	require.Contains(t, html(t, FromCampaign(c)), text)
	shown := compared(t, &File{Name: "a.json", Run: &a}, &File{Name: "b.json", Run: &b})
	require.Contains(t, shown, text)
	require.Contains(t, shown, "XML in the database: every transaction")
}

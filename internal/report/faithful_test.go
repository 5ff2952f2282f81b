package report

import (
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/tpox"
)

// partly is the fidelity of a store that does some of the work on XML in the database.
var partly = tpox.FidelityBy(func(t *tpox.Transaction) tpox.Fidelity {
	switch t.Kind {
	case tpox.Update:
		return tpox.EditedInService
	case tpox.Delete:
		return tpox.FromColumns
	default:
		return tpox.InDatabase
	}
})

// The shares in the reason are weighted by the mix.
func TestUnfaithful(t *testing.T) {
	mixed, insert := run("mixed", 100, 1000), run("insert-orders", 100, 1000)
	require.Equal(t, "not recorded whether the store works on XML in the database", unfaithful(&mixed))
	mixed.Faithful, insert.Faithful = partly, partly
	require.Equal(t, "XML in the database for only 78 % of the load (8 % keys extracted, answered from columns, "+
		"14 % edited in the service)", unfaithful(&mixed))
	require.Empty(t, unfaithful(&insert))
}

// Pages of runs and campaigns list the transactions of each fidelity, and a comparison shows where two stores differ.
func TestWriteHTML_Faithful(t *testing.T) {
	const text = "keys extracted, answered from columns: delete_order, delete_customer"
	a, b, c := run("mixed", 100, 1000), run("mixed", 100, 1000), madeUpCampaign()
	a.Faithful, groupsOf(c)[0].Run.Faithful = partly, partly
	b.Faithful = tpox.FidelityBy(func(*tpox.Transaction) tpox.Fidelity { return tpox.InDatabase })
	require.Contains(t, html(t, &File{Run: &a}), text)
	require.Contains(t, html(t, FromCampaign(c)), text)
	shown := compared(t, &File{Name: "a.json", Run: &a}, &File{Name: "b.json", Run: &b})
	require.Contains(t, shown, text)
	require.Contains(t, shown, "XML in the database: every transaction")
}

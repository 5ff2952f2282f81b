package db2

import (
	"database/sql/driver"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/store"
)

// monitor returns a watcher of a fake that answers the queries of Observe.
func monitor(t testing.TB, failing map[string]error) *Observer {
	t.Helper()
	return &Observer{open(t, &fake{answer: func(query string, _ []driver.Value) (answer, error) {
		name := nameOf(query)
		if err := failing[name]; err != nil {
			return answer{}, err
		}
		var rows [][]driver.Value
		switch name {
		case "observe_database":
			row := make([]driver.Value, len(databaseFigures))
			for i := range row {
				row[i] = int64(1000 * (i + 1))
			}
			row[1] = nil // a server that does not count it
			rows = [][]driver.Value{row}
		case "observe_pools":
			rows = [][]driver.Value{{"TPOX_BP_ORDERS   ", int64(1000), int64(100)}, {"IBMDEFAULTBP", int64(5), int64(9)}}
		case "observe_statements":
			rows = [][]driver.Value{
				{statements["get_order"] + "  ", int64(10), int64(500), int64(9)},
				{statements["get_order"], int64(5), int64(250), int64(5)},
				{"SELECT 1 FROM sysibm.sysdummy1", int64(1), int64(0), int64(1)},
			}
		}
		return answer{rows: rows}, nil
	}})}
}

func TestObserve(t *testing.T) {
	w := monitor(t, nil)
	server, err := w.Observe(t.Context(), true)
	require.NoError(t, err)
	require.InDelta(t, 1000, server.Figures["db2_commits_total"], 0)
	require.NotContains(t, server.Figures, "db2_rollbacks_total")
	require.InDelta(t, 0.003, server.Figures["db2_cpu_seconds_total"], 1e-9)
	require.InDelta(t, 5.0, server.Figures["db2_lock_wait_seconds_total"], 1e-9)
	require.InDelta(t, 15000, server.Figures["db2_waiting_lock"], 0)
	require.Equal(t, []store.PoolStats{
		{Name: "TPOX_BP_ORDERS", Hits: 900, Misses: 100}, {Name: "IBMDEFAULTBP", Misses: 9},
	}, server.Pools)
	require.Empty(t, server.Missing)
	require.ElementsMatch(t, []store.StatementStats{
		{Name: "get_order", Text: statements["get_order"], Calls: 15, Seconds: .75, Rows: 14},
		{Text: "SELECT 1 FROM sysibm.sysdummy1", Calls: 1, Rows: 1},
	}, server.Statements)

	server, err = w.Observe(t.Context(), false)
	require.NoError(t, err)
	require.Empty(t, server.Statements)
	require.Zero(t, w.Process())
}

// A user who may not call a function gets the rest, and one who may call none gets an error.
func TestObserve_Refused(t *testing.T) {
	refused := failure(-551, "42501")
	server, err := monitor(t, map[string]error{"observe_statements": refused}).Observe(t.Context(), true)
	require.NoError(t, err)
	require.Len(t, server.Pools, 2)
	require.Len(t, server.Missing, 1)
	require.Contains(t, server.Missing[0], "MON_GET_PKG_CACHE_STMT")
	w := monitor(t, map[string]error{"observe_database": refused, "observe_pools": refused})
	_, err = w.Observe(t.Context(), false)
	require.ErrorIs(t, err, refused)
}

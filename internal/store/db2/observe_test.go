package db2

import (
	"database/sql/driver"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/dataset"
	"brokerage/internal/store"
)

func TestPools(t *testing.T) {
	var refused error
	w := &Observer{open(t, &fake{answer: func(string, []driver.Value) (answer, error) {
		rows := [][]driver.Value{{"TPOX_BP_ORDERS   ", int64(1000), int64(100)}, {"IBMDEFAULTBP", int64(5), int64(9)}}
		return answer{rows: rows}, refused
	}})}
	pools, err := w.Pools(t.Context())
	require.NoError(t, err)
	require.Equal(t, []store.PoolStats{
		{Name: "TPOX_BP_ORDERS", Hits: 900, Misses: 100}, {Name: "IBMDEFAULTBP", Misses: 9},
	}, pools)
	refused = failure(-551, stateNoPrivilege)
	_, err = w.Pools(t.Context())
	require.ErrorIs(t, err, refused)
}

// Counts fall only after the database was activated again, since readers interpret a fall in that way. A user who may
// not read one of the figures still gets the others.
func TestStats(t *testing.T) {
	var pages [2]int64
	var refused string
	s := open(t, &fake{answer: func(query string, _ []driver.Value) (answer, error) {
		switch name := nameOf(query); name {
		case refused:
			return answer{}, failure(-551, stateNoPrivilege)
		case "count_pages":
			return answer{rows: [][]driver.Value{{pages[0], pages[1]}}}, nil
		case "leased":
			return answer{rows: [][]driver.Value{{int64(105282)}}}, nil
		case "estimate_documents":
			return answer{rows: [][]driver.Value{{"ORDERS", int64(2000)}, {"CUSTACC", int64(0)}, {"SECURITY", int64(-1)}}}, nil
		default:
			return answer{rows: [][]driver.Value{{"ORDERS", int64(640), int64(64)}, {"LEASES", int64(16), int64(0)}}}, nil
		}
	}})
	for _, step := range []struct {
		name         string
		asked, read  int64
		hits, misses int64
	}{
		{"Begin", 1000, 100, 900, 100},
		{"Grow", 1200, 150, 1050, 150},
		{"ReadWhatWasAskedForBefore", 1200, 153, 1050, 153},
		{"Activated", 10, 10, 0, 10},
	} {
		pages = [2]int64{step.asked, step.read}
		stats := s.Stats()
		require.Equal(t, step.hits, stats.PageHits, step.name)
		require.Equal(t, step.misses, stats.PageMisses, step.name)
	}
	refused = "count_pages"
	stats := s.Stats()
	require.Equal(t, DefaultPool, stats.Connections)
	require.Equal(t, int64(1e15-105282), stats.IDsLeft["order"])
	require.Equal(t, int64(2000), stats.Kinds[dataset.Order].Documents)
	require.Equal(t, int64(640*1024), stats.Kinds[dataset.Order].Stored)
	require.True(t, stats.Kinds[dataset.Customer].Known, "RUNSTATS has counted none")
	require.False(t, stats.Kinds[dataset.Security].Known, "there was no RUNSTATS")
}

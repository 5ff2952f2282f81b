package db2

import (
	"database/sql/driver"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/dataset"
	"brokerage/internal/store/bulk"
)

// asServer returns a fake that answers the queries of Stats.
func asServer(pages *[2]int64, failing map[string]error) *fake {
	return &fake{answer: func(query string, _ []driver.Value) (answer, error) {
		name := nameOf(query)
		if err := failing[name]; err != nil {
			return answer{}, err
		}
		switch name {
		case "count_pages":
			return answer{rows: [][]driver.Value{{pages[0], pages[1]}}}, nil
		case "estimate_documents":
			return answer{rows: [][]driver.Value{{"ORDERS", int64(2000)}, {"CUSTACC", int64(0)}, {"SECURITY", int64(-1)}}}, nil
		default:
			return answer{rows: [][]driver.Value{
				{"ORDERS", int64(640), int64(64)}, {"CUSTACC", int64(16), int64(16)},
				{"SECURITY", int64(320), int64(32)}, {"LEASES", int64(16), int64(0)},
			}}, nil
		}
	}}
}

func TestStats(t *testing.T) {
	pages := [2]int64{1000, 100}
	s := openFake(t, asServer(&pages, nil))
	stats := s.Stats()
	require.Equal(t, DefaultPool, stats.Pool.MaxOpenConnections)
	require.Equal(t, [2]int64{900, 100}, [2]int64{stats.Hits, stats.Misses})
	require.Equal(t, bulk.Estimates{
		dataset.Order:    {Known: true, Documents: 2000, Stored: 640 * 1024},
		dataset.Customer: {Known: true, Stored: 16 * 1024}, // RUNSTATS has counted none
		dataset.Security: {Stored: 320 * 1024},             // there was no RUNSTATS
	}, stats.Kinds)
}

// Counts fall only when the database was activated again: a reader would take any fall for that.
func TestStats_Pages(t *testing.T) {
	var pages [2]int64
	s := openFake(t, asServer(&pages, nil))
	for _, step := range []struct{ askedRead, hitsMisses [2]int64 }{
		{[2]int64{1000, 100}, [2]int64{900, 100}},
		{[2]int64{1200, 150}, [2]int64{1050, 150}},
		{[2]int64{1200, 153}, [2]int64{1050, 153}}, // pages that were asked for before are read
		{[2]int64{1300, 160}, [2]int64{1140, 160}},
		{[2]int64{10, 10}, [2]int64{0, 10}}, // activated again
		{[2]int64{40, 15}, [2]int64{25, 15}},
	} {
		pages = step.askedRead
		stats := s.Stats()
		got := [2]int64{stats.Hits, stats.Misses}
		require.Equal(t, step.hitsMisses, got, "%v", step.askedRead)
	}
}

// A user who may not read one of the figures still gets the other.
func TestStats_Refused(t *testing.T) {
	pages := [2]int64{1000, 100}
	stats := openFake(t, asServer(&pages, map[string]error{"count_pages": failure(-551, "42501")})).Stats()
	require.Zero(t, stats.Hits)
	require.True(t, stats.Kinds[dataset.Order].Known)
	stats = openFake(t, asServer(&pages, map[string]error{"space": failure(-551, "42501")})).Stats()
	require.Equal(t, int64(900), stats.Hits)
	require.False(t, stats.Kinds[dataset.Order].Known)
}

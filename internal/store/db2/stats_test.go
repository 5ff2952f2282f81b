package db2

import (
	"database/sql/driver"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/dataset"
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
		case "leased":
			return answer{rows: [][]driver.Value{{int64(105282)}}}, nil
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
	s := open(t, asServer(&pages, nil))
	stats := s.Stats()
	require.Equal(t, DefaultPool, stats.Connections)
	require.Equal(t, int64(900), stats.PageHits)
	require.Equal(t, int64(100), stats.PageMisses)
	require.Equal(t, int64(1e15-105282), stats.IDsLeft["order"])
	require.True(t, stats.Kinds[dataset.Order].Known)
	require.Equal(t, int64(2000), stats.Kinds[dataset.Order].Documents)
	require.Equal(t, int64(640*1024), stats.Kinds[dataset.Order].Stored)
	require.True(t, stats.Kinds[dataset.Customer].Known, "RUNSTATS has counted none")
	require.False(t, stats.Kinds[dataset.Security].Known, "there was no RUNSTATS")
}

// Counts fall only after the database was activated again, since readers interpret a fall in that way.
func TestStats_Pages(t *testing.T) {
	var pages [2]int64
	s := open(t, asServer(&pages, nil))
	for _, step := range []struct {
		name         string
		asked, read  int64
		hits, misses int64
	}{
		{"Begin", 1000, 100, 900, 100},
		{"Grow", 1200, 150, 1050, 150},
		{"ReadWhatWasAskedForBefore", 1200, 153, 1050, 153},
		{"On", 1300, 160, 1140, 160},
		{"Anew", 10, 10, 0, 10},
		{"Warm", 40, 15, 25, 15},
	} {
		pages = [2]int64{step.asked, step.read}
		stats := s.Stats()
		require.Equal(t, step.hits, stats.PageHits, step.name)
		require.Equal(t, step.misses, stats.PageMisses, step.name)
	}
}

// A user who may not read one of the figures still gets the other.
func TestStats_Refused(t *testing.T) {
	pages := [2]int64{1000, 100}
	stats := open(t, asServer(&pages, map[string]error{"count_pages": failure(-551, "42501")})).Stats()
	require.Zero(t, stats.PageHits)
	require.True(t, stats.Kinds[dataset.Order].Known)
	stats = open(t, asServer(&pages, map[string]error{"space": failure(-551, "42501")})).Stats()
	require.Equal(t, int64(900), stats.PageHits)
	require.False(t, stats.Kinds[dataset.Order].Known)
}

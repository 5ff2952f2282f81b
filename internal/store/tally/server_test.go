package tally_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/store/tally"
)

// What was not used meanwhile is left out, and what a server has counted from 0 again, too.
func TestServer_Since(t *testing.T) {
	before := tally.Server{
		Pools: []tally.Pool{{Name: "orders", Hits: 10, Misses: 5}, {Name: "idle", Hits: 7, Misses: 1},
			{Name: "reset", Hits: 100, Misses: 100}},
		Statements: []tally.Statement{{Text: "SELECT 1", Calls: 5, Seconds: 1, Rows: 5}, {Text: "idle", Calls: 3, Seconds: 1},
			{Text: "evicted", Calls: 100, Seconds: 9}},
	}
	after := tally.Server{
		Figures: map[string]float64{"commits_total": 3},
		Pools: []tally.Pool{{Name: "orders", Hits: 30, Misses: 6}, {Name: "idle", Hits: 7, Misses: 1},
			{Name: "reset", Hits: 1, Misses: 1}, {Name: "new", Misses: 2}},
		Statements: []tally.Statement{{Text: "SELECT 1", Name: "one", Calls: 15, Seconds: 1.5, Rows: 16},
			{Text: "idle", Calls: 3, Seconds: 1}, {Text: "evicted", Calls: 1, Seconds: 1}, {Text: "new", Calls: 1}},
		Missing: []string{"energy"},
	}
	require.Equal(t, tally.Server{
		Figures: map[string]float64{"commits_total": 3},
		Pools:   []tally.Pool{{Name: "orders", Hits: 20, Misses: 1}, {Name: "new", Misses: 2}},
		Statements: []tally.Statement{{Text: "SELECT 1", Name: "one", Calls: 10, Seconds: .5, Rows: 11},
			{Text: "new", Calls: 1}},
		Missing: []string{"energy"},
	}, after.Since(before))
}

package db2

import (
	"database/sql/driver"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/dataset"
	"brokerage/internal/tpox"
)

// What may take hours runs on connections without a limit, requests never do.
func TestOpen_Administration(t *testing.T) {
	var stamp sync.Map
	respond := func(query string, args []driver.Value) (answer, error) {
		switch name := nameOf(query); {
		case name == "insert_setting":
			stamp.Store(args[0], args[1])
		case name == "get_setting":
			if value, ok := stamp.Load(args[0]); ok {
				return answer{rows: [][]driver.Value{{value}}}, nil
			}
			return answer{}, nil
		case strings.HasPrefix(name, "count_"):
			return answer{rows: [][]driver.Value{{int64(0)}}}, nil
		case name == "current_schema":
			return answer{rows: [][]driver.Value{{[]byte("TPOX")}}}, nil
		}
		return answer{changed: 1}, nil
	}
	requests, admin := &fake{answer: respond}, &fake{answer: respond}
	s, err := openConnectors(t.Context(), requests, admin, Options{Registered: true, Pool: 1})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	require.Contains(t, admin.said(), "CREATE TABLE custacc")
	require.NoError(t, s.LoadDataset(t.Context(), dataset.NewOf(1, dataset.Counts{Securities: 1}), nil))
	require.NoError(t, s.Empty(t.Context()))
	_, err = s.Space(t.Context())
	require.NoError(t, err)
	_, err = s.Verify(t.Context(), func(string) error { return nil }, func(int64) {})
	require.NoError(t, err)
	for _, long := range []string{"RUNSTATS", "insert_security", "empty_orders", "count_custacc", "space", "all_orders"} {
		require.Contains(t, admin.said(), long)
		require.NotContains(t, requests.said(), long)
	}
	before := admin.said()
	_, err = s.GetOrder(t.Context(), 7)
	require.Error(t, err, "it is not there")
	require.NoError(t, s.DeleteOrder(t.Context(), tpox.Write{Now: noon}, 7))
	require.Equal(t, before, admin.said())
}

// After a failure halfway Empty leaves the mark that the database is unfinished, so that nobody serves it.
func TestEmpty_Fails(t *testing.T) {
	f := &fake{answer: func(query string, _ []driver.Value) (answer, error) {
		if nameOf(query) == "empty_custacc" {
			return answer{}, failure(-668, "57016")
		}
		return answer{changed: 1}, nil
	}}
	s := open(t, f)
	require.ErrorContains(t, s.Empty(t.Context()), "empty_custacc")
	require.Contains(t, f.said(), "insert_setting COMMIT empty_orders")
	require.NotContains(t, f.said(), "empty_settings")
}

package db2

import (
	"database/sql/driver"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/dataset"
	"brokerage/internal/store"
	"brokerage/internal/tpox"
)

// The uncommitted documents of all connections of a load fit into half of Db2's default logs. Half, because a
// document takes more there than its bytes: its index entries and what a rollback needs.
func TestLoad_FitsLogs(t *testing.T) {
	const logBytes = (3 + 10) * 1000 * 4096 // logprimary, logsecond, logfilsiz
	d := dataset.New(dataset.Spec{Seed: 1})
	for _, k := range dataset.Kinds {
		var raw int
		for i := range d.Count(k) {
			raw += len(d.Append(nil, k, i))
		}
		require.Less(t, DefaultPool*chunkSize*raw/int(d.Count(k)), logBytes/2, k)
	}
}

// Statements that may take hours run on connections without a time limit, requests never do.
func TestOpen_Administration(t *testing.T) {
	requests, admin := newDatabase(nothing), newDatabase(nothing)
	admin.stamp = requests.stamp
	s, err := openConnectors(t.Context(), requests.fake, admin.fake, Options{Schema: "TPOX", Pool: 1})
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
	long := admin.said()
	require.NoError(t, s.DeleteOrder(t.Context(), tpox.Write{Now: noon}, 7))
	require.Equal(t, long, admin.said())
}

// Documents with a key that exists are refused by name, and the transaction is committed.
func TestLoad_Duplicates(t *testing.T) {
	d := dataset.New(dataset.Spec{Seed: 1})
	f := &fake{answer: func(query string, _ []driver.Value) (answer, error) { return answer{changed: 1}, twice }}
	var documents []store.PreparedDocument
	for _, k := range dataset.Kinds {
		doc := d.Append(nil, k, 0)
		keys, err := store.KeysOf(k, doc)
		require.NoError(t, err)
		documents = append(documents, store.PreparedDocument{Kind: k, Doc: doc, Keys: keys})
	}
	require.NoError(t, open(t, f).change(t.Context(), func(t *tx) error { return t.insertDocuments(documents) }))
	for i, says := range []string{
		"security A exists already", "customer 1002, or one of its accounts, exists already", "order 103282 exists already",
	} {
		require.EqualError(t, documents[i].Refused, says)
	}
	require.Contains(t, f.said(), "insert_order COMMIT")
}

// After a failure halfway, Empty leaves the mark that the database is unfinished, so that nobody serves it.
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

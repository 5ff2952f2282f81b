package postgres

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/dataset"
	"brokerage/internal/store/postgres/pgtest"
	"brokerage/internal/tpox"
)

func TestHashOf(t *testing.T) {
	conn := pgtest.Shared(t).Connect(t, "postgres")
	random := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // a test
	requireHash := func(function string, key any) {
		hash, ok := hashOf(key)
		require.True(t, ok)
		require.Equal(t, value[int32](t, conn, "SELECT "+function+"($1)", key), hash, "%s(%v)", function, key)
	}
	for range 200 {
		requireHash("hashint8", tpox.ID(random.Uint64()>>random.IntN(64))) //nolint:gosec // a negative one, too
		requireHash("hashint8", -tpox.ID(random.Uint64N(1<<40)))           //nolint:gosec // it is small
		requireHash("hashtext", string([]rune("Zü9.Züé!")[:random.IntN(8)]))
	}
	for slot := range slots {
		requireHash("hashint4", slot)
	}
	requireHash("hashtext", "ABCDEFGHIJK")
	_, ok := hashOf("ABCDEFGHIJKL")
	require.False(t, ok)
}

// A statement is sent to the node that has its rows, also after a host was down and is back.
func TestEntries(t *testing.T) {
	cluster := pgtest.StartCluster(t, 2)
	database := cluster.Database(t)
	d := generator(t)
	s := opened(t, cluster.URL(database, 0)+"&distribute=8", Options{})
	require.NoError(t, s.LoadDataset(t.Context(), d, nil))
	require.Nil(t, s.entries, "one host")
	s = opened(t, cluster.URL(database, 0, 1, 2), Options{})
	e := s.entries
	require.Len(t, e.pools, 3)
	local := func(t *testing.T) {
		t.Helper()
		e.look()
		visited := make(map[int]int)
		for i := range int64(40) {
			id, symbol := d.ID(dataset.Order, i), d.Symbol(int(i))
			for statement, key := range map[string]any{
				"get_order": tpox.ID(id), "customer_profile": tpox.ID(d.ID(dataset.Customer, i)),
				"customer_of_account": tpox.ID(d.FirstAccount(i)), "lock_order": tpox.ID(id),
				"get_security": symbol, "lock_key": int(i),
			} {
				owner := value[int](t, s.pool, `SELECT groupid FROM pg_dist_placement
					WHERE shardid = get_shard_id_for_distribution_column($1::text::regclass, $2::text)`,
					"brokerage."+e.tables[statement], fmt.Sprint(key))
				pool := e.of(statement, []any{key})
				require.Equal(t, owner, value[int](t, pool, "SELECT groupid FROM pg_dist_local_group"), "%s %v", statement, key)
				visited[owner]++
			}
		}
		require.Len(t, visited, 2, "both workers, and not the coordinator")
	}
	local(t)
	seen := make(map[int]int)
	for range 12 {
		seen[value[int](t, e.of("search_securities", []any{"Energy"}), "SELECT groupid FROM pg_dist_local_group")]++
	}
	require.Equal(t, map[int]int{0: 4, 1: 4, 2: 4}, seen, "a statement without a key")
	for _, pool := range e.pools {
		require.Zero(t, value[int](t, pool, "SELECT count(*) FROM pg_prepared_statements"), "plans that are kept leak")
	}

	pool := e.places.Load().pools[2]
	cluster.Nodes[2].Halt(t)
	require.Eventually(t, func() bool {
		var group int
		return pool.QueryRow(t.Context(), "SELECT groupid FROM pg_dist_local_group").Scan(&group) == nil && group != 2
	}, patience, time.Millisecond, "another host takes its place")
	cluster.Nodes[2].Again(t)
	e.look() // and closes the connections to the other host
	local(t)
}

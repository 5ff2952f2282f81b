package postgres

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/store/postgres/pgtest"
	"brokerage/internal/tpox"
)

// archived waits until all changes so far are in the archive.
func archived(t testing.TB, server *pgtest.Server) {
	t.Helper()
	conn := server.Connect(t, "postgres")
	last := value[string](t, conn, "SELECT pg_walfile_name(pg_switch_wal())")
	require.Eventually(t, func() bool {
		return value[bool](t, conn, "SELECT coalesce(last_archived_wal, '') >= $1 FROM pg_stat_archiver", last)
	}, time.Minute, 10*time.Millisecond)
}

// Recovery as in docs/postgres.md and docs/scaling.md: nodes, at new addresses, have the state of one restore point.
func TestRecovery_Citus(t *testing.T) {
	if testing.Short() {
		t.Skip("six servers take half a minute")
	}
	cluster := pgtest.StartCluster(t, 2, pgtest.Archiving...)
	ctx, d, database := t.Context(), generator(t), cluster.Database(t)
	s := opened(t, cluster.URL(database, 0)+distribute, Options{})
	require.NoError(t, s.LoadDataset(ctx, d, nil))
	var backups []*pgtest.Backup
	for _, node := range cluster.Nodes {
		backup := node.Backup(t)
		require.NoError(t, backup.Verify(t))
		backups = append(backups, backup)
	}
	const before, after, each = 900_000_000_000, 900_000_000_100, 20 // orders, on both workers
	for i := range int64(each) {
		insertOrder(t, s, order(d, before+i))
	}
	require.NoError(t, errOf(s.pool.Exec(ctx, "SELECT citus_create_restore_point('before_the_mistake')")))
	require.NoError(t, errOf(s.pool.Exec(ctx, "DELETE FROM brokerage.customers")))
	for i := range int64(each) {
		insertOrder(t, s, order(d, after+i))
	}
	require.NoError(t, s.Close())
	for _, node := range cluster.Nodes {
		archived(t, node)
		node.Halt(t)
	}

	recovered := &pgtest.Cluster{}
	for _, backup := range backups {
		node, err := backup.Recover("recovery_target_name = 'before_the_mistake'",
			"shared_preload_libraries=citus", "max_prepared_transactions=200", "max_connections=300")
		require.NoError(t, err)
		recovered.Nodes = append(recovered.Nodes, node)
	}
	coordinator := recovered.Nodes[0].Connect(t, database)
	require.Eventually(t, func() bool { // the server would crash: docs/scaling.md
		return value[bool](t, coordinator, `SELECT count(*) = 1 FROM pg_stat_activity
			WHERE application_name = 'Citus Maintenance Daemon' AND datname = current_database()`)
	}, time.Minute, 10*time.Millisecond)
	for i, node := range recovered.Nodes {
		require.NoError(t, errOf(coordinator.Exec(ctx, `SELECT citus_update_node(nodeid, $2, 5432) FROM pg_dist_node
			WHERE nodename = $1`, filepath.Dir(cluster.Nodes[i].Socket()), filepath.Dir(node.Socket()))))
	}
	require.Eventually(t, func() bool { // the workers learn the addresses by themselves
		return value[bool](t, coordinator, "SELECT bool_and(metadatasynced) FROM pg_dist_node")
	}, time.Minute, 10*time.Millisecond)
	then := opened(t, recovered.URL(database, 1, 2), Options{})
	for i := range tpox.ID(each) {
		require.NoError(t, errOf(then.GetOrder(ctx, before+i)))
		require.Error(t, errOf(then.GetOrder(ctx, after+i)))
	}
	require.Empty(t, verified(t, then))
	require.NoError(t, then.Close())
}

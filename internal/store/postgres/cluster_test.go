package postgres

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/chaostest"
	"brokerage/internal/dataset"
	"brokerage/internal/store"
	"brokerage/internal/store/postgres/pgtest"
	"brokerage/internal/tpox"
)

// Open reports what a cluster lacks before it changes anything. TestOpen_NotWanted has the case without a cluster.
func TestCluster_Refused(t *testing.T) {
	cluster := pgtest.StartCluster(t, 2)
	coordinator, worker := cluster.Nodes[0], cluster.Nodes[2]
	database := coordinator.Database(t)
	coordinator.Exec(t, database, "CREATE EXTENSION citus")
	refuses(t, coordinator.URL(database)+distribute, true, "the cluster has no workers: SELECT citus_add_node(")
	requireNoSchema(t, coordinator.URL(database))

	database = cluster.Database(t)
	refuses(t, cluster.URL(database, 1)+distribute, true,
		"this node is a worker, and only the coordinator creates and changes tables")
	worker.Exec(t, database, "DROP EXTENSION citus CASCADE")
	refuses(t, cluster.URL(database, 0)+distribute, true, ":5432 has no extension citus: CREATE EXTENSION citus there")
	requireNoSchema(t, cluster.URL(database, 0), cluster.URL(database, 1), cluster.URL(database, 2))

	database = cluster.Database(t)
	url := cluster.URL(database, 0) + distribute
	worker.Halt(t)
	refuses(t, url, true, ":5432 does not answer brokerage: ")
	requireNoSchema(t, cluster.URL(database, 0), cluster.URL(database, 1))
	worker.Again(t)
	s := opened(t, url, Options{})

	// A cluster takes over the data of one server from a backup.
	one, d, _, _ := tiny(t)
	require.NoError(t, errOf(s.restore(t.Context(), backedUpTo(t, one), store.CopyOptions{})))
	requireDataset(t, s, d)
	_, _, err := s.backup(t.Context(), filepath.Join(t.TempDir(), "b"), store.CopyOptions{})
	require.ErrorContains(t, err, "a Citus cluster has no snapshot of all nodes")

	// Existing tables are not distributed, and a database in which only some are distributed is refused.
	database = cluster.Database(t)
	url = cluster.URL(database, 0)
	require.False(t, opened(t, url, Options{}).distributed)
	refuses(t, url+distribute, false, "the database has tables that are not distributed: make a backup")
	coordinator.Exec(t, database, "SELECT create_distributed_table('brokerage.orders', 'id')")
	refuses(t, url, false, "some tables of the schema brokerage are distributed, and others are not: account_orders, ")
}

// Faults that no cluster of these tests has are imitated: another version, and a node that must not prepare a commit.
func TestCluster_Unfit(t *testing.T) {
	server := pgtest.Shared(t)
	database := server.Database(t)
	url := server.URL(database)
	server.Exec(t, database, `UPDATE pg_extension SET extname = 'citus', extversion = '13.2-1' WHERE extname = 'plpgsql';
		CREATE TABLE pg_dist_local_group AS SELECT 0 AS groupid;
		CREATE TABLE pg_dist_node AS SELECT n AS nodeid, n AS groupid, 'node' || n AS nodename, 5432 AS nodeport,
			'primary' AS noderole, true AS isactive FROM generate_series(0, 1) AS n;
		CREATE TABLE answers AS SELECT n AS nodeid, true AS success, '13.2-1 200' AS result FROM generate_series(0, 1) AS n;
		CREATE FUNCTION run_command_on_all_nodes(text) RETURNS SETOF answers LANGUAGE sql AS 'SELECT * FROM answers'`)
	for answer, says := range map[string]string{
		"13.2-1 0":   "node1:5432 has max_prepared_transactions=0: set it to max_connections at least",
		"12.1-1 200": "node1:5432 has Citus 12.1-1, and the coordinator 13.2-1",
	} {
		server.Exec(t, database, "UPDATE answers SET result = '"+answer+"' WHERE nodeid = 1")
		refuses(t, url+distribute, true, "not every node of the cluster is ready: "+says)
	}
	server.Exec(t, database, "UPDATE pg_extension SET extversion = '12.1-1' WHERE extname = 'citus'")
	refuses(t, url+distribute, false,
		"the extension citus 12.1-1 is too old: 13.2 is tested, and 13 is the oldest that works")
	requireNoSchema(t, url)
}

// A commit over two nodes becomes visible on one after the other. Meanwhile, a transaction that deletes the visible
// part waits for the other part, which could not be found without the first.
func TestCommit_HalfVisible(t *testing.T) {
	cluster := pgtest.StartCluster(t, 2)
	link := chaostest.NewSocketProxy(t, cluster.Nodes[2].Socket())
	cluster.Hosts[2] = link.Folder()
	database := cluster.Database(t)
	s := opened(t, cluster.URL(database, 0)+distribute, Options{})
	d := generator(t)
	require.NoError(t, s.LoadDataset(t.Context(), d, nil))

	// on returns the first id, not below the given one, whose row in a table is on a node.
	on := func(table string, node int, id int64) int64 {
		for ; cluster.NodeOf(t, database, "brokerage."+table, id) != node; id++ {
		}
		return id
	}
	account := on("accounts", 2, 900_000)
	owner := on("customers", 1, 900_000)
	orderID := on("orders", 1, 900_000)
	for name, c := range map[string]struct {
		insert, remove func() error
		visible        string
	}{
		"Order": {
			func() error {
				doc := d.AppendNewOrder(nil, 7, dataset.NewOrder{ID: orderID, Account: account})
				return errOf(s.InsertOrder(t.Context(), now(), doc))
			},
			func() error { return s.DeleteOrder(t.Context(), now(), tpox.ID(orderID)) },
			fmt.Sprintf("SELECT EXISTS (SELECT FROM brokerage.orders WHERE id = %d)", orderID),
		},
		"Customer": {
			func() error { return errOf(s.InsertCustomer(t.Context(), now(), customer(d, owner, account), true)) },
			func() error { return s.DeleteCustomer(t.Context(), now(), tpox.ID(owner)) },
			fmt.Sprintf("SELECT EXISTS (SELECT FROM brokerage.customers WHERE id = %d)", owner),
		},
	} {
		t.Run(name, func(t *testing.T) {
			held, release := make(chan struct{}), make(chan struct{})
			link.SetTrap(&chaostest.Trap{Texts: []string{"COMMIT PREPARED"}, Before: func() {
				close(held)
				<-release
			}})
			inserted, removed := make(chan error, 1), make(chan error, 1)
			go func() { inserted <- c.insert() }()
			<-held
			eventually(t, func() bool { return value[bool](t, s.pool, c.visible) })
			tries := s.retries.Load()
			go func() { removed <- c.remove() }()
			eventually(t, func() bool { return s.retries.Load() > tries || len(removed) > 0 })
			close(release)
			require.NoError(t, <-inserted)
			require.NoError(t, <-removed)
			require.Empty(t, verified(t, s))
			require.NoError(t, c.insert(), "nothing is left of the first")
		})
	}
}

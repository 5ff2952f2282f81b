package pgtest

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/testenv"
)

// citusVariable names the folder of the programs of a server that has Citus. Without it, the installed server is taken
// if it has Citus.
const citusVariable = "BROKERAGE_CITUS_BIN"

// A Cluster is a Citus cluster.
type Cluster struct {
	Nodes []*Server // the coordinator first
	// Hosts are the folders of the sockets by which the nodes reach one another, in the order of Nodes. A test that sets
	// one to the folder of a proxy does so before Database.
	Hosts []string

	start func() (*Server, error)
}

// StartCluster starts a coordinator and workers for one test, with settings such as "work_mem=8MB".
func StartCluster(t testing.TB, workers int, settings ...string) *Cluster {
	t.Helper()
	testenv.Long(t)
	bin := citusBinaries()
	if bin == "" {
		testenv.Missing(t, "citus", "no server here has Citus: "+citusVariable+" names the folder of its programs")
	}
	all := slices.Concat([]string{
		"shared_preload_libraries=citus", "wal_level=logical", "max_prepared_transactions=200", "max_connections=300",
		"citus.recover_2pc_interval=2s",
	}, unsafe, settings)
	c := &Cluster{start: func() (*Server, error) { return startFrom(bin, socketRoot(), all) }}
	for range workers + 1 {
		c.startNode(t)
	}
	return c
}

func (c *Cluster) startNode(t testing.TB) {
	t.Helper()
	node := servers.Own(t, c.start)
	c.Nodes, c.Hosts = append(c.Nodes, node), append(c.Hosts, node.dir)
}

func citusBinaries() string {
	if bin := os.Getenv(citusVariable); bin != "" {
		return bin
	}
	bin := installed()
	if bin == "" {
		return ""
	}
	if _, err := os.Stat(filepath.Join(bin, "..", "lib", "citus.so")); err != nil {
		return ""
	}
	return bin
}

// Database makes a database on all nodes and returns its name.
func (c *Cluster) Database(t testing.TB) string {
	t.Helper()
	name := fmt.Sprintf("cluster_%d", databases.Add(1))
	for _, node := range c.Nodes {
		node.createCitus(t, name)
	}
	c.Nodes[0].Exec(t, name, fmt.Sprintf("SELECT citus_set_coordinator_host('%s', 5432)", c.Hosts[0]))
	for n := range c.Nodes[1:] {
		c.addNode(t, name, n+1)
	}
	return name
}

func (s *Server) createCitus(t testing.TB, database string) {
	t.Helper()
	s.Exec(t, "postgres", "CREATE DATABASE "+database+" TEMPLATE template0")
	// The host by which a node connects to itself, which it does when shards are moved.
	s.Exec(t, "postgres", fmt.Sprintf("ALTER DATABASE %s SET citus.local_hostname = '%s'", database, s.dir))
	s.Exec(t, database, "CREATE EXTENSION citus")
}

func (c *Cluster) addNode(t testing.TB, database string, n int) {
	t.Helper()
	c.Nodes[0].Exec(t, database, fmt.Sprintf("SELECT citus_add_node('%s', 5432)", c.Hosts[n]))
}

// Grow starts another worker and adds it to a database. It has no shards until they are moved.
func (c *Cluster) Grow(t testing.TB, database string) {
	t.Helper()
	c.startNode(t)
	n := len(c.Nodes) - 1
	c.Nodes[n].createCitus(t, database)
	c.addNode(t, database, n)
}

// NodeOf returns the number of the node that has the rows with a key in a distributed table.
func (c *Cluster) NodeOf(t testing.TB, database, table string, key int64) int {
	t.Helper()
	// Groups are numbered in the order in which nodes are added.
	return value[int](t, c.Nodes[0], database, `SELECT groupid FROM pg_dist_placement
		WHERE shardid = get_shard_id_for_distribution_column($1::text::regclass, $2::bigint)`, table, key)
}

// MoveShards moves each shard of a table, and those colocated with it, from the first worker to the second, or back.
func (c *Cluster) MoveShards(t testing.TB, database, table string) {
	t.Helper()
	c.Nodes[0].Exec(t, database, fmt.Sprintf(`SELECT citus_move_shard_placement(shardid, n.nodename, n.nodeport,
			other.nodename, other.nodeport, shard_transfer_mode := 'block_writes')
		FROM pg_dist_shard JOIN pg_dist_placement AS p USING (shardid) JOIN pg_dist_node AS n USING (groupid)
		JOIN pg_dist_node AS other ON other.groupid = 3 - n.groupid
		WHERE logicalrelid = '%s'::regclass`, table))
}

// Shards returns how many shards of distributed tables a node has.
func (c *Cluster) Shards(t testing.TB, database string, n int) int {
	t.Helper()
	// A reference table has no bounds.
	return value[int](t, c.Nodes[0], database, `SELECT count(*) FROM pg_dist_placement
		JOIN pg_dist_shard USING (shardid) WHERE groupid = $1 AND shardminvalue IS NOT NULL`, n)
}

// URL returns the URL of a database for the superuser, with some of the nodes as entries, by their numbers.
func (c *Cluster) URL(database string, entries ...int) string {
	var hosts []string
	for _, n := range entries {
		hosts = append(hosts, c.Nodes[n].dir)
	}
	return "postgres://" + User + "@/" + database + "?host=" + strings.Join(hosts, ",")
}

// RequireNothingPrepared fails if a node still has a transaction that was prepared, and not committed or undone.
func (c *Cluster) RequireNothingPrepared(t testing.TB) {
	t.Helper()
	for i, node := range c.Nodes {
		prepared := value[int](t, node, "postgres", "SELECT count(*) FROM pg_prepared_xacts")
		require.Zero(t, prepared, "prepared transactions on node %d", i)
	}
}

// Plain starts a server without Citus from the same programs.
func (c *Cluster) Plain(t testing.TB, settings ...string) *Server {
	t.Helper()
	return servers.Own(t, func() (*Server, error) {
		return startFrom(c.Nodes[0].bin, socketRoot(), slices.Concat(unsafe, settings))
	})
}

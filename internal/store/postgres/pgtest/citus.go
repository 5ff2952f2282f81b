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

// NeedCitus is how BROKERAGE_TEST_REQUIRE names a cluster.
const NeedCitus = "citus"

// citusVariable names the folder of the programs of a server that has Citus. Without it, the installed server is taken
// if it has Citus.
const citusVariable = "BROKERAGE_CITUS_BIN"

// A Cluster is a Citus cluster. Its nodes reach one another by their sockets.
type Cluster struct {
	Nodes []*Server // the coordinator first
}

// StartCluster starts a coordinator and workers for one test, with settings such as "work_mem=8MB".
func StartCluster(t testing.TB, workers int, settings ...string) *Cluster {
	t.Helper()
	bin := citusBinaries()
	if bin == "" {
		testenv.Missing(t, NeedCitus, "no server here has Citus: "+citusVariable+" names the folder of its programs")
	}
	all := append([]string{
		"shared_preload_libraries=citus", "wal_level=logical", "max_prepared_transactions=200", "max_connections=300",
		"citus.recover_2pc_interval=2s",
	}, append(settings, unsafe...)...)
	var c Cluster
	for range workers + 1 {
		c.Nodes = append(c.Nodes, servers.Own(t, func() (*Server, error) { return startFrom(bin, socketRoot(), all, nil) }))
	}
	return &c
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
		node.Exec(t, "postgres", "CREATE DATABASE "+name+" TEMPLATE template0")
		node.Exec(t, name, "CREATE EXTENSION citus")
	}
	coordinator := c.Nodes[0]
	coordinator.Exec(t, name, fmt.Sprintf("SELECT citus_set_coordinator_host('%s', 5432)", coordinator.dir))
	for _, worker := range c.Nodes[1:] {
		coordinator.Exec(t, name, fmt.Sprintf("SELECT citus_add_node('%s', 5432)", worker.dir))
	}
	return name
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
		conn := node.Connect(t, "postgres")
		var prepared int
		err := conn.QueryRow(t.Context(), "SELECT count(*) FROM pg_prepared_xacts").Scan(&prepared)
		require.NoError(t, err)
		require.Zero(t, prepared, "prepared transactions on node %d", i)
		require.NoError(t, conn.Close(t.Context()))
	}
}

// Plain starts a server of the same programs without Citus.
func (c *Cluster) Plain(t testing.TB, settings ...string) *Server {
	t.Helper()
	return servers.Own(t, func() (*Server, error) {
		return startFrom(c.Nodes[0].bin, socketRoot(), slices.Concat(unsafe, settings), nil)
	})
}

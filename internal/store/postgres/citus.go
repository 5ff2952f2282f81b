package postgres

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// The version of Citus that the tests run on, and the oldest whose workers accept queries like the coordinator.
const (
	testedCitus = "13.2"
	oldestCitus = 13
)

// A clusterError is about a cluster that is not complete: another attempt may succeed when it is.
type clusterError string

func (e clusterError) Error() string { return string(e) }

// inspectCluster returns an error in one line for a database whose extension citus is missing or too old.
func (s *Store) inspectCluster(ctx context.Context, conn *pgx.Conn) error {
	var version string
	err := conn.QueryRow(ctx, "SELECT extversion FROM pg_extension WHERE extname = 'citus'").Scan(&version)
	var major int
	switch {
	case noRows(err):
		return clusterError("the database has no extension citus: CREATE EXTENSION citus, on every node (docs/scaling.md)")
	case err != nil:
		return err
	}
	if _, err := fmt.Sscanf(version, "%d.", &major); err != nil || major < oldestCitus {
		return fmt.Errorf("the extension citus %s is too old: %s is tested, and %d is the oldest that works",
			version, testedCitus, oldestCitus)
	}
	if !strings.HasPrefix(version, testedCitus) {
		s.notice("Citus %s is untested: %s is tested", version, testedCitus)
	}
	return nil
}

// IsCluster reports whether a URL asks for distributed tables, or names a database that has them.
func IsCluster(url string) bool {
	_, w, err := parseURL(url)
	if err != nil || w.shards > 0 {
		return w.shards > 0
	}
	ctx, cancel := context.WithTimeout(context.Background(), connectTimeout)
	defer cancel()
	a, err := Administer(ctx, url)
	if err != nil {
		return false // whoever opens it next returns the error
	}
	defer func() { _ = a.Close() }()
	var s Store
	return s.findTables(ctx, a.conn) == nil && s.distributed
}

// requireCluster returns an error in one line unless tables can be distributed here. This requires that the node is
// the coordinator and has a worker, and that all nodes are ready.
func (s *Store) requireCluster(ctx context.Context, conn *pgx.Conn) error {
	if err := s.inspectCluster(ctx, conn); err != nil {
		return err
	}
	var coordinator bool
	var workers int
	err := conn.QueryRow(ctx, `SELECT (SELECT groupid = 0 FROM pg_dist_local_group),
		(SELECT count(*) FROM pg_dist_node WHERE groupid <> 0 AND noderole = 'primary' AND isactive)`).
		Scan(&coordinator, &workers)
	switch {
	case err != nil:
		return err
	case !coordinator:
		return clusterError("this node is a worker, and only the coordinator creates and changes tables: " +
			"run brokerage migrate with the URL of the coordinator")
	case workers == 0:
		return clusterError("the cluster has no workers: " +
			"SELECT citus_add_node('HOST', PORT) on the coordinator adds one (docs/scaling.md)")
	}
	rows, _ := conn.Query(ctx, unfitNodes) // CollectRows returns the error
	unfit, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err == nil && len(unfit) > 0 {
		err = clusterError("not every node of the cluster is ready: " + strings.Join(unfit, "; "))
	}
	return err
}

// unfitNodes finds the nodes that do not answer, that have another version of Citus than this one, or that cannot
// prepare a commit over several nodes.
const unfitNodes = `
	WITH here AS (SELECT extversion FROM pg_extension WHERE extname = 'citus'),
	nodes AS (SELECT format('%s:%s ', nodename, nodeport) AS node, success, result,
			split_part(result, ' ', 1) AS version, split_part(result, ' ', 2) AS prepared
		FROM run_command_on_all_nodes($$
			SELECT concat((SELECT extversion FROM pg_extension WHERE extname = 'citus'), ' ',
				current_setting('max_prepared_transactions')) $$)
		JOIN pg_dist_node USING (nodeid))
	SELECT node || CASE
		WHEN NOT success THEN 'does not answer ' || current_user || ': ' || result
		WHEN version = '' THEN 'has no extension citus: CREATE EXTENSION citus there'
		WHEN version <> extversion THEN format('has Citus %s, and the coordinator %s', version, extversion)
		ELSE 'has max_prepared_transactions=0: set it to max_connections at least' END
	FROM nodes, here WHERE NOT success OR version <> extversion OR prepared = '0' ORDER BY node`

// hostsOf returns, for each host that a URL names, the attempts of a connection in order: first this host, with and
// without TLS if the URL allows both, then the other hosts.
func hostsOf(c *pgx.ConnConfig) (hosts [][]*pgconn.FallbackConfig) {
	tries := append([]*pgconn.FallbackConfig{{Host: c.Host, Port: c.Port, TLSConfig: c.TLSConfig}}, c.Fallbacks...)
	for i, t := range tries {
		if i == 0 || t.Host != tries[i-1].Host || t.Port != tries[i-1].Port {
			hosts = append(hosts, slices.Concat(tries[i:], tries[:i]))
		}
	}
	return hosts
}

// holds maps the name of a query that locks a row to a statement that keeps the row's shard on its node; $1 is the
// key in both. The statement changes nothing. The query alone does not keep the shard, even with FOR UPDATE, and its
// lock does not follow the row: once the shard was moved, another transaction could change the row on the new node,
// and Citus 13.2 would send the write of this transaction to the old node, where it is lost.
var holds = map[string]string{
	"lock_key":      "UPDATE brokerage.answers SET hash = hash WHERE slot = $1 AND hash IS NULL",
	"lock_customer": "UPDATE brokerage.customers SET doc = doc WHERE id = $1 AND doc IS NULL",
	"lock_order":    "UPDATE brokerage.orders SET doc = doc WHERE id = $1 AND doc IS NULL",
	"lock_security": "UPDATE brokerage.securities SET doc = doc WHERE symbol = $1 AND doc IS NULL",
}

// hold adds the statement of holds that has to come before a query on a cluster.
func (t *transaction) hold(b *pgx.Batch, query string, key any) {
	if t.store.distributed && holds[query] != "" {
		b.Queue(holds[query], key)
	}
}

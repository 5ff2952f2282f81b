package postgres

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// The versions of Citus that the tests run on, and the oldest whose workers take queries as the coordinator does.
const (
	testedCitus = "13.2"
	oldestCitus = 13
)

// inspectCluster returns an error in one line for a cluster that the store cannot use. Tables can be made by the
// coordinator only.
func (s *Store) inspectCluster(ctx context.Context, conn *pgx.Conn, empty bool) error {
	var version string
	err := conn.QueryRow(ctx, "SELECT extversion FROM pg_extension WHERE extname = 'citus'").Scan(&version)
	var major int
	switch {
	case noRows(err):
		return errors.New("the database has no extension citus: CREATE EXTENSION citus, on every node (docs/scaling.md)")
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
	if !empty {
		if s.wanted.name == "" {
			s.notice("add layout=citus to the URL: connections are not spread over the nodes that it names without it")
		}
		return nil
	}
	var coordinator bool
	var workers int
	err = conn.QueryRow(ctx, `SELECT (SELECT groupid = 0 FROM pg_dist_local_group),
		(SELECT count(*) FROM pg_dist_node WHERE groupid <> 0 AND noderole = 'primary' AND isactive)`).
		Scan(&coordinator, &workers)
	switch {
	case err != nil:
		return err
	case !coordinator:
		return errors.New("this node is a worker, and only the coordinator makes tables: " +
			"migrate with the URL of the coordinator")
	case workers == 0:
		return errors.New("the cluster has no workers: SELECT citus_add_node('HOST', PORT) on the coordinator adds one")
	}
	rows, _ := conn.Query(ctx, `SELECT format('node %s:%s: %s', n.nodename, n.nodeport, CASE WHEN r.success
			THEN 'has Citus ' || r.result ELSE r.result END)
		FROM run_command_on_all_nodes($$
			SELECT coalesce((SELECT extversion FROM pg_extension WHERE extname = 'citus'), 'none') $$) AS r
		JOIN pg_dist_node AS n USING (nodeid) WHERE NOT r.success OR r.result <> $1`, version)
	others, err := pgx.CollectRows(rows, pgx.RowTo[string]) // the error of the query, too
	if err == nil && len(others) > 0 {
		err = fmt.Errorf("not every node has Citus %s, as the coordinator has: %s", version, strings.Join(others, "; "))
	}
	return err
}

// configureCluster makes each new connection of the pool begin with another of the hosts that the URL names, all of
// which take queries; the others are tried after it. Statements are planned for each execution unless the URL says
// otherwise: nodes of Citus 13.2.1 to 14.0 leak memory with plans that they keep (citusdata/citus#8371).
func configureCluster(config *pgxpool.Config) {
	c := config.ConnConfig
	if _, said := c.RuntimeParams["plan_cache_mode"]; !said {
		c.RuntimeParams["plan_cache_mode"] = "force_custom_plan"
	}
	tries := append([]*pgconn.FallbackConfig{{Host: c.Host, Port: c.Port, TLSConfig: c.TLSConfig}}, c.Fallbacks...)
	var entries []int // where the tries of a host begin: one with TLS, and one without where that is allowed
	for i, t := range tries {
		if i == 0 || t.Host != tries[i-1].Host || t.Port != tries[i-1].Port {
			entries = append(entries, i)
		}
	}
	var next atomic.Int64
	config.BeforeConnect = func(_ context.Context, c *pgx.ConnConfig) error {
		first := entries[int(next.Add(1)-1)%len(entries)]
		c.Host, c.Port, c.TLSConfig = tries[first].Host, tries[first].Port, tries[first].TLSConfig
		c.Fallbacks = slices.Concat(tries[first+1:], tries[:first])
		return nil
	}
}

// isUncertain reports whether an error of a node of a cluster may come after the statement has been committed on
// another node.
func isUncertain(err error) bool {
	switch code := codeOf(err); {
	case code == internalError, strings.HasPrefix(code, "08"), strings.HasPrefix(code, "57P"):
		return true
	}
	return false
}

// isMoving reports whether an error may come from a shard that is being moved, or from a node that has failed: another
// attempt may find the shard.
func isMoving(err error) bool {
	switch codeOf(err) {
	case internalError, undefinedTable, objectNotReady:
		return true
	}
	return false
}

// holds are the statements that keep a shard where it is, by those that read a row of it for a transaction to write. A
// query does not do that, even with FOR UPDATE, and its lock does not follow the row to another node: when the shard
// was moved, another transaction could change the row there, and Citus 13.2 sends what this one writes to the node that
// it has read from, where it is lost.
var holds = map[string]string{
	"lock_key":                "hold_answers",
	"lock_customer":           "hold_customer",
	"lock_customer_elsewhere": "hold_customer",
	"customer_exists":         "hold_customer",
	"lock_account":            "hold_account",
	"lock_order":              "hold_order",
	"lock_security":           "hold_security",
}

// hold adds what has to come before a query. The key of the shard is the first argument of both.
func (t *transaction) hold(b *pgx.Batch, query string, args []any) {
	if t.holds(query) {
		b.Queue(t.store.sql(holds[query]), args[0])
	}
}

// held reads the result of hold.
func (t *transaction) held(results pgx.BatchResults, query string) (err error) {
	if t.holds(query) {
		_, err = results.Exec()
	}
	return err
}

func (t *transaction) holds(query string) bool {
	return t.store.layoutName == layoutCitus && holds[query] != ""
}

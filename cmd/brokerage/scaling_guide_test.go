package main

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/store/postgres/pgtest"
)

// The commands of docs/scaling.md, on a real cluster, from the first to the removal of a node and the restore point:
// with tiny instead of XXXS, 4 shards instead of 32, and the sockets of the nodes instead of their names.
func TestScaling_Guide(t *testing.T) {
	t.Parallel()
	cluster := pgtest.StartCluster(t, 3)
	folders := make(map[string]string)
	for i, name := range []string{"coordinator", "worker1", "worker2", "worker3"} {
		node := cluster.Nodes[i]
		folders[name] = filepath.Dir(node.Socket())
		node.Exec(t, "postgres", "ALTER SYSTEM SET citus.local_hostname = '"+folders[name]+"'")
		node.Exec(t, "postgres", "SELECT pg_reload_conf()")
	}
	names := regexp.MustCompile(`\b(coordinator|worker[123])\b`)
	inURL := regexp.MustCompile(`@([a-z0-9,]+)/brokerage(\?|')`)
	run := guideShell(t, cluster.Nodes[0])
	ran := ""
	for _, block := range guideBlocks(t, "../../docs/scaling.md", "sh") {
		if !regexp.MustCompile(`^(for|createdb|psql|brokerage) `).MatchString(block) {
			continue // a target of make, for example
		}
		block = strings.NewReplacer("XXXS", "tiny", "distribute=32", "distribute=4",
			"rebalance_start(", "rebalance_start('by_shard_count', ").Replace(block) // by size, tiny would not be worth a move
		block = inURL.ReplaceAllStringFunc(block, func(url string) string {
			found := inURL.FindStringSubmatch(url)
			return "@/brokerage?host=" + found[1] + strings.Replace(found[2], "?", "&", 1)
		})
		block = names.ReplaceAllStringFunc(block, func(name string) string { return folders[name] })
		var commands, served []string
		for line := range strings.Lines(block) {
			if strings.HasPrefix(line, "brokerage serve") {
				served = append(served, strings.TrimSpace(line))
			} else {
				commands = append(commands, line)
			}
		}
		out, err := run(strings.Join(commands, "")).CombinedOutput()
		require.NoError(t, err, "%s\n%s", block, out)
		require.NotContains(t, string(out), "ERROR", block)
		for _, command := range served {
			guideServes(t, run, command)
		}
		if strings.Contains(block, "citus_rebalance_wait") {
			require.Regexp(t, folders["worker3"]+` +\|`, string(out), "it has shards then") // psql aligns the columns
		}
		ran += block
	}
	for _, command := range []string{
		"citus_add_node", "brokerage serve", "citus_drain_node", "citus_create_restore_point",
	} {
		require.Contains(t, ran, command)
	}
}

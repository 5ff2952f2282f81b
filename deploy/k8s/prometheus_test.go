package k8s_test

import (
	"bytes"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/testenv"
)

// discovered tests that a real Prometheus finds the pods by their annotations, configured as in docs/kubernetes.md.
func (n *node) discovered(t *testing.T) {
	prometheus := testenv.Command(t, "prometheus")
	config := documented(t, "```yaml\n# prometheus.yml\n", "```")
	// Prometheus runs beside the cluster, not in it.
	config = strings.Replace(config, "- role: pod", "- role: pod\n"+
		"        kubeconfig_file: "+n.config+"\n"+
		"        namespaces: {names: ["+n.namespace+"]}", 1)
	dir := t.TempDir()
	file := filepath.Join(dir, "prometheus.yml")
	require.NoError(t, os.WriteFile(file, []byte(config), 0o600))

	port, err := freePort()
	require.NoError(t, err)
	addr := fmt.Sprintf("127.0.0.1:%d", port)
	cmd := exec.CommandContext(t.Context(), prometheus,
		"--config.file="+file, "--storage.tsdb.path="+dir, "--web.listen-address="+addr)
	var log bytes.Buffer
	cmd.Stderr = &log
	require.NoError(t, cmd.Start())
	ended := make(chan struct{})
	go func() { _ = cmd.Wait(); close(ended) }() // killed, or ended with a message
	defer func() { _ = cmd.Process.Kill(); <-ended }()
	query := func(promql string) string {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet,
			"http://"+addr+"/api/v1/query?query="+promql, http.NoBody)
		require.NoError(t, err)
		return fetch(request)
	}
	eventually(t, func() bool {
		select {
		case <-ended:
			if strings.Contains(log.String(), "field kubernetes_sd_configs not found") {
				testenv.Missing(t, "prometheus-kubernetes", "this Prometheus, as Debian's, was built without looking for pods")
			}
			require.Fail(t, "Prometheus has ended", log.String())
		default:
		}
		return strings.Contains(query(`sum(up%7Bjob=%22brokerage%22%7D)`), `"3"]`) &&
			strings.Contains(query(`count(count%20by%20(pod)(`+
				`brokerage_transactions_total%7Btransaction=%22get_order%22%7D))`), `"3"]`)
	}, "three pods are found, and scraped")
}

package k8s_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The overlay that docs/kubernetes.md shows has what its components bring and what it sets itself.
func TestComponents_Example(t *testing.T) {
	guide, err := os.ReadFile("../../docs/kubernetes.md")
	require.NoError(t, err)
	_, example, found := strings.Cut(string(guide), "```yaml\n# kustomization.yaml\n")
	require.True(t, found)
	example, _, _ = strings.Cut(example, "```")
	here := strings.NewReplacer("../../components", "%[1]s/components", "../postgres", "%[1]s/overlays/postgres")
	example = here.Replace(example)
	all := render(t, variant(t, example))
	settings := at(find(t, all, "ConfigMap", "brokerage"), "data")
	require.NotEmpty(t, text(settings, "OTEL_EXPORTER_OTLP_ENDPOINT"))
	require.NotEmpty(t, text(settings, "BROKERAGE_TLS_CERT"))
	find(t, all, "HTTPRoute", "brokerage")
	find(t, all, "Certificate", "brokerage-tls")
	find(t, all, "NetworkPolicy", "brokerage-to-collector")
}

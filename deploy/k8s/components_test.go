package k8s_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The overlay that docs/kubernetes.md shows has what its components bring and what it sets itself.
func TestComponents_Example(t *testing.T) {
	here := strings.NewReplacer("../../components", "%[1]s/components", "../postgres", "%[1]s/overlays/postgres")
	all := compose(t, here.Replace(documented(t, "```yaml\n# kustomization.yaml\n", "```")))
	settings := at(find(t, all, "ConfigMap", "brokerage"), "data")
	require.NotEmpty(t, text(settings, "OTEL_EXPORTER_OTLP_ENDPOINT"))
	require.NotEmpty(t, text(settings, "BROKERAGE_TLS_CERT"))
	find(t, all, "HTTPRoute", "brokerage")
	find(t, all, "Certificate", "brokerage-tls")
	find(t, all, "NetworkPolicy", "brokerage-to-collector")
}

package k8s_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Whatever is in front of the service speaks HTTPS to it if it serves HTTPS, and HTTP if it does not, in whatever order
// an overlay names the components.
func TestIngress_Backend(t *testing.T) {
	for components, scheme := range map[string]string{
		"[%[1]s/components/ingress]":                           "http",
		"[%[1]s/components/ingress, %[1]s/components/tls]":     "https",
		"[%[1]s/components/tls, %[1]s/components/ingress]":     "https",
		"[%[1]s/components/gateway]":                           "http",
		"[%[1]s/components/gateway-tls]":                       "https",
		"[%[1]s/components/certificate, %[1]s/components/tls]": "https",
	} {
		for _, overlay := range []string{"embedded", "postgres"} {
			all := compose(t, "resources: [%[1]s/overlays/"+overlay+"]\ncomponents: "+components+"\n")
			probe := at(service(t, all).container(), "readinessProbe", "httpGet", "scheme")
			assert.Equal(t, scheme == "https", probe == "HTTPS", components)
			assert.Equal(t, scheme, text(find(t, all, "Service", "brokerage"), "metadata", "annotations",
				"traefik.ingress.kubernetes.io/service.serversscheme"), components)
			secured := false
			for _, o := range all {
				switch o.kind() {
				case "Ingress":
					assert.Regexp(t, "(?i)^"+scheme+"$", // ingress-nginx ignores case
						text(o, "metadata", "annotations", "nginx.ingress.kubernetes.io/backend-protocol"), components)
				case "BackendTLSPolicy":
					secured = true
				}
			}
			for _, o := range all {
				if o.kind() == "HTTPRoute" {
					assert.Equal(t, scheme == "https", secured, components)
				}
			}
		}
	}
}

// The policy of the Gateway is about the port of the service that serves HTTPS, by a name that the certificate has.
func TestIngress_BackendTLSPolicy(t *testing.T) {
	all := compose(t, variants["gateway-tls"])
	policy, svc := find(t, all, "BackendTLSPolicy", "brokerage"), find(t, all, "Service", "brokerage")
	target := list(policy, "spec", "targetRefs")[0]
	require.Equal(t, svc.name(), text(target, "name"))
	backend := list(list(find(t, all, "HTTPRoute", "brokerage"), "spec", "rules")[0], "backendRefs")[0]
	for _, p := range list(svc, "spec", "ports") {
		require.Equal(t, number(t, p, "port") == number(t, backend, "port"), text(p, "name") == text(target, "sectionName"))
	}
	certificate := find(t, all, "Certificate", "brokerage-tls")
	require.Contains(t, list(certificate, "spec", "dnsNames"), at(policy, "spec", "validation", "hostname"))
	volume := named(list(service(t, all).template(), "spec", "volumes"), "tls")
	require.Equal(t, text(certificate, "spec", "secretName"), text(volume, "secret", "secretName"))
}

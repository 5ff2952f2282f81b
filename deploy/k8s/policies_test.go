package k8s_test

import (
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// selects reports whether a label selector selects labels; an empty one selects all.
func selects(t testing.TB, selector, labels any) bool {
	t.Helper()
	has, _ := labels.(map[string]any)
	wanted, _ := at(selector, "matchLabels").(map[string]any)
	for key, value := range wanted {
		if has[key] != value {
			return false
		}
	}
	for _, e := range list(selector, "matchExpressions") {
		value, there := has[text(e, "key")]
		in := there && slices.Contains(list(e, "values"), value)
		ok, known := map[string]bool{"In": in, "NotIn": !in, "Exists": there, "DoesNotExist": !there}[text(e, "operator")]
		require.True(t, known, fmt.Sprint(e))
		if !ok {
			return false
		}
	}
	return true
}

// ours is the namespace of the manifests.
const ours = "brokerage"

// An endpoint is a pod, or an address outside of the cluster, which has no namespace.
type endpoint struct {
	name, namespace string
	labels          any
	ports           map[string]int // those that have a name
	address         netip.Addr
}

// A network has the endpoints and policies of a cluster.
type network struct {
	endpoints  []endpoint
	namespaces map[string]any // the labels of each
	policies   []object
}

// An opening is a protocol and a port on which one address may send, or be sent to; "" and 0 are any.
type opening struct {
	address  netip.Addr
	protocol string
	port     int
}

// peer reports whether an entry of from or to means an endpoint.
func (n network) peer(t testing.TB, peer any, e endpoint) bool {
	t.Helper()
	if block := at(peer, "ipBlock"); block != nil {
		in := func(cidr any) bool { return netip.MustParsePrefix(fmt.Sprint(cidr)).Contains(e.address) }
		return in(at(block, "cidr")) && !slices.ContainsFunc(list(block, "except"), in)
	}
	inNamespace := e.namespace == ours
	if selector := at(peer, "namespaceSelector"); selector != nil {
		inNamespace = e.namespace != "" && selects(t, selector, n.namespaces[e.namespace])
	}
	return inNamespace && selects(t, at(peer, "podSelector"), e.labels)
}

// openings returns what policies allow an endpoint in a direction, Ingress or Egress, and whether any policy is about
// it. If none is, everything is allowed.
func (n network) openings(t testing.TB, e endpoint, direction string) (open []opening, isolated bool) {
	t.Helper()
	rules, peers := "ingress", "from"
	if direction == "Egress" {
		rules, peers = "egress", "to"
	}
	for _, policy := range n.policies {
		if e.namespace != ours || !selects(t, at(policy, "spec", "podSelector"), e.labels) ||
			!slices.Contains(list(policy, "spec", "policyTypes"), any(direction)) {
			continue
		}
		isolated = true
		for _, rule := range list(policy, "spec", rules) {
			for _, other := range n.endpoints {
				isOther := func(peer any) bool { return n.peer(t, peer, other) }
				if at(rule, peers) != nil && !slices.ContainsFunc(list(rule, peers), isOther) {
					continue
				}
				to := e
				if direction == "Egress" {
					to = other
				}
				open = append(open, ports(t, rule, other.address, to)...)
			}
		}
	}
	return open, isolated
}

// ports returns the openings of a rule for one address; the names of ports are those of the pod that receives.
func ports(t testing.TB, rule any, address netip.Addr, to endpoint) (open []opening) {
	t.Helper()
	if at(rule, "ports") == nil {
		return []opening{{address: address}}
	}
	for _, p := range list(rule, "ports") {
		require.Nil(t, at(p, "endPort"))
		if name := text(p, "port"); name == "" {
			open = append(open, opening{address, text(p, "protocol"), number(t, p, "port")})
		} else if port, ok := to.ports[name]; ok {
			open = append(open, opening{address, text(p, "protocol"), port})
		}
	}
	return open
}

// allows reports whether policies let one endpoint connect to another.
func (n network) allows(t testing.TB, from, to endpoint, protocol string, port int) bool {
	t.Helper()
	ok := func(e, other endpoint, direction string) bool {
		open, isolated := n.openings(t, e, direction)
		return !isolated || slices.ContainsFunc(open, func(o opening) bool {
			return o.address == other.address &&
				(o.protocol == "" || o.protocol == protocol) && (o.port == 0 || o.port == port)
		})
	}
	return ok(from, to, "Egress") && ok(to, from, "Ingress")
}

func (n network) find(t testing.TB, name string) endpoint {
	t.Helper()
	i := slices.IndexFunc(n.endpoints, func(e endpoint) bool { return e.name == name })
	require.GreaterOrEqual(t, i, 0, name)
	return n.endpoints[i]
}

// clusterNetwork returns the pods and policies of all overlays on PostgreSQL, the pods of others beside and around
// them, and addresses outside. Components are those of an overlay of one's own.
func clusterNetwork(t testing.TB, components string) network {
	t.Helper()
	n := network{namespaces: map[string]any{"team-a": map[string]any{"brokerage-client": "true"}}}
	add := func(name, namespace string, labels map[string]any) {
		n.endpoints = append(n.endpoints, endpoint{name: name, namespace: namespace, labels: labels})
	}
	add("neighbour", ours, map[string]any{"app.kubernetes.io/name": "other"})
	add("neighbours-database", ours,
		map[string]any{"app.kubernetes.io/name": "other", "app.kubernetes.io/component": "database"})
	add("prometheus-beside", ours, map[string]any{"app.kubernetes.io/name": "prometheus"})
	for name, namespace := range map[string]string{
		"coredns": "kube-system", "dns-default": "openshift-dns", "client": "team-a", "stranger": "team-b",
		"prometheus": "monitoring", "prometheus-user": "openshift-user-workload-monitoring",
		"collector": "observability", "nginx": "ingress-nginx", "gateway": "gateway",
	} {
		add(name, namespace, nil)
	}

	seen := make(map[string]bool)
	sets := [][]object{compose(t, "resources: [%[1]s/overlays/postgres-dev]\n"+components)}
	for _, overlay := range []string{"load", "loadtest", "drive", "campaign", "embedded"} {
		sets = append(sets, render(t, "overlays/"+overlay))
	}
	for _, o := range slices.Concat(sets...) {
		template := o.template()
		id := fmt.Sprint(template != nil, o.name()) // the service of embedded is one that is there already
		if template == nil && o.kind() != "NetworkPolicy" || seen[id] {
			continue
		}
		seen[id] = true
		if template == nil {
			n.policies = append(n.policies, o)
			continue
		}
		pod := endpoint{name: o.name(), namespace: ours, labels: at(template, "metadata", "labels"), ports: map[string]int{}}
		for _, c := range list(template, "spec", "containers") {
			for _, p := range list(c, "ports") {
				pod.ports[text(p, "name")] = number(t, p, "containerPort")
			}
		}
		n.endpoints = append(n.endpoints, pod)
	}

	slices.SortFunc(n.endpoints, func(a, b endpoint) int { return strings.Compare(a.name, b.name) })
	for i := range n.endpoints {
		e := &n.endpoints[i]
		e.address = netip.AddrFrom4([4]byte{10, 77, byte(i), 2})
		labels, _ := n.namespaces[e.namespace].(map[string]any)
		labels = maps.Clone(labels)
		if labels == nil {
			labels = make(map[string]any)
		}
		labels["kubernetes.io/metadata.name"] = e.namespace // Kubernetes itself sets it
		n.namespaces[e.namespace] = labels
	}
	for name, address := range map[string]string{
		"node-local-dns": "169.254.20.10", "cloud-metadata": "169.254.169.254",
		"issuer": "203.0.113.10", "intranet": "10.200.0.2",
	} {
		n.endpoints = append(n.endpoints, endpoint{name: name, address: netip.MustParseAddr(address)})
	}
	return n
}

// everyComponent are those that have to do with the network.
const everyComponent = "components: [%[1]s/components/openshift, %[1]s/components/egress-otlp, " +
	"%[1]s/components/egress-issuer, %[1]s/components/ingress, %[1]s/components/gateway]\n"

// A connection is allowed in the overlays as they are, with every component, in both or in neither.
type connection struct {
	from, to, protocol string
	port               int
	plain, components  bool
}

const yes, no = true, false

// connections are what docs/kubernetes.md says.
var connections = []connection{
	{"brokerage", "coredns", "UDP", 53, yes, yes},
	{"brokerage", "coredns", "TCP", 53, yes, yes},
	{"brokerage-migrate", "coredns", "UDP", 53, yes, yes},
	{"brokerage-load", "coredns", "UDP", 53, yes, yes},
	{"loadtest", "coredns", "UDP", 53, yes, yes},
	{"campaign", "coredns", "UDP", 53, yes, yes},
	{"brokerage", "coredns", "TCP", 9153, no, no},
	{"brokerage", "node-local-dns", "UDP", 53, yes, yes},
	{"brokerage", "node-local-dns", "TCP", 53, yes, yes},
	{"brokerage", "node-local-dns", "TCP", 8080, no, no},
	{"brokerage", "dns-default", "UDP", 5353, no, yes},
	{"brokerage", "dns-default", "TCP", 5353, no, yes},
	{"brokerage", "stranger", "UDP", 53, no, no},

	{"brokerage", "brokerage-postgres", "TCP", 5432, yes, yes},
	{"brokerage-migrate", "brokerage-postgres", "TCP", 5432, yes, yes},
	{"brokerage-load", "brokerage-postgres", "TCP", 5432, yes, yes},
	{"loadtest", "brokerage-postgres", "TCP", 5432, no, no},
	{"brokerage-backup", "brokerage-postgres", "TCP", 5432, no, no},
	{"neighbour", "brokerage-postgres", "TCP", 5432, no, no},
	{"client", "brokerage-postgres", "TCP", 5432, no, no},

	{"loadtest", "brokerage", "TCP", 8080, yes, yes},
	{"loadtest", "brokerage", "TCP", 9090, yes, yes},
	{"drive", "brokerage", "TCP", 8080, yes, yes},
	{"neighbour", "brokerage", "TCP", 8080, yes, yes},
	{"neighbour", "brokerage", "TCP", 9090, no, no},
	{"client", "brokerage", "TCP", 8080, yes, yes},
	{"client", "brokerage", "TCP", 9090, no, no},
	{"stranger", "brokerage", "TCP", 8080, no, no},
	{"issuer", "brokerage", "TCP", 8080, no, no},
	{"nginx", "brokerage", "TCP", 8080, no, yes},
	{"nginx", "brokerage", "TCP", 9090, no, no},
	{"gateway", "brokerage", "TCP", 8080, no, yes},
	{"gateway", "brokerage", "TCP", 9090, no, no},
	{"campaign", "brokerage", "TCP", 8080, no, no},

	{"prometheus", "brokerage", "TCP", 9090, yes, yes},
	{"prometheus", "brokerage", "TCP", 8080, no, no},
	{"prometheus-beside", "brokerage", "TCP", 9090, yes, yes},
	{"prometheus-user", "brokerage", "TCP", 9090, no, yes},
	{"stranger", "brokerage", "TCP", 9090, no, no},

	{"brokerage", "collector", "TCP", 4318, no, yes},
	{"brokerage", "collector", "TCP", 4317, no, no},
	{"brokerage-migrate", "collector", "TCP", 4318, no, no},
	{"brokerage", "issuer", "TCP", 443, no, yes},
	{"brokerage", "issuer", "TCP", 80, no, no},
	{"brokerage-migrate", "issuer", "TCP", 443, no, no},
	{"brokerage", "intranet", "TCP", 443, no, no},
	{"brokerage", "cloud-metadata", "TCP", 443, no, no},
	{"brokerage", "stranger", "TCP", 9999, no, no},

	// What other people run in the same namespace is their own business.
	{"stranger", "neighbour", "TCP", 9999, yes, yes},
	{"neighbour", "stranger", "TCP", 9999, yes, yes},
	{"neighbour", "intranet", "TCP", 443, yes, yes},
	{"stranger", "neighbours-database", "TCP", 5432, yes, yes},
}

func (c connection) String() string {
	return fmt.Sprintf("%s to %s %s/%d", c.from, c.to, c.protocol, c.port)
}

func TestPolicies_Connections(t *testing.T) {
	plain, components := clusterNetwork(t, ""), clusterNetwork(t, everyComponent)
	for _, c := range connections {
		allowed := func(n network) bool { return n.allows(t, n.find(t, c.from), n.find(t, c.to), c.protocol, c.port) }
		assert.Equal(t, c.plain, allowed(plain), "%s, without components", c)
		assert.Equal(t, c.components, allowed(components), "%s, with components", c)
	}
}

// In a namespace that others use too, policies are about the pods of this project, and about all of them.
func TestPolicies_OwnPods(t *testing.T) {
	every := everything(t)
	foreign := []any{map[string]any{}}
	for overlay, all := range every {
		for _, o := range all {
			if template := o.template(); template != nil {
				labels := at(template, "metadata", "labels")
				assert.Equal(t, "brokerage", text(labels, "app.kubernetes.io/part-of"), "%s: %s", overlay, o.name())
				component := text(labels, "app.kubernetes.io/component")
				foreign = append(foreign, map[string]any{"app.kubernetes.io/component": component})
			}
		}
	}
	for overlay, all := range every {
		for _, o := range all {
			if o.kind() != "NetworkPolicy" {
				continue
			}
			for _, labels := range foreign {
				if selects(t, at(o, "spec", "podSelector"), labels) {
					assert.Failf(t, "it selects pods of others", "%s: %s: %v", overlay, o.name(), labels)
					break
				}
			}
			if strings.Contains(o.name(), "default") {
				assert.Contains(t, o.name(), ours, "applying it must not replace the one of another project")
			}
		}
	}
}

// The meaning of selectors and rules, as the documentation of Kubernetes has it.
func TestPolicies_Meaning(t *testing.T) {
	pod := func(name, namespace, address string, labels map[string]any) endpoint {
		return endpoint{name, namespace, labels, map[string]int{"web": 8080}, netip.MustParseAddr(address)}
	}
	db := pod("db", ours, "10.0.0.1", map[string]any{"role": "db"})
	near := pod("near", ours, "10.0.0.2", map[string]any{"role": "frontend"})
	far := pod("far", "myproject", "10.0.0.3", map[string]any{"role": "frontend"})
	other := pod("other", "myproject", "172.17.1.1", map[string]any{"role": "other"})
	outside := endpoint{name: "outside", address: netip.MustParseAddr("172.17.2.1")}
	all := []string{"near", "far", "other", "outside"}
	for name, c := range map[string]struct {
		types, rest string   // of the specification of a policy
		reaches     []string // of TCP 8080 of db
	}{
		"NoPolicy":  {"Ingress", "podSelector: {matchLabels: {role: x}}", all},
		"OtherType": {"Egress", "podSelector: {}", all[1:]},
		"DenyAll":   {"Ingress", "podSelector: {}", nil},
		"AllowAll":  {"Ingress", "podSelector: {}, ingress: [{}]", all},
		"Pods":      {"Ingress", "podSelector: {}, ingress: [{from: [{podSelector: {}}]}]", all[:1]},
		"Cluster":   {"Ingress", "podSelector: {}, ingress: [{from: [{namespaceSelector: {}}]}]", all[:3]},
		"Both": {"Ingress", "podSelector: {}, ingress: [{from: [{namespaceSelector: {matchLabels: {project: my}}, " +
			"podSelector: {matchLabels: {role: frontend}}}]}]", all[1:2]},
		"Either": {"Ingress", "podSelector: {}, ingress: [{from: [{namespaceSelector: {matchLabels: {project: my}}}, " +
			"{podSelector: {matchLabels: {role: frontend}}}]}]", all[:3]},
		"Except": {"Ingress", "podSelector: {}, ingress: [{from: [{ipBlock: {cidr: 172.17.0.0/16, " +
			"except: [172.17.1.0/24]}}]}]", all[3:]},
		"NamedPort":     {"Ingress", "podSelector: {}, ingress: [{ports: [{protocol: TCP, port: web}]}]", all},
		"OtherPort":     {"Ingress", "podSelector: {}, ingress: [{ports: [{protocol: TCP, port: 80}]}]", nil},
		"OtherProtocol": {"Ingress", "podSelector: {}, ingress: [{ports: [{protocol: UDP, port: 8080}]}]", nil},
		"In":            {"Ingress", "podSelector: {matchExpressions: [{key: role, operator: In, values: [db, x]}]}", nil},
		"NotIn":         {"Ingress", "podSelector: {matchExpressions: [{key: role, operator: NotIn, values: [db]}]}", all},
		"Exists":        {"Ingress", "podSelector: {matchExpressions: [{key: role, operator: Exists}]}", nil},
		"DoesNotExist":  {"Ingress", "podSelector: {matchExpressions: [{key: role, operator: DoesNotExist}]}", all},
	} {
		t.Run(name, func(t *testing.T) {
			n := network{
				endpoints:  []endpoint{db, near, far, other, outside},
				namespaces: map[string]any{"myproject": map[string]any{"project": "my"}},
				policies:   objects(t, "spec: {policyTypes: ["+c.types+"], "+c.rest+"}"),
			}
			var reaches []string
			for _, from := range n.endpoints[1:] {
				if n.allows(t, from, db, "TCP", 8080) {
					reaches = append(reaches, from.name)
				}
			}
			require.Equal(t, c.reaches, reaches)
		})
	}
}

package k8s_test

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"brokerage/internal/testenv"
)

// chains returns the openings of every endpoint as rules of nftables for a router between them.
func (n network) chains(t testing.TB) string {
	t.Helper()
	var jumps, chains strings.Builder
	for i, e := range n.endpoints {
		for direction, side := range map[string][2]string{"Egress": {"saddr", "daddr"}, "Ingress": {"daddr", "saddr"}} {
			open, isolated := n.openings(t, e, direction)
			if !isolated {
				continue
			}
			chain := fmt.Sprintf("%s%d", direction, i)
			fmt.Fprintf(&jumps, "ip %s %s jump %s\n", side[0], e.address, chain)
			fmt.Fprintf(&chains, "chain %s {\n", chain)
			for _, o := range open {
				port := ""
				if o.port != 0 {
					port = fmt.Sprintf("%s dport %d", strings.ToLower(o.protocol), o.port)
				}
				fmt.Fprintf(&chains, "ip %s %s %s return\n", side[1], o.address, port)
			}
			chains.WriteString("reject with icmpx type admin-prohibited\n}\n")
		}
	}
	return "table inet policies {\n" + chains.String() + "chain forward {\ntype filter hook forward priority 0;\n" +
		"ct state established,related accept\n" + jumps.String() + "}\n}\n"
}

// command runs a program of this machine with an input.
func command(t testing.TB, input string, args ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), args[0], args[1:]...)
	cmd.Stdin = strings.NewReader(input)
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s: %s\n%s", strings.Join(args, " "), out, input)
}

// route gives each endpoint a network namespace of its own, behind one router, and returns their names.
func (n network) route(t testing.TB) (router string, names map[string]string) {
	t.Helper()
	prefix := fmt.Sprintf("bk%d-", os.Getpid())
	router, names = prefix+"r", make(map[string]string)
	var add, remove, configure strings.Builder
	fmt.Fprintf(&add, "netns add %s\n", router)
	fmt.Fprintf(&remove, "netns del %s\n", router)
	for i, e := range n.endpoints {
		name, gateway := fmt.Sprintf("%s%d", prefix, i), e.address.Prev()
		names[e.name] = name
		fmt.Fprintf(&add, "netns add %s\n", name)
		fmt.Fprintf(&remove, "netns del %s\n", name)
		fmt.Fprintf(&configure, "link add v%d type veth peer name eth0 netns %s\n", i, name)
		fmt.Fprintf(&configure, "address add %s/30 dev v%d\nlink set v%[2]d up\n", gateway, i)
	}
	t.Cleanup(func() {
		cmd := exec.CommandContext(context.Background(), "ip", "-force", "-batch", "-")
		cmd.Stdin = strings.NewReader(remove.String())
		out, err := cmd.CombinedOutput()
		assert.NoError(t, err, string(out))
	})
	command(t, add.String(), "ip", "-batch", "-")
	command(t, configure.String(), "ip", "-netns", router, "-batch", "-")
	for _, e := range n.endpoints {
		command(t, fmt.Sprintf("link set lo up\naddress add %s/30 dev eth0\nlink set eth0 up\nroute add default via %s\n",
			e.address, e.address.Prev()), "ip", "-netns", names[e.name], "-batch", "-")
	}
	return router, names
}

// within runs a function in a network namespace. Sockets that it opens stay in that namespace.
func within(t testing.TB, namespace string, f func() error) error {
	t.Helper()
	done := make(chan error)
	go func() {
		runtime.LockOSThread() // and never unlocked: the thread ends with this goroutine
		file, err := os.Open("/run/netns/" + namespace)
		if err != nil {
			done <- err
			return
		}
		defer func() { _ = file.Close() }()
		if err := unix.Setns(int(file.Fd()), unix.CLONE_NEWNET); err != nil {
			done <- err
			return
		}
		done <- f()
	}()
	return <-done
}

// listen answers each connection and each datagram with one byte, until the test ends.
func listen(t testing.TB, namespace, protocol string, address netip.AddrPort) {
	t.Helper()
	var config net.ListenConfig
	require.NoError(t, within(t, namespace, func() error {
		if protocol == "UDP" {
			packets, err := config.ListenPacket(t.Context(), "udp", address.String())
			if err != nil {
				return err
			}
			t.Cleanup(func() { _ = packets.Close() })
			go func() {
				for buffer := make([]byte, 1); ; {
					_, from, err := packets.ReadFrom(buffer)
					if err != nil {
						return
					}
					_, _ = packets.WriteTo(buffer, from) // the client notices
				}
			}()
			return nil
		}
		listener, err := config.Listen(t.Context(), "tcp", address.String())
		if err != nil {
			return err
		}
		t.Cleanup(func() { _ = listener.Close() })
		go func() {
			for {
				conn, err := listener.Accept()
				if err != nil {
					return
				}
				_, _ = conn.Write([]byte{1}) // the client notices
				_ = conn.Close()
			}
		}()
		return nil
	}))
}

// try sends a byte, or connects, and waits for the answer.
func try(t testing.TB, namespace, protocol string, address netip.AddrPort) error {
	t.Helper()
	return within(t, namespace, func() error {
		dialer := net.Dialer{Timeout: 2 * time.Second}
		conn, err := dialer.DialContext(t.Context(), strings.ToLower(protocol), address.String())
		if err != nil {
			return err
		}
		defer func() { _ = conn.Close() }()
		if err := conn.SetDeadline(time.Now().Add(2 * time.Second)); err != nil {
			return err
		}
		if protocol == "UDP" {
			if _, err := conn.Write([]byte{1}); err != nil {
				return err
			}
		}
		_, err = conn.Read(make([]byte, 1))
		return err
	})
}

// Packets between network namespaces, one for each pod, pass or are rejected as the table of connections says. The
// policies are compiled to rules of nftables for a router between them. It is not a cluster: Services and the addresses
// of nodes are missing.
func TestNode_PoliciesEnforced(t *testing.T) {
	if !testenv.Required(need) && !testenv.Required(needNode) {
		testenv.Missing(t, needNode, "it makes network namespaces: make test-k8s-node")
	}
	for _, program := range []string{"nft", "ip", "sysctl"} {
		if _, err := exec.LookPath(program); err != nil {
			testenv.Missing(t, needNode, program+" is not installed")
		}
	}
	if err := exec.CommandContext(t.Context(), "unshare", "--net", "true").Run(); err != nil {
		testenv.Missing(t, needNode, "no right to make network namespaces: "+err.Error())
	}
	for name, components := range map[string]string{"Plain": "", "Components": everyComponent} {
		t.Run(name, func(t *testing.T) {
			n := clusterNetwork(t, components)
			router, names := n.route(t)
			// It forwards packets, and rejects as many as it has to.
			command(t, "", "ip", "netns", "exec", router, "sysctl", "-qw", "net.ipv4.ip_forward=1", "net.ipv4.icmp_ratelimit=0")
			targets := make(map[string]bool)
			for _, c := range connections {
				address := netip.AddrPortFrom(n.find(t, c.to).address, uint16(c.port))
				if target := c.protocol + address.String(); !targets[target] {
					targets[target] = true
					listen(t, names[c.to], c.protocol, address)
				}
				// Without rules everything passes, so that what does not pass below is a rule's doing.
				require.NoError(t, try(t, names[c.from], c.protocol, address), "%s, without rules", c)
			}
			command(t, n.chains(t), "ip", "netns", "exec", router, "nft", "-f", "-")
			for _, c := range connections {
				address := netip.AddrPortFrom(n.find(t, c.to).address, uint16(c.port))
				err := try(t, names[c.from], c.protocol, address)
				if expected := map[string]bool{"Plain": c.plain, "Components": c.components}[name]; expected {
					assert.NoError(t, err, c.String())
				} else {
					assert.Error(t, err, c.String())
				}
			}
		})
	}
}

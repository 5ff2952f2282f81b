// Package k8s_test checks the manifests against docs/kubernetes.md: they render, a real API server accepts them and
// refuses broken ones, and on a real node the service works as described.
//
// The cluster is the one of KUBECONFIG, or else one that the tests start with the scripts in the folder that KUBE_E2E
// names: build.sh ctl puts kctl (kubectl), cm and sched (controllers, scheduler) into $KUBE_CACHE/bin/mc; up.sh
// apionly starts an API server on PORT, with etcd on EP, and writes $RUN/admin.kubeconfig; down.sh clean ends it.
package k8s_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"brokerage/internal/testenv"
)

// need is what these tests need, by its name in BROKERAGE_TEST_REQUIRE.
const need = "kube"

// cluster is an API server, and how kubectl reaches it.
type cluster struct {
	kubectl string
	config  string // a kubeconfig
	stop    func() // nil for the cluster of KUBECONFIG
}

// Stop stops the cluster if the tests have started it.
func (c *cluster) Stop() error {
	if c.stop != nil {
		c.stop()
	}
	return nil
}

var clusters = &testenv.Servers[*cluster]{What: "the cluster", Need: need}

func TestMain(m *testing.M) { clusters.Main(m) }

// requireCluster returns one cluster for all tests of this package. BROKERAGE_TEST_REQUIRE must name it, because the
// cluster that KUBECONFIG names may be in use.
func requireCluster(t testing.TB) *cluster {
	t.Helper()
	if !testenv.Required(need) && !testenv.Required(needNode) {
		testenv.Missing(t, need, "a cluster is only used where it is asked for: make test-k8s")
	}
	return clusters.Shared(t, startCluster)
}

// kubeCache returns the folder in which the scripts keep what they build.
func kubeCache() string {
	if dir := os.Getenv("KUBE_CACHE"); dir != "" {
		return dir
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = os.TempDir()
	}
	return filepath.Join(cache, "kube-e2e")
}

func startCluster() (*cluster, error) {
	if config := os.Getenv("KUBECONFIG"); config != "" {
		kubectl, err := kubectlOf()
		return &cluster{kubectl: kubectl, config: config}, err
	}
	dir := os.Getenv("KUBE_E2E")
	if _, err := os.Stat(filepath.Join(dir, "up.sh")); err != nil {
		return nil, &testenv.NotHereError{
			Reason: "neither KUBECONFIG names a cluster, nor KUBE_E2E the scripts that make one",
		}
	}
	run, err := os.MkdirTemp("", "kube")
	if err != nil {
		return nil, err
	}
	cache := kubeCache()
	c := &cluster{kubectl: filepath.Join(cache, "bin", "mc", "kctl"), config: filepath.Join(run, "admin.kubeconfig")}
	env := append(os.Environ(), "KUBE_CACHE="+cache, "RUN="+run)
	c.stop = func() {
		_ = script(env, time.Minute, filepath.Join(dir, "down.sh"), "clean") // its messages do not matter at the end
		_ = os.RemoveAll(run)
	}
	if _, err := os.Stat(filepath.Join(cache, "bin", "kube")); err != nil {
		if err := script(env, 20*time.Minute, filepath.Join(dir, "build.sh"), "ctl"); err != nil {
			return nil, errors.Join(err, os.RemoveAll(run))
		}
	}
	server, err := freePort()
	etcd, failed := freePort()
	if err := errors.Join(err, failed); err != nil {
		return nil, err
	}
	// etcd's second port is the one after its first.
	env = append(env, fmt.Sprintf("PORT=%d", server), fmt.Sprintf("EP=%d", etcd), "HOST=127.0.0.1")
	// Only the API server: nothing has to run, and controllers would need ports that another cluster on this machine has.
	if err := script(env, 2*time.Minute, filepath.Join(dir, "up.sh"), "apionly"); err != nil {
		c.stop()
		return nil, err
	}
	return c, nil
}

// freePort returns a free port of this machine. The next port is likely to be free too.
func freePort() (int, error) {
	l, err := new(net.ListenConfig).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	return l.Addr().(*net.TCPAddr).Port, l.Close() //nolint:forcetypeassert // it listens on TCP
}

// script runs a script to its end.
func script(env []string, limit time.Duration, name string, args ...string) error {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Env = env
	// Output goes to a file, because background processes of the script would keep a pipe open.
	out, err := os.CreateTemp("", "kube-script")
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(out.Name()) }()
	cmd.Stdout, cmd.Stderr = out, out
	if err := cmd.Run(); err != nil {
		said, _ := os.ReadFile(out.Name())
		return fmt.Errorf("%s: %w: %s", filepath.Base(name), err, said)
	}
	return nil
}

// kubectlOf returns the path of kubectl: that of the tests' own cluster, or an installed one.
func kubectlOf() (string, error) {
	own := filepath.Join(kubeCache(), "bin", "mc", "kctl")
	if _, err := os.Stat(own); err == nil {
		return own, nil
	}
	if path, err := exec.LookPath("kubectl"); err == nil {
		return path, nil
	}
	return "", &testenv.NotHereError{Reason: "kubectl is not installed, and no cluster of the tests' own has been built"}
}

// said is the output of a program.
type said struct {
	out, err string
	failed   error
}

// call runs a program to its end.
func call(cmd *exec.Cmd) said {
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	return said{out.String(), errs.String(), err}
}

// run calls kubectl with an input.
func (c *cluster) run(t testing.TB, input string, args ...string) said {
	t.Helper()
	// Cleanups call it too, when the context of the test is done.
	cmd := exec.CommandContext(context.WithoutCancel(t.Context()), c.kubectl,
		append([]string{"--kubeconfig", c.config}, args...)...)
	cmd.Stdin = strings.NewReader(input)
	return call(cmd)
}

// must calls kubectl, requires that it succeeds, and returns its output.
func (c *cluster) must(t testing.TB, input string, args ...string) string {
	t.Helper()
	s := c.run(t, input, args...)
	require.NoError(t, s.failed, "kubectl %s: %s", strings.Join(args, " "), s.err)
	return s.out
}

// namespace creates a namespace for the test. It enforces the restricted level of Pod Security, and has the service
// account that pods name.
func (c *cluster) namespace(t testing.TB) string {
	t.Helper()
	name := fmt.Sprintf("brokerage-test-%x", time.Now().UnixNano())
	c.must(t, fmt.Sprintf(`{"apiVersion":"v1","kind":"Namespace","metadata":{"name":%q,"labels":{
		"pod-security.kubernetes.io/enforce":"restricted","pod-security.kubernetes.io/warn":"restricted"}}}`, name),
		"create", "-f", "-")
	t.Cleanup(func() {
		s := c.run(t, "", "delete", "namespace", name, "--wait=false")
		assert.NoError(t, s.failed, s.err)
	})
	// If there is a controller, it creates the account named default.
	c.must(t, `{"apiVersion":"v1","kind":"ServiceAccount","metadata":{"name":"default"}}
		{"apiVersion":"v1","kind":"ServiceAccount","metadata":{"name":"brokerage"}}`,
		"apply", "--server-side", "-n", name, "-f", "-")
	return name
}

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
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/testenv"
)

// need is what these tests need, by its name in BROKERAGE_TEST_REQUIRE.
const need = "kube"

// cluster is an API server and its address.
type cluster struct {
	kubectl string
	config  string // a kubeconfig
	stop    func()
}

var (
	theCluster *cluster
	clusterErr error
	startOnce  sync.Once
)

func TestMain(m *testing.M) {
	code := m.Run()
	if theCluster != nil && theCluster.stop != nil {
		theCluster.stop()
	}
	os.Exit(code)
}

// missing says why there is no cluster here, which only skips the tests.
type missing struct{ error }

// required reports whether BROKERAGE_TEST_REQUIRE names a need.
func required(need string) bool {
	return slices.Contains(strings.Split(os.Getenv("BROKERAGE_TEST_REQUIRE"), ","), need)
}

// requireCluster returns one cluster for all tests of this package. BROKERAGE_TEST_REQUIRE must name it, because the
// cluster that KUBECONFIG names may be in use.
func requireCluster(t testing.TB) *cluster {
	t.Helper()
	if !required(need) && !required(needNode) {
		testenv.Missing(t, need, "a cluster is only used where it is asked for: make test-k8s")
	}
	startOnce.Do(func() { theCluster, clusterErr = startCluster() })
	if absent := (missing{}); errors.As(clusterErr, &absent) {
		testenv.Missing(t, need, absent.Error())
	}
	require.NoError(t, clusterErr)
	return theCluster
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

// scripts returns the folder with the scripts of a cluster.
func scripts() (string, error) {
	dir := os.Getenv("KUBE_E2E")
	if dir == "" {
		return "", missing{errors.New("neither KUBECONFIG names a cluster, nor KUBE_E2E the scripts that make one")}
	}
	if _, err := os.Stat(filepath.Join(dir, "up.sh")); err != nil {
		return "", fmt.Errorf("KUBE_E2E: %w", err)
	}
	return filepath.Abs(dir)
}

func startCluster() (*cluster, error) {
	if config := os.Getenv("KUBECONFIG"); config != "" {
		kubectl, err := kubectlOf()
		return &cluster{kubectl: kubectl, config: config}, err
	}
	dir, err := scripts()
	if err != nil {
		return nil, err
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
	ports, err := freePorts(3)
	if err != nil {
		return nil, err
	}
	// etcd's second port is the one after its first.
	env = append(env, fmt.Sprintf("PORT=%d", ports[0]), fmt.Sprintf("EP=%d", ports[1]), "HOST=127.0.0.1")
	// Only the API server: nothing has to run, and controllers would need ports that another cluster on this machine has.
	if err := script(env, 2*time.Minute, filepath.Join(dir, "up.sh"), "apionly"); err != nil {
		c.stop()
		return nil, err
	}
	return c, nil
}

// freePorts returns free ports of this machine whose successors are free too.
func freePorts(n int) (ports []int, err error) {
	for tries := 0; len(ports) < n && tries < 100; tries++ {
		l, err := new(net.ListenConfig).Listen(context.Background(), "tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		port := l.Addr().(*net.TCPAddr).Port //nolint:forcetypeassert // it listens on TCP
		next, err := new(net.ListenConfig).Listen(context.Background(), "tcp", fmt.Sprintf("127.0.0.1:%d", port+1))
		_ = l.Close()
		if err != nil {
			continue
		}
		_ = next.Close()
		ports = append(ports, port)
	}
	if len(ports) < n {
		return nil, errors.New("there are no free ports")
	}
	return ports, nil
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
	return "", missing{errors.New("kubectl is not installed, and no cluster of the tests' own has been built")}
}

// said is the output of a call of kubectl.
type said struct {
	out, err string
	failed   error
}

// run calls kubectl with an input.
func (c *cluster) run(t testing.TB, input string, args ...string) said {
	t.Helper()
	// Cleanups call it too, when the context of the test is done.
	cmd := exec.CommandContext(context.WithoutCancel(t.Context()), c.kubectl,
		append([]string{"--kubeconfig", c.config}, args...)...)
	cmd.Stdin = strings.NewReader(input)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	return said{out.String(), errs.String(), err}
}

// must calls kubectl, requires that it succeeds, and returns its output.
func (c *cluster) must(t testing.TB, input string, args ...string) string {
	t.Helper()
	s := c.run(t, input, args...)
	require.NoError(t, s.failed, "kubectl %s: %s", strings.Join(args, " "), s.err)
	return s.out
}

// namespace creates a namespace for the test that enforces a level of Pod Security, with the service account that pods
// name.
func (c *cluster) namespace(t testing.TB, level string) string {
	t.Helper()
	name := fmt.Sprintf("brokerage-test-%x", time.Now().UnixNano())
	c.must(t, fmt.Sprintf(`{"apiVersion":"v1","kind":"Namespace","metadata":{"name":%q,"labels":{
		"pod-security.kubernetes.io/enforce":%q,"pod-security.kubernetes.io/warn":%[2]q}}}`, name, level),
		"create", "-f", "-")
	t.Cleanup(func() {
		c := *c
		cmd := exec.CommandContext(context.Background(), c.kubectl, "--kubeconfig", c.config,
			"delete", "namespace", name, "--wait=false")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("deleting %s: %v: %s", name, err, out)
		}
	})
	// A controller creates the first one, if there is a controller.
	c.must(t, `{"apiVersion":"v1","kind":"ServiceAccount","metadata":{"name":"default"}}
		{"apiVersion":"v1","kind":"ServiceAccount","metadata":{"name":"brokerage"}}`,
		"apply", "--server-side", "-n", name, "-f", "-")
	return name
}

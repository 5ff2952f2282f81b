//go:build unix

package docs_test

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/testenv"
)

// floor is a program with the router and the drivers of both databases, and nothing else.
const floor = `package main

import (
	"database/sql"
	"log"

	"github.com/gin-gonic/gin"
	"github.com/jackc/pgx/v5/pgxpool"
	_ "modernc.org/sqlite"
)

func main() {
	_, _ = sql.Open("sqlite", "file:x.db")
	_, _ = pgxpool.New(nil, "")
	log.Fatal(gin.New().Run())
}
`

// cost is what a module costs: the processor time of its compilation, and its machine code in the binary.
type cost struct {
	name     string
	packages int
	compile  time.Duration
	bytes    int64
}

// BenchmarkCompile prints the table of docs/dependencies.md: `make compile-time`. The README's own command runs from an
// empty cache until it has answered a transaction; then the floor is compiled in the same way.
func BenchmarkCompile(b *testing.B) {
	if os.Getenv("BROKERAGE_COMPILE_TIME") == "" {
		b.Skip("only when BROKERAGE_COMPILE_TIME asks for it")
	}
	dir := b.TempDir()
	elapsed, spent, costs := firstStart(b, dir)
	stripped, whole := sizes(b, dir, costs)
	fmt.Println("\n| | packages | compile, s | binary, MB |\n|---|---|---|---|")
	var small, total cost
	others := 0
	slowest := func(a, b *cost) int { return cmp.Compare(b.compile, a.compile) }
	for _, c := range slices.SortedFunc(maps.Values(costs), slowest) {
		total.packages += c.packages
		total.compile += c.compile
		total.bytes += c.bytes
		if c.compile >= time.Second || c.bytes >= 1e6 || !strings.Contains(c.name, "`") {
			c.print()
			continue
		}
		others++
		small.name += ", " + c.name
		small.packages += c.packages
		small.compile += c.compile
		small.bytes += c.bytes
	}
	small.name = fmt.Sprintf("%d others: %s", others, strings.TrimPrefix(small.name, ", "))
	small.print()
	total.name = "together"
	total.print()
	fmt.Printf("\ngo run ./cmd/brokerage serve, to the first transaction: %.0f s, %.0f s of processor time\n",
		elapsed.Seconds(), spent.Seconds())
	fmt.Printf("the binary: %.1f MB, %.1f MB without symbols and debugging information\n", whole, stripped)

	main := filepath.Join(dir, "floor.go")
	require.NoError(b, os.WriteFile(main, []byte(floor), 0o600))
	least := command(b, dir, "build", "-ldflags=-s -w", "-o", filepath.Join(dir, "floor"), main)
	least.Env = append(least.Env, "GOCACHE="+filepath.Join(dir, "floor-cache"))
	require.NoError(b, least.Run())
	info, err := os.Stat(filepath.Join(dir, "floor"))
	require.NoError(b, err)
	fmt.Printf("gin, SQLite and pgx alone: %.0f s of processor time, %.1f MB without symbols\n",
		processorTime(least).Seconds(), float64(info.Size())/1e6)
}

func (c *cost) print() {
	fmt.Printf("| %s | %d | %.1f | %.1f |\n", c.name, c.packages, c.compile.Seconds(), float64(c.bytes)/1e6)
}

// command returns a command of Go that runs in the repository, with a build cache in dir, and prints its errors.
func command(b *testing.B, dir string, args ...string) *exec.Cmd {
	b.Helper()
	c := exec.CommandContext(b.Context(), "go", args...)
	c.Dir = ".."
	c.Env = append(os.Environ(), "GOCACHE="+filepath.Join(dir, "cache"))
	c.Stderr = os.Stderr
	return c
}

// processorTime returns the time of a command that has ended, and of the programs that it ran.
func processorTime(c *exec.Cmd) time.Duration {
	return c.ProcessState.UserTime() + c.ProcessState.SystemTime()
}

// firstStart runs the service until it has answered a transaction, and returns the costs by module.
func firstStart(b *testing.B, dir string) (elapsed, spent time.Duration, costs map[string]*cost) {
	b.Helper()
	listener, err := new(net.ListenConfig).Listen(b.Context(), "tcp", "127.0.0.1:0")
	require.NoError(b, err)
	require.NoError(b, listener.Close())
	address, graph := listener.Addr().String(), filepath.Join(dir, "graph.json")
	began := time.Now()
	run := command(b, dir, "run", "-debug-actiongraph="+graph, "./cmd/brokerage", "serve",
		"--listen", address, "--db", "sqlite:"+filepath.Join(dir, "brokerage.db"))
	run.Stderr = io.Discard // its log
	run.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	require.NoError(b, run.Start())
	for ; !answers(b.Context(), "http://"+address+"/v1/securities/A/price"); time.Sleep(100 * time.Millisecond) {
		require.Less(b, time.Since(began), 50*time.Minute)
	}
	elapsed = time.Since(began)
	require.NoError(b, syscall.Kill(-run.Process.Pid, syscall.SIGINT))
	_ = run.Wait() // go run ends with 1 when it is interrupted

	var actions []struct {
		Mode, Package   string
		CmdUser, CmdSys time.Duration
	}
	require.NoError(b, json.Unmarshal([]byte(testenv.Text(b, graph)), &actions))
	modules := modulesOf(b, dir)
	costs = map[string]*cost{}
	for _, module := range modules {
		if costs[module] == nil {
			costs[module] = &cost{name: module}
		}
		costs[module].packages++
	}
	costs["linking"] = &cost{name: "linking"}
	for _, a := range actions {
		name := modules[a.Package]
		if a.Mode == "link" {
			name = "linking"
		}
		if c := costs[name]; c != nil {
			c.compile += a.CmdUser + a.CmdSys
		}
	}
	return elapsed, processorTime(run), costs
}

// answers reports whether a request is answered with 200.
func answers(ctx context.Context, url string) bool {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	if err != nil {
		return false
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return false
	}
	return response.Body.Close() == nil && response.StatusCode == http.StatusOK
}

// modulesOf returns the module of each package of the binary.
func modulesOf(b *testing.B, dir string) map[string]string {
	b.Helper()
	out, err := command(b, dir, "list", "-deps", "-f", "{{.ImportPath}} {{with .Module}}"+
		"{{if .Main}}this project{{else}}`{{.Path}}{{with .Replace}} => {{.Path}}{{end}}`{{end}}"+
		"{{else}}the standard library{{end}}", "./cmd/brokerage").Output()
	require.NoError(b, err)
	modules := map[string]string{}
	for line := range strings.Lines(string(out)) {
		name, module, _ := strings.Cut(strings.TrimSpace(line), " ")
		modules[name] = module
	}
	return modules
}

// sizes builds the binary twice, and adds each module's machine code to its cost. It returns megabytes.
func sizes(b *testing.B, dir string, costs map[string]*cost) (stripped, whole float64) {
	b.Helper()
	binary := filepath.Join(dir, "brokerage")
	build := func(flags string) int64 {
		require.NoError(b, command(b, dir, "build", "-ldflags="+flags, "-o", binary, "./cmd/brokerage").Run())
		info, err := os.Stat(binary)
		require.NoError(b, err)
		return info.Size()
	}
	rest := &cost{name: "tables for types, stack traces and strings", bytes: build("-s -w")}
	stripped, whole = float64(rest.bytes)/1e6, float64(build(""))/1e6
	out, err := command(b, dir, "tool", "nm", "-size", binary).Output()
	require.NoError(b, err)
	modules := modulesOf(b, dir)
	for line := range strings.Lines(string(out)) {
		fields := strings.Fields(line) // address, size, kind, name
		if len(fields) < 4 || !strings.EqualFold(fields[2], "T") {
			continue
		}
		n, err := strconv.ParseInt(fields[1], 10, 64)
		require.NoError(b, err)
		if c := costs[modules[packageOf(fields[3])]]; c != nil {
			c.bytes += n
			rest.bytes -= n
		}
	}
	costs[rest.name] = rest
	return stripped, whole
}

// packageOf returns the package of a symbol, such as a.org/b for a.org/b.(*C[d.org/e]).F.
func packageOf(symbol string) string {
	if arguments := strings.IndexAny(symbol, "([{"); arguments >= 0 {
		symbol = symbol[:arguments]
	}
	slash := strings.LastIndex(symbol, "/") + 1
	name, _, _ := strings.Cut(symbol[slash:], ".")
	name, err := url.PathUnescape(symbol[:slash] + name)
	if err != nil {
		return ""
	}
	if name == "main" {
		return "brokerage/cmd/brokerage"
	}
	return name
}

//go:build db2

package db2test_test

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/dataset"
	"brokerage/internal/store/db2"
	"brokerage/internal/store/db2/db2test"
	"brokerage/internal/testenv"
)

// An instance is a service that runs as a process of its own.
type instance struct {
	cmd  *exec.Cmd
	logs string // the file of its log
	url  string
}

// program builds the program with IBM's driver.
var program = sync.OnceValues(func() (string, error) {
	path := filepath.Join(os.TempDir(), fmt.Sprintf("brokerage-db2-%d", os.Getpid()))
	cmd := exec.Command("go", "build", "-tags", "db2", "-o", path, "./cmd/brokerage")
	cmd.Dir = root
	out, err := cmd.CombinedOutput()
	if err != nil {
		err = fmt.Errorf("%w: %s", err, out)
	}
	return path, err
})

// serving starts the service and waits until it listens.
func serving(t testing.TB, args ...string) *instance {
	t.Helper()
	path, err := program()
	require.NoError(t, err)
	dir := t.TempDir()
	i := &instance{logs: filepath.Join(dir, "log")}
	logs, err := os.Create(i.logs)
	require.NoError(t, err)
	i.cmd = exec.CommandContext(t.Context(), path, append([]string{"serve", "--listen", "127.0.0.1:0"}, args...)...)
	i.cmd.Dir, i.cmd.Stderr = dir, logs
	require.NoError(t, i.cmd.Start())
	t.Cleanup(func() {
		if i.cmd.ProcessState == nil {
			_ = i.cmd.Process.Kill() // only after a failed test
			_ = i.cmd.Wait()
		}
		_ = logs.Close() // it was written
	})
	listening := regexp.MustCompile(`"msg":"listening","addr":"([^"]+)"`)
	eventually(t, func() bool {
		if found := listening.FindStringSubmatch(i.said(t)); found != nil {
			i.url = "http://" + found[1]
		}
		return i.url != ""
	}, "the service does not listen: %s", i.logs)
	return i
}

// said returns the log.
func (i *instance) said(t testing.TB) string { return testenv.Text(t, i.logs) }

// stop stops the service as an administrator does.
func (i *instance) stop(t testing.TB) {
	t.Helper()
	require.NoError(t, i.cmd.Process.Signal(syscall.SIGTERM))
	require.NoError(t, i.cmd.Wait(), i.said(t))
}

func eventually(t testing.TB, ok func() bool, format string, args ...any) {
	t.Helper()
	require.Eventuallyf(t, ok, 2*time.Minute, 20*time.Millisecond, format, args...)
}

// send sends a request, and returns the status and the body of the answer.
func send(t testing.TB, method, url, body string) (status int, answer string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	require.NoError(t, err)
	request.Header.Set("Content-Type", "application/xml")
	response, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	text, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	return response.StatusCode, string(text)
}

// status returns the status of a read.
func (i *instance) status(t testing.TB, path string) int {
	t.Helper()
	status, _ := send(t, "GET", i.url+path, "")
	return status
}

// servingBench serves from a database of the stand-in.
func servingBench(t testing.TB, counts dataset.Counts, args ...string) (*instance, *db2test.Bench, *dataset.Dataset) {
	t.Helper()
	b := db2test.StartServer(t).Database(t)
	s, err := db2.Open(t.Context(), b.URL(), db2.Options{})
	require.NoError(t, err)
	d := dataset.NewOf(1, counts)
	require.NoError(t, s.LoadDataset(t.Context(), d, nil))
	require.NoError(t, s.Close())
	return serving(t, append([]string{"--db", b.URL()}, args...)...), b, d
}

// All 17 transactions work over HTTP, some are refused, and the service recovers from broken connections.
func TestServe_Db2(t *testing.T) {
	// The first requests wait for Java, which on a busy machine takes longer than any user would wait.
	i, b, d := servingBench(t, dataset.Counts{Securities: 40, Customers: 30, Orders: 60},
		"--timeout", "25s", "--write-timeout", "1m")
	customer, account, symbol := d.ID(dataset.Customer, 5), d.FirstAccount(5), d.Symbol(3)
	newOrder, newCustomer, newAccounts := int64(777_000), int64(888_000), []int64{999_000, 999_001}
	order := string(d.AppendNewOrder(nil, 70,
		dataset.NewOrder{ID: newOrder, Account: newAccounts[0], Symbol: symbol, Time: time.Unix(1e9, 0)}))
	owner := string(d.AppendNewCustomer(nil, 40, dataset.NewCustomer{ID: newCustomer, Accounts: newAccounts[:1]}))
	opened := string(d.AppendNewAccount(nil, 41, dataset.NewAccount{ID: newAccounts[1]}))
	trade := fmt.Sprintf(
		`<Trade xmlns="http://tpox-benchmark.com/custacc"><Symbol>%s</Symbol><Quantity>2.5</Quantity></Trade>`, symbol)
	for _, step := range []struct {
		method, path, body string
		status             int
		says               string
	}{
		{
			"GET", fmt.Sprintf("/v1/orders/%d", d.ID(dataset.Order, 7)), "", 200, fmt.Sprintf(`ID="%d"`, d.ID(dataset.Order, 7)),
		},
		{"GET", "/v1/securities/" + symbol, "", 200, "<Symbol>" + symbol + "</Symbol>"},
		{"GET", fmt.Sprintf("/v1/customers/%d/profile", customer), "", 200, fmt.Sprintf(`CUSTOMERID="%d"`, customer)},
		{"GET", "/v1/securities?sector=Energy&peMin=0&peMax=1000&yieldMin=0", "", 200, "count="},
		{"GET", fmt.Sprintf("/v1/customers/%d/statement", customer), "", 200, fmt.Sprintf(`ACCOUNT_ID="%d"`, account)},
		{"GET", "/v1/securities/" + symbol + "/price", "", 200, "LastTrade"},
		{"GET", fmt.Sprintf("/v1/customers/%d/orders/largest", customer), "", 200, "Customer_Max_Order"},
		{"POST", "/v1/customers", owner, 201, ""},
		{"POST", "/v1/customers", owner, 409, "customer-exists"},
		{"POST", "/v1/customers", strings.Replace(owner, "<Gender>", "<Gender>?", 1), 422, "Gender"},
		{"POST", fmt.Sprintf("/v1/customers/%d/accounts", newCustomer), opened, 201, ""},
		{
			"GET", fmt.Sprintf("/v1/accounts/%d", newAccounts[1]), "", 200,
			fmt.Sprintf(`<Account xmlns="http://tpox-benchmark.com/custacc" id="%d"`, newAccounts[1]),
		},
		{"POST", "/v1/orders", order, 201, ""},
		{"POST", "/v1/orders", order, 409, "order-exists"},
		{"GET", fmt.Sprintf("/v1/customers/%d/orders/largest", newCustomer), "", 200, fmt.Sprintf(`ORDER_ID="%d"`, newOrder)},
		{
			"PUT", fmt.Sprintf("/v1/orders/%d/status", newOrder),
			`<OrderStatus xmlns="http://www.fixprotocol.org/FIXML-4-4" Stat="2"/>`, 200, `Stat="2"`,
		},
		{
			"PUT", fmt.Sprintf("/v1/orders/%d/status", newOrder),
			`<OrderStatus xmlns="http://www.fixprotocol.org/FIXML-4-4" Stat="?"/>`, 422, "Stat",
		},
		{
			"PUT", "/v1/securities/" + symbol + "/price",
			`<Price xmlns="http://tpox-benchmark.com/security"><LastTrade>41.25</LastTrade></Price>`, 200, "41.25",
		},
		{"POST", fmt.Sprintf("/v1/accounts/%d/buy", newAccounts[0]), trade, 200, "<Amount>103.12</Amount>"},
		{"POST", fmt.Sprintf("/v1/accounts/%d/sell", newAccounts[0]), trade, 200, "<Amount>103.12</Amount>"},
		{"POST", fmt.Sprintf("/v1/accounts/%d/sell", newAccounts[0]), strings.Replace(trade, "2.5", "999999999", 1), 409, ""},
		{"DELETE", fmt.Sprintf("/v1/customers/%d/accounts/%d", newCustomer, newAccounts[1]), "", 204, ""},
		{"DELETE", fmt.Sprintf("/v1/customers/%d/accounts/%d", newCustomer, newAccounts[0]), "", 409, "last-account"},
		{"DELETE", fmt.Sprintf("/v1/customers/%d", newCustomer), "", 204, ""},
		{"DELETE", fmt.Sprintf("/v1/customers/%d", newCustomer), "", 404, ""},
		{"DELETE", fmt.Sprintf("/v1/orders/%d", newOrder), "", 204, ""},
		{"GET", fmt.Sprintf("/v1/orders/%d", newOrder), "", 404, ""},
		{"GET", "/readyz", "", 200, ""},
	} {
		status, answer := send(t, step.method, i.url+step.path, step.body)
		require.Equal(t, step.status, status, "%s %s: %s", step.method, step.path, answer)
		require.Contains(t, answer, step.says, "%s %s", step.method, step.path)
	}

	// The network breaks: the next requests may fail, later ones succeed.
	b.Cut()
	eventually(t, func() bool { return i.status(t, "/v1/securities/"+symbol) == http.StatusOK },
		"no answer after the connections broke")
	i.stop(t)
}

// The service waits for a server that is not reachable yet, then for a database that does not exist, and logs why.
func TestServe_Db2Wait(t *testing.T) {
	server := db2test.StartServer(t)
	var listening net.ListenConfig
	listener, err := listening.Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	address := listener.Addr().String()
	require.NoError(t, listener.Close()) // the port is free
	i := serving(t, "--wait", "--db", "db2://me:secret@"+address+"/LATER")
	because := func(code string) {
		t.Helper()
		eventually(t, func() bool { return strings.Contains(i.said(t), code) }, "the log lacks %s", code)
		require.Equal(t, http.StatusOK, i.status(t, "/healthz"))
		require.Equal(t, http.StatusServiceUnavailable, i.status(t, "/readyz"))
	}
	because("SQL30081N") // nobody listens
	b := server.Absent(t, "LATER", address)
	because("SQL30061N") // no such database
	b.Create(t)
	eventually(t, func() bool { return i.status(t, "/readyz") == http.StatusOK }, "it is ready")
	require.Equal(t, http.StatusNotFound, i.status(t, "/v1/orders/1"))
	i.stop(t)
	require.Contains(t, i.said(t), "the database is available")
	require.NotContains(t, i.said(t), "secret")
}

// poolVariable sets how long the pool is tested, such as 10m; the default is 10 seconds.
const poolVariable = "BROKERAGE_DB2BENCH_POOL"

// Two hundred users share a pool of 40 connections: no request gets a 500, and no connection leaks.
func TestServe_Db2Pool(t *testing.T) {
	duration := 10 * time.Second
	if text := os.Getenv(poolVariable); text != "" {
		var err error
		duration, err = time.ParseDuration(text)
		require.NoError(t, err)
	}
	const pool, users = 40, 200
	i, b, d := servingBench(t, dataset.Counts{Securities: 40, Customers: 30, Orders: 60}, "--pool", fmt.Sprint(pool))
	at200 := func(duration time.Duration) map[int]int {
		ctx, cancel := context.WithTimeout(t.Context(), duration)
		defer cancel()
		counts := make([]map[int]int, users)
		var all sync.WaitGroup
		for user := range users {
			all.Go(func() { counts[user] = work(ctx, i.url, d, user) })
		}
		all.Wait()
		total := make(map[int]int)
		for _, count := range counts {
			for status, n := range count {
				total[status] += n
			}
		}
		return total
	}
	at200(5 * time.Second) // until the pool is at its largest
	before := resources(t, i)
	t.Logf("before: %+v", before)
	var answers map[int]int
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		answers = at200(duration)
	}()
	every := time.NewTicker(duration / 10)
	defer every.Stop()
	for working := true; working; {
		select {
		case <-ended:
			working = false
		case <-every.C:
			t.Logf("%+v", resources(t, i))
		}
	}
	after := resources(t, i)
	t.Logf("after %s: %+v; answers by status: %v", duration, after, answers)
	require.Positive(t, answers[http.StatusOK])
	require.Zero(t, answers[http.StatusInternalServerError], i.said(t))
	require.LessOrEqual(t, b.Connections(), pool)
	require.LessOrEqual(t, after.files, before.files+users, "files stay open") // the users' own connections vary
	eventually(t, func() bool { return i.status(t, "/readyz") == http.StatusOK },
		"not ready after the users have gone")
	i.stop(t)
	eventually(t, func() bool { return b.Connections() == 0 }, "connections stay when the service is gone")
}

// work does what a user does until ctx ends: it reads, trades, updates prices, and inserts and deletes orders. It
// returns the number of responses by status.
func work(ctx context.Context, url string, d *dataset.Dataset, user int) map[int]int {
	counts := make(map[int]int)
	r := rand.New(rand.NewPCG(1, uint64(user)))
	ask := func(method, path, body string) {
		request, err := http.NewRequestWithContext(ctx, method, url+path, strings.NewReader(body))
		if err != nil {
			counts[-1]++
			return
		}
		request.Header.Set("Content-Type", "application/xml")
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			return // the time is over; other errors are not counted either
		}
		counts[response.StatusCode]++
		_, _ = io.Copy(io.Discard, response.Body) // only its status counts
		_ = response.Body.Close()                 // only its status counts
	}
	for n := int64(0); ctx.Err() == nil; n++ {
		customer := r.Int64N(d.Count(dataset.Customer))
		symbol := d.Symbol(int(r.Int64N(d.Count(dataset.Security))))
		switch r.IntN(6) {
		case 0:
			ask("GET", fmt.Sprintf("/v1/orders/%d", d.ID(dataset.Order, r.Int64N(d.Count(dataset.Order)))), "")
		case 1:
			ask("GET", "/v1/securities/"+symbol+"/price", "")
		case 2:
			ask("GET", fmt.Sprintf("/v1/customers/%d/statement", d.ID(dataset.Customer, customer)), "")
		case 3:
			ask("POST", fmt.Sprintf("/v1/accounts/%d/buy", d.FirstAccount(customer)),
				`<Trade xmlns="http://tpox-benchmark.com/custacc"><Symbol>`+symbol+`</Symbol><Quantity>1</Quantity></Trade>`)
		case 4:
			ask("PUT", "/v1/securities/"+symbol+"/price",
				`<Price xmlns="http://tpox-benchmark.com/security"><LastTrade>41.25</LastTrade></Price>`)
		default:
			id := 1_000_000 + int64(user)*1_000_000 + n
			ask(
				"POST", "/v1/orders",
				string(d.AppendNewOrder(nil, n,
					dataset.NewOrder{ID: id, Account: d.FirstAccount(customer), Symbol: symbol, Time: time.Unix(1e9, 0)})),
			)
			ask("DELETE", fmt.Sprintf("/v1/orders/%d", id), "")
		}
	}
	return counts
}

// used are the resources of a service, by /proc and its own metrics.
type used struct {
	files, threads, goroutines int
	memory                     int // resident, in KB: the heap, and what the client library has allocated
	heap                       int // of Go, in KB
}

func resources(t testing.TB, i *instance) (u used) {
	t.Helper()
	process := fmt.Sprintf("/proc/%d/", i.cmd.Process.Pid)
	files, err := os.ReadDir(process + "fd")
	require.NoError(t, err)
	u.files = len(files)
	status := testenv.Text(t, process+"status")
	_, metrics := send(t, "GET", i.url+"/metrics", "")
	var heap, goroutines float64
	for _, from := range []struct {
		text, name string
		into       any
	}{
		{status, "\nVmRSS:", &u.memory}, {status, "\nThreads:", &u.threads},
		{metrics, "\ngo_goroutines ", &goroutines}, {metrics, "\ngo_memstats_heap_inuse_bytes ", &heap},
	} {
		_, rest, found := strings.Cut(from.text, from.name)
		require.True(t, found, from.name)
		_, err := fmt.Sscan(rest, from.into)
		require.NoError(t, err, from.name)
	}
	u.goroutines, u.heap = int(goroutines), int(heap)>>10
	return u
}

//go:build db2

package main

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/dataset"
	"brokerage/internal/store/db2"
	"brokerage/internal/store/db2/db2test"
	"brokerage/internal/testenv"
)

// onBench serves from a database of the stand-in for Db2.
func onBench(t testing.TB, counts dataset.Counts, args ...string) (*instance, *db2test.Bench, *dataset.Dataset) {
	t.Helper()
	b := db2test.StartServer(t).Database(t)
	url := b.URL()
	s, err := db2.Open(t.Context(), url, db2.Options{})
	require.NoError(t, err)
	d := dataset.NewOf(1, counts)
	require.NoError(t, s.LoadDataset(t.Context(), d, nil))
	require.NoError(t, s.Close())
	return serving(t, "", append([]string{"--db", url}, args...)...), b, d
}

// All 17 transactions over HTTP; the effect of each is read afterwards.
func TestServe_Db2(t *testing.T) {
	// The first requests wait for Java, which on a busy machine takes longer than any user would wait.
	i, b, d := onBench(t, dataset.Counts{Securities: 40, Customers: 30, Orders: 60}, "--timeout", "25s", "--write-timeout",
		"1m")
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
		a := send(t, step.method, i.url+step.path, "", step.body)
		require.Equal(t, step.status, a.status, "%s %s: %s", step.method, step.path, a.body)
		require.Contains(t, a.body, step.says, "%s %s", step.method, step.path)
	}

	// The network breaks: the next requests may fail, later ones succeed.
	b.Cut()
	eventually(t, func() bool { return get(t, i.url+"/v1/securities/"+symbol).status == http.StatusOK },
		"no answer after the connections broke")
	i.stop(t)
}

// The server is started after the service, then the database is created: the service waits for each, and says why.
func TestServe_Db2Wait(t *testing.T) {
	server := db2test.StartServer(t)
	address := freeAddress(t)
	i := serving(t, "", "--wait", "--db", "db2://me:secret@"+address+"/LATER")
	because := func(code string) {
		t.Helper()
		eventually(t, func() bool {
			return strings.Contains(fmt.Sprint(i.logs.find(t, "waiting for the database")["error"]), code)
		}, "it says %s: %s", code, i.logs)
		require.Equal(t, http.StatusOK, get(t, i.url+"/healthz").status)
		require.Equal(t, http.StatusServiceUnavailable, get(t, i.url+"/readyz").status)
	}
	because("SQL30081N") // nobody listens
	b := server.Absent(t, "LATER", address)
	because("SQL30061N") // no such database
	b.Create(t)
	i.logs.wait(t, "the database is available")
	eventually(t, func() bool { return get(t, i.url+"/readyz").status == http.StatusOK }, "it is ready")
	require.Equal(t, http.StatusNotFound, get(t, i.url+"/v1/orders/1").status)
	i.stop(t)
	require.NotContains(t, i.logs.String(), "secret")
}

// poolVariable sets how long the pool is tested, such as 10m; the default is a few seconds.
const poolVariable = "BROKERAGE_DB2BENCH_POOL"

// Two hundred users on a pool of connections: no connection is lost, and none leaks.
func TestServe_Db2Pool(t *testing.T) {
	duration := 10 * time.Second
	if text := os.Getenv(poolVariable); text != "" {
		var err error
		duration, err = time.ParseDuration(text)
		require.NoError(t, err)
	}
	const pool, users = 40, 200
	i, b, d := onBench(t, dataset.Counts{Securities: 40, Customers: 30, Orders: 60}, "--pool", fmt.Sprint(pool))
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
	require.Zero(t, answers[http.StatusInternalServerError], i.logs.String())
	require.LessOrEqual(t, b.Connections(), pool)
	require.LessOrEqual(t, after.files, before.files+users, "files stay open") // the users' own connections vary
	eventually(t, func() bool { return get(t, i.url+"/readyz").status == http.StatusOK },
		"not ready after the users have gone")
	i.stop(t)
	eventually(t, func() bool { return b.Connections() == 0 }, "connections stay when the service is gone")
}

// work is a user until the time is over: it reads, trades, and inserts and deletes orders. It counts the responses by
// status.
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
			return // the time is over; other errors show in the counts
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

// used are the resources of a service, as it reports them itself.
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
	metrics := get(t, i.url+"/metrics").body
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

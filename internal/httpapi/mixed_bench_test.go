package httpapi_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/brokerage"
	"brokerage/internal/dataset"
	"brokerage/internal/httpapi"
	"brokerage/internal/store/guard"
	"brokerage/internal/store/null"
	"brokerage/internal/store/sqlite"
)

const (
	connections = 50
	mixedFor    = 5 * time.Second
)

// BenchmarkMixed is the mixed workload over HTTP, 50 connections from this process, on the store that costs nothing and
// on the embedded one (XXXS): what share the tier above the store has. One iteration takes five seconds, so -benchtime
// 1x does.
func BenchmarkMixed(b *testing.B) {
	scale, err := dataset.ParseScale("XXXS")
	require.NoError(b, err)
	d := dataset.New(dataset.Spec{Scale: scale, Seed: 1})
	nothing, err := null.Open()
	require.NoError(b, err)
	embedded, err := sqlite.Open(b.Context(), filepath.Join(b.TempDir(), "brokerage.db"), sqlite.Options{})
	require.NoError(b, err)
	b.Cleanup(func() { require.NoError(b, embedded.Close()) })
	require.NoError(b, embedded.LoadDataset(b.Context(), d, nil))

	rates := make(map[string]float64)
	for _, s := range []struct {
		name  string
		store brokerage.Store
	}{{"null", nothing}, {"sqlite", embedded}} {
		b.Run(s.name, func(b *testing.B) {
			var r mixedRun
			for b.Loop() {
				r = runMixed(b, d, s.store)
			}
			rates[s.name] = r.rate
			b.ReportMetric(r.rate, "tx/s")
			b.ReportMetric(float64(r.p99("get_order").Microseconds()), "p99-get_order-µs")
			b.Log("\n" + r.String())
		})
	}
	if rates["null"] > 0 && rates["sqlite"] > 0 {
		b.Logf("sqlite reaches %.0f %% of null", 100*rates["sqlite"]/rates["null"])
	}
}

// mixedRun is what came of a run.
type mixedRun struct {
	rate     float64
	cpu      time.Duration              // of this process, a transaction
	times    map[string][]time.Duration // sorted
	failures map[string]int
}

func (r *mixedRun) p99(name string) time.Duration {
	if times := r.times[name]; len(times) > 0 {
		return times[len(times)*99/100]
	}
	return 0
}

func (r *mixedRun) String() string {
	var out bytes.Buffer
	for _, t := range brokerage.Transactions {
		times := r.times[t.Name]
		if len(times) == 0 {
			continue
		}
		fmt.Fprintf(&out, "%-22s %8d  median %6d µs  p99 %6d µs\n", t.Name, len(times), times[len(times)/2].Microseconds(),
			r.p99(t.Name).Microseconds())
	}
	fmt.Fprintf(&out, "%.0f transactions a second, refused %v, %v of processor time each", r.rate, r.failures, r.cpu)
	return out.String()
}

func runMixed(b *testing.B, d *dataset.Dataset, store brokerage.Store) (r mixedRun) {
	b.Helper()
	handler, err := httpapi.New(guard.New(store, guard.Options{}), httpapi.Options{Timeout: 10 * time.Second})
	require.NoError(b, err)
	listener, err := (&net.ListenConfig{}).Listen(b.Context(), "tcp", "127.0.0.1:0")
	require.NoError(b, err)
	server := &http.Server{Handler: handler, ConnContext: httpapi.ConnContext, ReadHeaderTimeout: 5 * time.Second}
	go func() { _ = server.Serve(httpapi.JoinWrites(listener)) }() // ends with Shutdown
	defer func() { require.NoError(b, server.Shutdown(context.Background())) }()

	users := make([]*user, connections)
	var ready, wg sync.WaitGroup
	begin := make(chan struct{})
	ready.Add(connections)
	for i := range users {
		users[i] = newUser(b, d, listener.Addr().String())
		wg.Go(func() {
			users[i].warmUp()
			ready.Done()
			<-begin
			users[i].work(mixedFor)
		})
	}
	ready.Wait()
	began, before := time.Now(), processorTime(b)
	close(begin)
	wg.Wait()
	took, used := time.Since(began), processorTime(b)-before

	r.times, r.failures = make(map[string][]time.Duration), make(map[string]int)
	n, failures := 0, 0
	for _, u := range users {
		require.NoError(b, u.err)
		for what, times := range u.failures {
			r.failures[what] += times
			failures += times
		}
		for name, times := range u.times {
			r.times[name] = append(r.times[name], times...)
			n += len(times)
		}
	}
	for _, times := range r.times {
		slices.Sort(times)
	}
	require.Less(b, failures, 1+n/200, "unexpected refusals: %v", r.failures)
	r.rate = float64(n) / took.Seconds()
	r.cpu = used / time.Duration(max(n, 1))
	return r
}

// processorTime is what this process has used, clients and service.
func processorTime(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	require.NoError(b, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// nextID is for what users insert: behind every dataset.
var nextID atomic.Int64

func init() { nextID.Store(10_000_000_000) }

// user is one connection, and what it has inserted itself: only that it deletes.
type user struct {
	d         *dataset.Dataset
	rand      *rand.Rand
	conn      net.Conn
	in        *bufio.Reader
	out       []byte
	orders    []int64
	customers []int64
	opened    [][2]int64 // customer and account
	times     map[string][]time.Duration
	failures  map[string]int // by transaction and status
	err       error
}

func newUser(b *testing.B, d *dataset.Dataset, addr string) *user {
	b.Helper()
	conn, err := (&net.Dialer{}).DialContext(b.Context(), "tcp", addr)
	require.NoError(b, err)
	b.Cleanup(func() { _ = conn.Close() })
	return &user{d: d, rand: rand.New(rand.NewPCG(rand.Uint64(), 1)), conn: conn, in: bufio.NewReaderSize(conn, 64<<10),
		times: make(map[string][]time.Duration), failures: make(map[string]int)}
}

func (u *user) warmUp() {
	for range 20 {
		u.do("insert_order")
	}
	for range 3 {
		u.do("insert_customer")
	}
	clear(u.times)
}

func (u *user) work(long time.Duration) {
	var cumulated [len(brokerage.Transactions)]int
	sum := 0
	for i, t := range brokerage.Transactions {
		sum += t.Weight
		cumulated[i] = sum
	}
	for began := time.Now(); u.err == nil && time.Since(began) < long; {
		draw := u.rand.IntN(sum)
		i := slices.IndexFunc(cumulated[:], func(upTo int) bool { return draw < upTo })
		u.do(brokerage.Transactions[i].Name)
	}
}

func (u *user) order() string {
	return strconv.FormatInt(u.d.ID(dataset.Order, u.rand.Int64N(u.d.Count(dataset.Order))), 10)
}

func (u *user) customer() string {
	return strconv.FormatInt(u.d.ID(dataset.Customer, u.rand.Int64N(u.d.Count(dataset.Customer))), 10)
}

func (u *user) symbol() string { return u.d.Symbol(u.rand.IntN(int(u.d.Count(dataset.Security)))) }

// takeOut removes a random element.
func takeOut[T any](u *user, list *[]T) T {
	i := u.rand.IntN(len(*list))
	e := (*list)[i]
	last := len(*list) - 1
	(*list)[i] = (*list)[last]
	*list = (*list)[:last]
	return e
}

// do does a transaction; one that has nothing to work on is drawn again.
func (u *user) do(name string) {
	method := http.MethodGet
	var path string
	var body []byte
	then := func() {}
	switch name {
	case "get_order":
		path = "/v1/orders/" + u.order()
	case "get_security":
		path = "/v1/securities/" + u.symbol()
	case "customer_profile":
		path = "/v1/customers/" + u.customer() + "/profile"
	case "search_securities":
		sector := dataset.Sectors()[u.rand.IntN(len(dataset.Sectors()))]
		path = fmt.Sprintf("/v1/securities?sector=%s&peMin=%d&peMax=%d&yieldMin=%d",
			url.QueryEscape(sector), 20+u.rand.IntN(4), 25+u.rand.IntN(3), 4+u.rand.IntN(3))
	case "account_summary":
		path = "/v1/customers/" + u.customer() + "/statement"
	case "get_security_price":
		path = "/v1/securities/" + u.symbol() + "/price"
	case "customer_max_order":
		path = "/v1/customers/" + u.customer() + "/orders/largest"
	case "close_account":
		if len(u.opened) == 0 {
			return
		}
		own := takeOut(u, &u.opened)
		method, path = http.MethodDelete, fmt.Sprintf("/v1/customers/%d/accounts/%d", own[0], own[1])
	case "open_account":
		id := nextID.Add(1)
		customer := u.d.ID(dataset.Customer, u.rand.Int64N(u.d.Count(dataset.Customer)))
		method, path = http.MethodPost, fmt.Sprintf("/v1/customers/%d/accounts", customer)
		body = u.d.AppendNewAccount(nil, u.rand.Int64N(1000), dataset.NewAccount{ID: id})
		then = func() { u.opened = append(u.opened, [2]int64{customer, id}) }
	case "update_security_price":
		method, path = http.MethodPut, "/v1/securities/"+u.symbol()+"/price"
		body = fmt.Appendf(nil, `<Price xmlns="%s"><LastTrade>%d.25</LastTrade></Price>`, brokerage.SecurityNS,
			1+u.rand.IntN(200))
	case "update_order_status":
		method, path = http.MethodPut, "/v1/orders/"+u.order()+"/status"
		body = fmt.Appendf(nil, `<OrderStatus xmlns="%s" Stat="%d"/>`, brokerage.FIXMLNS, u.rand.IntN(5))
	case "buy_security", "sell_security":
		account := u.d.AccountAt(u.rand.Int64N(u.d.TotalAccounts()))
		method, path = http.MethodPost, fmt.Sprintf("/v1/accounts/%d/%s", account, name[:len(name)-len("_security")])
		body = fmt.Appendf(nil, `<Trade xmlns="%s"><Symbol>%s</Symbol><Quantity>%d</Quantity></Trade>`, brokerage.CustAccNS,
			u.d.Symbol(int(account%u.d.Count(dataset.Security))), 1+u.rand.IntN(10))
	case "insert_order":
		id := nextID.Add(1)
		method, path = http.MethodPost, "/v1/orders"
		body = u.d.AppendNewOrder(nil, u.rand.Int64N(100_000), dataset.NewOrder{ID: id})
		then = func() { u.orders = append(u.orders, id) }
	case "insert_customer":
		id := nextID.Add(4) - 3
		method, path = http.MethodPost, "/v1/customers"
		body = u.d.AppendNewCustomer(nil, u.rand.Int64N(100_000),
			dataset.NewCustomer{ID: id, Accounts: []int64{id + 1, id + 2}})
		then = func() { u.customers = append(u.customers, id) }
	case "delete_order":
		if len(u.orders) == 0 {
			return
		}
		method, path = http.MethodDelete, fmt.Sprintf("/v1/orders/%d", takeOut(u, &u.orders))
	case "delete_customer":
		if len(u.customers) == 0 {
			return
		}
		method, path = http.MethodDelete, fmt.Sprintf("/v1/customers/%d", takeOut(u, &u.customers))
	default:
		u.err = fmt.Errorf("no transaction %s", name)
		return
	}
	began := time.Now()
	status, err := u.send(method, path, body)
	u.times[name] = append(u.times[name], time.Since(began))
	switch {
	case err != nil:
		u.err = err
	case status >= 400:
		u.failures[fmt.Sprint(name, " ", status)]++
	default:
		then()
	}
}

// send is HTTP/1.1 at its least: the client shares the processors with the service, so what it saves the service gets.
func (u *user) send(method, path string, body []byte) (status int, err error) {
	u.out = append(append(append(append(u.out[:0], method...), ' '), path...), " HTTP/1.1\r\nHost: b\r\n"...)
	if body != nil {
		u.out = append(strconv.AppendInt(append(u.out, "Content-Type: application/xml\r\nContent-Length: "...),
			int64(len(body)), 10), "\r\n"...)
	}
	u.out = append(append(u.out, "\r\n"...), body...)
	if _, err := u.conn.Write(u.out); err != nil {
		return 0, err
	}
	line, err := u.in.ReadSlice('\n')
	if err != nil || len(line) < 12 {
		return 0, fmt.Errorf("status line %q: %w", line, err)
	}
	if status, err = strconv.Atoi(string(line[9:12])); err != nil {
		return 0, err
	}
	length := 0
	for {
		line, err = u.in.ReadSlice('\n')
		if err != nil {
			return 0, err
		}
		if len(line) <= 2 {
			break
		}
		if value, ok := bytes.CutPrefix(line, []byte("Content-Length: ")); ok {
			if length, err = strconv.Atoi(string(bytes.TrimSpace(value))); err != nil {
				return 0, err
			}
		}
	}
	_, err = u.in.Discard(length)
	return status, err
}

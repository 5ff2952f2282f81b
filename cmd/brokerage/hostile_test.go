package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/stretchr/testify/require"

	"brokerage/api"
	"brokerage/internal/dataset"
	"brokerage/internal/probe"
	"brokerage/internal/store/postgres/pgtest"
	"brokerage/internal/testenv"
	"brokerage/internal/tpox"
)

// onEachStore tests a service on SQLite, on PostgreSQL and on Citus.
func onEachStore(t *testing.T, test func(t *testing.T, i *instance, db string)) {
	t.Helper()
	t.Run("SQLite", func(t *testing.T) {
		dir := tinyDB(t)
		i := serving(t, dir)
		test(t, i, "sqlite:"+dir+"/brokerage.db")
	})
	t.Run("Postgres", func(t *testing.T) {
		server, database := tinyPostgres(t)
		test(t, serving(t, "", "--db", server.URL(database)), server.URL(database))
	})
	t.Run("Citus", func(t *testing.T) { // whose statements have values in their texts
		cluster := pgtest.StartCluster(t, 2)
		database := cluster.Database(t)
		succeeds(t, "load", "--db", cluster.URL(database, 0)+"&distribute=8", "--scale", "tiny")
		test(t, serving(t, "", "--db", cluster.URL(database, 1, 2)), cluster.URL(database, 0))
	})
}

// polite waits for 100 Continue before it sends a body: the service refuses some bodies by their headers, and a client
// that is still sending may not be able to read the response.
var polite = &http.Client{
	Timeout: patience, Transport: &http.Transport{DisableKeepAlives: true, ExpectContinueTimeout: patience},
}

// post sends a body unchanged.
func (i *instance) post(t testing.TB, path, encoding string, body []byte) answer {
	t.Helper()
	headers := []string{"Expect", "100-continue"}
	if encoding != "" {
		headers = append(headers, "Content-Encoding", encoding)
	}
	return sendBy(t, polite, http.MethodPost, i.url+path, "", string(body), headers...)
}

// The most that a hostile body may cost, compared with a harmless one of the largest size.
const (
	timesAsMuch = 10
	slackTime   = 150 * time.Millisecond // the resolution of the clock, and other work of the process
	slackMemory = 64 << 20
)

// All hostile bodies are refused before any store sees them. None costs the service more than in proportion to its
// size, makes it connect anywhere, or changes anything.
func TestHostile_Bodies(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	outside := listener(t)
	var asked atomic.Int64
	go func() {
		for {
			conn, err := outside.Accept()
			if err != nil {
				return
			}
			asked.Add(1)
			_ = conn.Close() // the connection was counted
		}
	}()
	collection := attacks(outside.Addr().String())
	paths := []string{"/v1/orders", "/v1/customers?validate=no", "/v1/accounts/104000000/buy"}
	dir := tinyDB(t)
	i := serving(t, dir, "--max-body", "1MiB")
	used := func() (cpu time.Duration, peak float64) {
		f := probe.Here.Process(i.cmd.Process.Pid).Figures
		return time.Duration((f[probe.UserSeconds] + f[probe.SystemSeconds]) * 1e9), f[probe.PeakMemory]
	}
	harmless := []byte("<a>" + strings.Repeat("x", 1<<20-8) + "</a>")
	const runs = 5
	before, _ := used()
	for range runs {
		for _, path := range paths {
			require.Contains(t, []int{400, 413, 422}, i.post(t, path, "", harmless).status)
		}
	}
	usual, memory := used()
	usual = (usual - before) / runs
	for name, a := range collection {
		t.Run(name, func(t *testing.T) {
			before, _ := used()
			for _, path := range paths {
				answer := i.post(t, path, a.encoding, a.body)
				require.Contains(t, []int{400, 413, 415, 422}, answer.status, answer.body)
				require.Contains(t, answer.body, "urn:brokerage:problem:")
				require.NotContains(t, answer.body, "root:x:0")
			}
			after, _ := used()
			require.LessOrEqual(t, after-before, timesAsMuch*usual+slackTime)
		})
	}
	_, most := used()
	require.LessOrEqual(t, most, memory+slackMemory)
	require.Zero(t, asked.Load(), "the service connected to another host")
	i.requireUntouched(t, "sqlite:"+dir+"/brokerage.db")
}

// requireUntouched stops a service and requires that its database is sound and has as many documents as were loaded.
func (i *instance) requireUntouched(t testing.TB, db string) {
	t.Helper()
	i.stop(t)
	r := succeeds(t, "verify", "--db", db)
	require.Contains(t, r.out, "500 securities, 200 customers")
	require.Contains(t, r.out, "2,000 orders")
}

// Malformed, oversized and odd requests get an expected response, or none, and change nothing.
func TestHostile_Requests(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	i := serving(t, tinyDB(t), "--header-timeout", "1s", "--read-timeout", "2s")
	const closing = "Host: localhost\r\nConnection: close\r\n\r\n" // ends a request without other headers
	get := "GET /v1/orders/103282 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
	post := "POST /v1/orders HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/xml\r\n"
	for name, c := range map[string]struct {
		sent   string
		status []string // "" means that the connection is closed without a response
	}{
		"Proper":      {get + "\r\n", []string{"200"}},
		"ManyHeaders": {get + numbered(20_000, "X-%d: 1\r\n") + "\r\n", []string{"431", ""}},
		"LongHeader":  {get + "X: " + strings.Repeat("x", 1<<20) + "\r\n\r\n", []string{"431", ""}},
		"LongLine": {
			"GET /" + strings.Repeat("x", 1<<20) + " HTTP/1.1\r\nHost: localhost\r\n\r\n", []string{"431", "414", ""},
		},
		"NoEnd":           {get, []string{"", "408"}},
		"TwoLengths":      {post + "Content-Length: 4\r\nContent-Length: 5\r\n\r\n<a/>x", []string{"400"}},
		"HugeLength":      {post + "Content-Length: 99999999999999999999\r\n\r\n<a/>", []string{"400"}},
		"TooLong":         {post + "Content-Length: 9999999999\r\n\r\n<a/>", []string{"413"}},
		"LengthAndChunks": {post + "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", []string{"400"}},
		"ChunkedTwice":    {post + "Transfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n", []string{"400", "501"}},
		"ChunkOverflow":   {post + "Transfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFFF\r\n", []string{"400"}},
		"ChunkExtensions": {
			post + "Transfer-Encoding: chunked\r\n\r\n" + strings.Repeat("1;"+strings.Repeat("x", 4000)+"\r\nx\r\n", 200),
			[]string{"400", ""},
		},
		"HeaderSpace": {get + "X : 1\r\n\r\n", []string{"400"}},
		"TwoHosts":    {get + "Host: y\r\n\r\n", []string{"400"}},
		"HTTP2":       {"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", []string{"404", "421", "505", ""}},
		"Dots":        {"GET /../../etc/passwd HTTP/1.1\r\n" + closing, []string{"404"}},
		"Ranges":      {get + "Range: bytes=" + numbered(5000, "%d-,") + "\r\n\r\n", []string{"200", "431"}},
		"SplitByParameter": {
			"GET /v1/orders/1%0d%0aX-Injected:%201 HTTP/1.1\r\n" + closing, []string{"404"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			conn := dialed(t, i.url)
			go func() { _, _ = io.WriteString(conn, c.sent) }() // a response may come before everything is sent
			line, _ := bufio.NewReader(conn).ReadString('\n')
			status := ""
			if fields := strings.Fields(line); len(fields) > 1 {
				status = fields[1]
			}
			require.Contains(t, c.status, status, line)
		})
	}
	require.Equal(t, http.StatusOK, send(t, http.MethodGet, i.url+"/readyz", "", "").status)
	i.requireUntouched(t, "sqlite:"+i.cmd.Dir+"/brokerage.db")
}

// Payloads for SQL, XPath, a shell and a template are not executed as code, in any parameter of any operation of the
// contract or in the symbol of a trade.
func TestHostile_Injection(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	contract, err := openapi3.NewLoader().LoadFromData(api.OpenAPI())
	require.NoError(t, err)
	onEachStore(t, func(t *testing.T, i *instance, db string) {
		began := get(t, i.url+"/v1/dataset").body
		sent := 0
		for path, item := range contract.Paths.Map() {
			for method, op := range item.Operations() {
				all := append(append(openapi3.Parameters{}, item.Parameters...), op.Parameters...)
				for _, p := range all {
					for _, payload := range payloads {
						i.inject(t, method, path, all, p.Value, payload)
						sent++
					}
				}
			}
		}
		for _, payload := range payloads {
			answer := i.post(t, "/v1/accounts/104000000/buy", "", fmt.Appendf(nil, trade, payload))
			require.Contains(t, []int{400, 404, 422}, answer.status, payload)
		}
		require.Greater(t, sent, 1000)
		t.Logf("%d requests", sent)
		require.Equal(t, began, get(t, i.url+"/v1/dataset").body)
		i.requireUntouched(t, db)
	})
}

// inject sends one payload in place of one parameter. The others have the values of the contract's examples, but
// other headers are not sent, and requests that write get ids that do not exist, so that nothing is changed.
func (i *instance) inject(
	t testing.TB, method, path string, all openapi3.Parameters, at *openapi3.Parameter, payload string,
) {
	t.Helper()
	query, header := url.Values{}, http.Header{}
	for _, p := range all {
		value := payload
		if p.Value != at {
			if p.Value.Example == nil || p.Value.In == openapi3.ParameterInHeader {
				continue
			}
			value = fmt.Sprint(p.Value.Example)
			if method != http.MethodGet && p.Value.In == openapi3.ParameterInPath {
				value = "999999999999"
			}
		}
		switch p.Value.In {
		case openapi3.ParameterInPath:
			path = strings.Replace(path, "{"+p.Value.Name+"}", url.PathEscape(value), 1)
		case openapi3.ParameterInQuery:
			query.Set(p.Value.Name, value)
		case openapi3.ParameterInHeader:
			header.Set(p.Value.Name, regexp.MustCompile(`[^\x20-\x7E]`).ReplaceAllString(value, "")) // as a header must be
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, method, i.url+path+"?"+query.Encode(), strings.NewReader("<a/>"))
	require.NoError(t, err)
	request.Header = header
	request.Header.Set("Content-Type", "application/xml")
	response, err := client.Do(request)
	require.NoError(t, err)
	answer := io.Reader(response.Body)
	if response.Header.Get("Content-Type") == "text/event-stream" { // a stream, which does not end
		answer = io.LimitReader(answer, int64(len("retry: ")))
	}
	text, err := io.ReadAll(answer)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	what := fmt.Sprintf("%s %s %s=%q: %d %.300s", method, path, at.Name, payload, response.StatusCode, text)
	require.Less(t, response.StatusCode, 500, what)
	require.Empty(t, response.Header.Get("Set-Cookie"), what)
	for _, leak := range []string{"root:x:0", "PostgreSQL 1", "SQLSTATE", "SQL logic", "syntax error", "near \""} {
		require.NotContains(t, string(text), leak, what)
	}
	if at.In == openapi3.ParameterInPath {
		require.GreaterOrEqual(t, response.StatusCode, 400, what)
	}
	if at.Name == "sector" && response.StatusCode == http.StatusOK {
		require.Contains(t, string(text), `count="0"`, what)
	}
}

// greedyClients is the number of clients that write the largest documents as fast as they can, and greedyCustomers
// the number of customers that they write.
const (
	greedyClients   = 16
	greedyCustomers = 4
)

// While greedy clients trade for customers of the largest size or replace them, the median insert of an order by others
// takes at most ten times as long as without them, and 99 % of the inserts take less than a second.
func TestHostile_Greedy(t *testing.T) {
	chaosMode(t)
	d := dataset.New(dataset.Spec{Seed: 1})
	trade := fmt.Sprintf(`<Trade xmlns=%q><Symbol>%s</Symbol><Quantity>1</Quantity></Trade>`, tpox.CustAccNS, d.Symbol(1))
	onEachStore(t, func(t *testing.T, i *instance, _ string) {
		by := &http.Client{Timeout: patience, Transport: &http.Transport{MaxIdleConnsPerHost: 2 * greedyClients}}
		send := func(method, path, body string, status int) {
			a := sendBy(t, by, method, i.url+path, "", body)
			require.Equal(t, status, a.status, a.body)
		}
		var docs [greedyCustomers]string
		id := func(n int) int64 { return 900_000_000_000 + int64(n)*1_000_000 }
		for n := range docs {
			docs[n] = largestCustomer(d, id(n))
			send("POST", "/v1/customers?validate=no", docs[n], http.StatusCreated)
		}
		var orders atomic.Int64
		orders.Store(800_000_000_000)
		others := func() (median, most time.Duration) {
			var took []time.Duration
			for end := time.Now().Add(3 * time.Second); time.Now().Before(end); {
				id := orders.Add(1)
				doc := d.AppendNewOrder(nil, id, dataset.NewOrder{ID: id, Account: d.FirstAccount(0)})
				began := time.Now()
				send("POST", "/v1/orders", string(doc), http.StatusCreated)
				took = append(took, time.Since(began))
			}
			slices.Sort(took)
			return took[len(took)/2], took[len(took)*99/100]
		}

		alone, _ := others()
		for name, greedy := range map[string]func(n int){
			"Trades": func(n int) {
				account := fmt.Sprintf("/v1/accounts/%d/", id(n)+1)
				send("POST", account+"buy", trade, http.StatusOK)
				send("POST", account+"sell", trade, http.StatusOK)
			},
			"Replacements": func(n int) {
				send("PUT", fmt.Sprintf("/v1/customers/%d?validate=no", id(n)), docs[n], http.StatusNoContent)
			},
		} {
			t.Run(name, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				var all sync.WaitGroup
				var written atomic.Int64
				for client := range greedyClients {
					all.Go(func() {
						for ctx.Err() == nil {
							greedy(client % greedyCustomers)
							written.Add(1)
						}
					})
				}
				median, most := others()
				cancel()
				all.Wait()
				t.Logf("others' inserts take %v, alone %v, and 99 %% at most %v, while %d times a greedy client wrote",
					median, alone, most, written.Load())
				require.LessOrEqual(t, median, 10*alone)
				require.Less(t, most, time.Second)
				require.Positive(t, written.Load())
			})
		}
	})
}

// largestCustomer returns a customer of the largest size with as many accounts as fit. The first account has the id
// after the customer's, and is the only one that can trade.
func largestCustomer(d *dataset.Dataset, id int64) string {
	doc := d.AppendNewCustomer(nil, 3, dataset.NewCustomer{ID: id, Accounts: []int64{id + 1}})
	before, after, _ := strings.Cut(string(doc), "</Accounts>")
	var b strings.Builder
	b.WriteString(before)
	const room = 200 // for what a trade adds
	for account := id + 2; b.Len()+len(after)+room < 128<<10; account++ {
		fmt.Fprintf(&b, `<Account id="%d"></Account>`, account)
	}
	return b.String() + "</Accounts>" + after
}

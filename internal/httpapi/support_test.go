package httpapi

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/api"
	"brokerage/internal/dataset"
	"brokerage/internal/store"
	"brokerage/internal/store/postgres/pgtest"
	"brokerage/internal/store/sqlite"
	"brokerage/internal/store/sqlite/sqlitetest"
	"brokerage/internal/tpox"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

var generator = dataset.New(dataset.Spec{Seed: 1}) // tiny

// freshStore returns a store on a database of its own.
func freshStore(t testing.TB, rules tpox.Rules) tpox.Store {
	t.Helper()
	s, err := sqlite.Open(context.Background(), sqlitetest.Tiny(t), store.Options{Rules: rules})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

// fresh returns a server with a database of its own.
func fresh(t testing.TB, o Options) *Server {
	t.Helper()
	return serverOf(t, freshStore(t, tpox.Rules{}), o)
}

// clock is the time of every request, as in the examples of the contract.
var clock = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func serverOf(t testing.TB, store tpox.Store, o Options) *Server {
	t.Helper()
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	o.Version = "v1.0.0"
	s := New(store, o)
	s.now = func() time.Time { return clock }
	return s
}

// answer is a response with its body.
type answer struct {
	*http.Response

	body string
}

// newRequest returns a request, with headers as "Name: value".
func newRequest(method, target, body string, headers ...string) *http.Request {
	var from io.Reader
	if body != "" {
		from = strings.NewReader(body)
	}
	r := httptest.NewRequestWithContext(context.Background(), method, target, from)
	addHeaders(r, headers)
	if (body != "" || strings.Contains(target, "/leases?")) && r.Header["Content-Type"] == nil {
		r.Header.Set("Content-Type", "application/xml")
	}
	return r
}

func addHeaders(r *http.Request, headers []string) {
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		r.Header.Add(name, value)
	}
}

// over sends a request over a network.
func over(t testing.TB, server *httptest.Server, method, target string, body io.Reader, headers ...string) answer {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, server.URL+target, body)
	require.NoError(t, err)
	addHeaders(r, headers)
	response, err := server.Client().Do(r)
	require.NoError(t, err)
	b, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	return answer{response, string(b)}
}

// ask sends a request to a server without a network.
func ask(h http.Handler, method, target, body string, headers ...string) answer {
	return given(h, newRequest(method, target, body, headers...))
}

func given(h http.Handler, r *http.Request) answer {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return answer{w.Result(), w.Body.String()}
}

// ending returns the operations whose answers end by themselves.
func ending(s *Server) []*operation {
	return slices.DeleteFunc(s.operations(), func(op *operation) bool { return op.endless })
}

func example(t testing.TB, name string) string {
	t.Helper()
	b, err := api.Examples.ReadFile("examples/" + name)
	require.NoError(t, err)
	return string(b)
}

// requireProblem requires a refusal of a kind, in the form of the contract.
func requireProblem(t testing.TB, a answer, status int, kind string) {
	t.Helper()
	require.Equal(t, status, a.StatusCode, a.body)
	require.Contains(t, a.body, "urn:brokerage:problem:"+kind+"<", a.body)
	requireValidProblem(t, a)
}

// requests keeps logged requests.
type requests struct {
	mu  sync.Mutex
	all []RequestLog
}

func (r *requests) log(_ context.Context, l RequestLog) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.all = append(r.all, l)
}

func (r *requests) last() (l RequestLog, n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if n = len(r.all); n > 0 {
		l = r.all[n-1]
	}
	return l, n
}

// orderWith returns a new order with an id.
func orderWith(id int64) string {
	return string(generator.AppendNewOrder(nil, id,
		dataset.NewOrder{ID: id, Account: 104000000, Symbol: "SDP", Time: clock}))
}

func tradeOf(symbol, quantity string) string {
	return `<Trade xmlns="` + tpox.CustAccNS + `"><Symbol>` + symbol + `</Symbol><Quantity>` + quantity +
		`</Quantity></Trade>`
}

// stub passes calls on to the embedded Store. The methods below first call do, and return its error if it fails.
type stub struct {
	tpox.Store

	do func(context.Context) error
}

func (s *stub) GetOrder(ctx context.Context, id tpox.ID) ([]byte, error) {
	if err := s.do(ctx); err != nil {
		return nil, err
	}
	return s.Store.GetOrder(ctx, id)
}

func (s *stub) InsertOrder(ctx context.Context, w tpox.Write, doc []byte) (tpox.ID, error) {
	if err := s.do(ctx); err != nil {
		return 0, err
	}
	return s.Store.InsertOrder(ctx, w, doc)
}

func (s *stub) DeleteOrder(ctx context.Context, w tpox.Write, id tpox.ID) error {
	if err := s.do(ctx); err != nil {
		return err
	}
	return s.Store.DeleteOrder(ctx, w, id)
}

func (s *stub) Trade(ctx context.Context, w tpox.Write, account tpox.ID, t tpox.Trade) ([]byte, error) {
	if err := s.do(ctx); err != nil {
		return nil, err
	}
	return s.Store.Trade(ctx, w, account, t)
}

func (s *stub) Lease(ctx context.Context, kind string, count int64) (tpox.Range, error) {
	if err := s.do(ctx); err != nil {
		return tpox.Range{}, err
	}
	return s.Store.Lease(ctx, kind, count)
}

func (s *stub) Ready(ctx context.Context) error {
	if err := s.do(ctx); err != nil {
		return err
	}
	return s.Store.Ready(ctx)
}

// failing returns a stub whose methods fail with err.
func failing(err error) *stub { return &stub{do: func(context.Context) error { return err }} }

// holding is a store that only describes its contents.
type holding struct {
	tpox.Store

	contents tpox.Contents
}

func (s *holding) Describe() tpox.EngineInfo {
	return tpox.EngineInfo{Name: "test", Version: "1", Durability: tpox.Forgetful}
}

func (s *holding) Contents(context.Context) (tpox.Contents, error) { return s.contents, nil }

package workload

import (
	"context"
	"net"
	"net/http/httptest"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/dataset"
	"brokerage/internal/httpapi"
	"brokerage/internal/store"
	"brokerage/internal/store/null"
	"brokerage/internal/store/sqlite"
	"brokerage/internal/telemetry"
	"brokerage/internal/testenv"
	"brokerage/internal/tpox"
)

func TestMain(m *testing.M) {
	testenv.Parallel()
	os.Exit(m.Run())
}

func openSQLite(t testing.TB, file string) *sqlite.Store {
	t.Helper()
	s, err := sqlite.Open(t.Context(), file, store.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

func nullStore(t testing.TB) *null.Store {
	t.Helper()
	s, err := null.Open()
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

func direct(t testing.TB, s tpox.Store, url string) *Direct {
	t.Helper()
	d, err := NewDirect(s, url)
	require.NoError(t, err)
	return d
}

// serve starts a service over a store; stop closes all its connections.
func serve(t testing.TB, s tpox.Store) (url string, stop func()) {
	t.Helper()
	api := httpapi.New(s, httpapi.Options{
		Metrics: telemetry.New(telemetry.BuildInfo{}), Timeout: 20 * time.Second,
	})
	server := httptest.NewServer(api)
	stop = sync.OnceFunc(func() {
		server.CloseClientConnections()
		server.Close()
	})
	t.Cleanup(stop)
	return server.URL, stop
}

// listen returns the URL of a server that handles each connection, and closes it then.
func listen(t testing.TB, handle func(net.Conn)) (url string) {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				handle(conn)
				_ = conn.Close()
			}()
		}
	}()
	return "http://" + listener.Addr().String()
}

func overHTTP(t testing.TB, url, token string) *HTTP {
	t.Helper()
	h, err := NewHTTP(url, token, nil)
	require.NoError(t, err)
	return h
}

func definition(t testing.TB, name string) *Definition {
	t.Helper()
	d, err := Load(name)
	require.NoError(t, err)
	return d
}

// shortly configures a short run that is long enough for every transaction.
func shortly(t testing.TB, workload string) Config {
	t.Helper()
	return Config{Definition: definition(t, workload), Users: 4, Duration: 400 * time.Millisecond, Seed: 1}
}

func tinyPopulation(t testing.TB, profile dataset.Profile) *population {
	t.Helper()
	d := dataset.New(dataset.Spec{Seed: 1, Profile: profile})
	p, err := populationOf(store.ContentsOf(d), tpox.EngineInfo{})
	require.NoError(t, err)
	return p
}

// newTestUser returns a user with leased ids of all kinds.
func newTestUser(t testing.TB, d *Definition, seed uint64, number, users int) *user {
	t.Helper()
	common, err := newPlan(d, tinyPopulation(t, dataset.TPoX2), time.Unix(1e9, 0), seed, users)
	require.NoError(t, err)
	lease := tpox.Range{First: 1_000_000, Count: tpox.MaxLease}
	return newUser(common, number, map[*idKind]tpox.Range{orderIDs: lease, customerIDs: lease, accountIDs: lease})
}

// bothWays returns a store and a service over it.
func bothWays(t testing.TB, s tpox.Store) map[string]Backend {
	t.Helper()
	url, _ := serve(t, s)
	return map[string]Backend{"Direct": direct(t, s, "sqlite:b.db"), "HTTP": overHTTP(t, url, "")}
}

// stub is a backend on the null store whose calls a test defines.
type stub struct {
	*Direct

	do      func(ctx context.Context, c *call) outcome
	recover error
	calls   atomic.Int64
	service bool // or claims to be one
}

func newStub(t testing.TB, do func(ctx context.Context, c *call) outcome) *stub {
	t.Helper()
	return &stub{Direct: direct(t, nullStore(t), "null:"), do: do}
}

func (s *stub) describe(ctx context.Context) (Target, *population, error) {
	t, p, err := s.Direct.describe(ctx)
	if s.service {
		t.Kind = httpTarget
	}
	return t, p, err
}

func (s *stub) open(context.Context, checker, Consistency) (session, error) {
	return stubSession{s}, nil
}

type stubSession struct{ *stub }

func (s stubSession) do(ctx context.Context, c *call) outcome {
	s.calls.Add(1)
	return s.stub.do(ctx, c)
}
func (s stubSession) recover(context.Context) error { return s.stub.recover }
func (s stubSession) close()                        {}

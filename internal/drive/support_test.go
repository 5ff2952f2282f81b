package drive

import (
	"context"
	"encoding/json"
	"net/http/httptest"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/httpapi"
	"brokerage/internal/result"
	"brokerage/internal/store"
	"brokerage/internal/store/null"
	"brokerage/internal/store/sqlite"
	"brokerage/internal/telemetry"
	"brokerage/internal/testenv"
	"brokerage/internal/testenv/schematest"
	"brokerage/internal/tpox"
	"brokerage/internal/workload"
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
	s := null.Open()
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

func direct(t testing.TB, s tpox.Store, url string) *Direct {
	t.Helper()
	d, err := NewDirect(s, url)
	require.NoError(t, err)
	return d
}

// serve starts a service over a store; stop ends it with all its connections.
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

func overHTTP(t testing.TB, url string) *HTTP {
	t.Helper()
	h, err := NewHTTP(url, "", nil)
	require.NoError(t, err)
	return h
}

func definition(t testing.TB, name string) *workload.Definition {
	t.Helper()
	d, err := workload.Load(name)
	require.NoError(t, err)
	return d
}

// shortly returns the plan of a short run of a workload.
func shortly(t testing.TB, name string) Plan {
	t.Helper()
	return Plan{Definition: definition(t, name), Users: 4, Duration: 400 * time.Millisecond, Seed: 1}
}

// bothWays returns the targets Direct, which calls a store, and HTTP, a service over the same store.
func bothWays(t testing.TB, s tpox.Store) map[string]Target {
	t.Helper()
	url, _ := serve(t, s)
	return map[string]Target{"Direct": direct(t, s, "sqlite:b.db"), "HTTP": overHTTP(t, url)}
}

// stub is a target on the null store whose calls a test defines.
type stub struct {
	*Direct

	do    func(ctx context.Context, c *workload.Call) result.Outcome
	ping  error
	calls atomic.Int64
}

func newStub(t testing.TB, do func(ctx context.Context, c *workload.Call) result.Outcome) *stub {
	t.Helper()
	return &stub{Direct: direct(t, nullStore(t), "null:"), do: do}
}

func (s *stub) open(context.Context, Consistency) (session, error) {
	return stubSession{s}, nil
}

type stubSession struct{ *stub }

func (s stubSession) do(ctx context.Context, c *workload.Call) result.Outcome {
	s.calls.Add(1)
	return s.stub.do(ctx, c)
}
func (s stubSession) ping(context.Context) error { return s.stub.ping }
func (s stubSession) close()                     {}

// requireSchema requires that a result is valid by its schema.
func requireSchema(t testing.TB, r any) {
	t.Helper()
	text, err := json.Marshal(r)
	require.NoError(t, err)
	schematest.Require(t, schematest.Compile(t, result.Schema), text)
}

// named returns one of the transactions of the scenario.
func named(t testing.TB, name string) *workload.Transaction {
	t.Helper()
	all := workload.Transactions()
	i := slices.IndexFunc(all, func(tx *workload.Transaction) bool { return tx.Name == name })
	require.GreaterOrEqual(t, i, 0, name)
	return all[i]
}

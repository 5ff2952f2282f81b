package chaostest

import (
	"log/slog"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/dataset"
	"brokerage/internal/httpapi"
	"brokerage/internal/ledger"
	"brokerage/internal/result"
	"brokerage/internal/tpox"
)

// Database is a database that a store can open.
type Database struct {
	Generator *dataset.Dataset // of what is in it
	// Open opens the database again.
	Open func(testing.TB) tpox.Store
	// Link is the proxy to the database; nil for one that only one store at a time can open.
	Link *Proxy
	// Writes is the least number of writes before instances[0] is first restarted; before each later restart it is half
	// of that. 0 is 200, which suits a fast database.
	Writes int64
}

// Once tests that each trade counts once for a client that retries unanswered requests: while connections to the
// service and to the database are cut at random, and while the service is restarted or another instance answers.
func Once(t *testing.T, d Database) {
	t.Helper()
	if d.Writes == 0 {
		d.Writes = 200
	}
	instances := []*instance{serve(t, d.Open(t))}
	if d.Link != nil {
		instances = append(instances, serve(t, d.Open(t)))
	}
	urls := func() (all []string) {
		for _, i := range instances {
			all = append(all, "http://"+i.front.Addr().String())
		}
		return all
	}
	load := Start(t, d.Generator, 8, urls()...)
	load.Await(t, d.Writes)
	for range 5 {
		if d.Link != nil {
			for range 3 {
				d.Link.Cut()
				load.Await(t, d.Writes/10)
			}
		}
		instances[0].stop(t)
		if d.Link != nil {
			load.Await(t, d.Writes/10) // only the other instance answers
		}
		instances[0] = serve(t, d.Open(t))
		load.Move(urls()...)
		load.Await(t, d.Writes/2)
	}
	for _, i := range instances {
		i.front.Set(Fault{}) // new connections are not cut any more
	}
	tally := load.Stop(t)
	require.Greater(t, tally.Tried, tally.Acknowledged+tally.Acknowledged/20, "too few requests were cut")
	t.Logf("%d requests, %d writes, meanwhile %v", tally.Tried, tally.Acknowledged, tally.Kinds)
	proof, findings, err := ledger.Verify(t.Context(), instances[0].store, load.Ledger)
	require.NoError(t, err)
	require.Equal(t, result.Proof{Verified: true, Acknowledged: tally.Acknowledged}, proof, findings)
	for _, i := range instances {
		i.stop(t)
	}
}

// instance is a service in this process, behind a proxy that cuts its connections.
type instance struct {
	server *httptest.Server
	front  *Proxy
	store  tpox.Store
}

func serve(t testing.TB, store tpox.Store) *instance {
	t.Helper()
	server := httptest.NewUnstartedServer(
		httpapi.New(store, httpapi.Options{Log: slog.New(slog.DiscardHandler), Timeout: 10 * time.Second}))
	server.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	server.Start()
	front := NewProxy(t, "tcp", server.Listener.Addr().String())
	front.Set(Fault{CutWithin: 6 << 10}) // a few trades with their answers, so that every part of a trade is cut some time
	return &instance{server, front, store}
}

// stop ends the service without waiting for its requests.
func (i *instance) stop(t testing.TB) {
	t.Helper()
	_ = i.server.Config.Close() // running requests are the point of the test
	require.NoError(t, i.store.Close())
}

package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// balancer sends requests to the ready instances in turn: it probes them periodically, as a load balancer does, and
// repeats no request.
type balancer struct {
	client *http.Client
	next   atomic.Int64
	ready  atomic.Pointer[checked]

	mu   sync.Mutex
	urls map[*instance]struct{}
}

// checked is the result of a readiness probe.
type checked struct {
	urls []string
	at   time.Time // when the check began
}

const (
	checkEvery = 20 * time.Millisecond
	drainDelay = 10 * checkEvery
)

func newBalancer(t testing.TB, instances ...*instance) *balancer {
	t.Helper()
	b := &balancer{
		client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 100}, Timeout: patience},
		urls:   make(map[*instance]struct{}),
	}
	for _, i := range instances {
		b.urls[i] = struct{}{}
	}
	b.check(t.Context())
	require.Len(t, b.ready.Load().urls, len(instances))
	return b
}

// replace replaces a stopped instance by a new one.
func (b *balancer) replace(before, after *instance) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.urls, before)
	b.urls[after] = struct{}{}
}

func (b *balancer) check(ctx context.Context) {
	b.mu.Lock()
	defer b.mu.Unlock()
	ready := &checked{at: time.Now()}
	for i := range b.urls {
		if status, err := b.send(ctx, http.MethodGet, i.url+"/readyz", ""); err == nil && status == http.StatusOK {
			ready.urls = append(ready.urls, i.url)
		}
	}
	b.ready.Store(ready)
}

func (b *balancer) watch(ctx context.Context) {
	for tick := time.NewTicker(checkEvery); ctx.Err() == nil; <-tick.C {
		b.check(ctx)
	}
}

// pick returns the next instance, and until when it must answer: a stopping instance still answers for drainDelay after
// it has reported that it is not ready.
func (b *balancer) pick() (url string, until time.Time) {
	ready := b.ready.Load()
	until = ready.at.Add(drainDelay)
	if len(ready.urls) == 0 {
		return "http://nobody.invalid", until
	}
	return ready.urls[b.next.Add(1)%int64(len(ready.urls))], until
}

// send sends a request once. net/http would repeat a request on a connection that the server has closed; a body that
// cannot be read twice prevents that, also for requests that have none.
func (b *balancer) send(ctx context.Context, method, url, body string) (int, error) {
	request, err := http.NewRequestWithContext(ctx, method, url, io.NopCloser(strings.NewReader(body)))
	if err != nil {
		return 0, err
	}
	if body != "" {
		request.ContentLength = int64(len(body))
		request.Header.Set("Content-Type", "application/xml")
	}
	response, err := b.client.Do(request)
	if err != nil {
		return 0, err
	}
	defer func() { _ = response.Body.Close() }()
	_, err = io.Copy(io.Discard, response.Body)
	return response.StatusCode, err
}

func TestServe_RollingRestart(t *testing.T) {
	t.Parallel()
	rollingRestart(t, "null:")
}

// The same with instances on one database.
func TestServe_RollingRestart_Postgres(t *testing.T) {
	t.Parallel()
	server, database := tinyPostgres(t)
	rollingRestart(t, server.URL(database))
}

// rollingRestart replaces two instances one after the other, twice, under load: no client notices.
func rollingRestart(t *testing.T, db string) {
	t.Helper()
	start := func() *instance {
		return serving(t, "", "--db", db, "--drain-delay", drainDelay.String())
	}
	running := []*instance{start(), start()}
	b := newBalancer(t, running...)
	ctx, cancel := context.WithCancel(t.Context())
	var all sync.WaitGroup
	all.Go(func() { b.watch(ctx) })
	var reads, writes, failed, late atomic.Int64
	var first atomic.Pointer[string]
	clients, stop := context.WithCancel(t.Context())
	var load sync.WaitGroup
	for n := range 8 {
		load.Go(func() {
			for turn := n; clients.Err() == nil; turn++ {
				method, path, body, count := http.MethodGet, "/v1/customers/1002/profile", "", &reads
				if turn%2 == 0 {
					method, path, body, count = http.MethodPost, "/v1/accounts/104000000/buy", buy, &writes
				}
				url, until := b.pick()
				var connected time.Time
				status, err := b.send(httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{
					GotConn: func(httptrace.GotConnInfo) { connected = time.Now() },
				}), method, url+path, body)
				if connected.IsZero() {
					connected = time.Now()
				}
				count.Add(1)
				switch failure := err != nil || status != http.StatusOK; {
				case failure && connected.After(until):
					late.Add(1) // on a busy machine, the request may arrive after the instance has exited
				case failure:
					text := fmt.Sprintf("%s %s: %d %v", method, path, status, err)
					first.CompareAndSwap(nil, &text)
					failed.Add(1)
				}
			}
		})
	}
	for i := range 4 {
		before := reads.Load() + writes.Load()
		old := running[i%2]
		old.stop(t)
		running[i%2] = start()
		b.replace(old, running[i%2])
		eventually(t, func() bool { return len(b.ready.Load().urls) == 2 && reads.Load()+writes.Load() > before+100 },
			"two are ready, and asked")
	}
	stop()
	load.Wait()
	cancel()
	all.Wait()
	if text := first.Load(); text != nil {
		require.Failf(t, "requests failed", "%d of %d, first %s", failed.Load(), reads.Load()+writes.Load(), *text)
	}
	t.Logf("%d reads and %d writes through four restarts, %d too late", reads.Load(), writes.Load(), late.Load())
	require.Positive(t, reads.Load())
	require.Positive(t, writes.Load())
	for _, i := range running {
		i.stop(t)
	}
}

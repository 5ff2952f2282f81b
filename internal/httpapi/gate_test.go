package httpapi

import (
	"context"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// load is the outcome of many requests.
type load struct {
	mu                sync.Mutex
	accepted, refused []time.Duration
	odd               atomic.Int64
	took              time.Duration
}

func (l *load) ask(s http.Handler) {
	r := newRequest("GET", "/v1/orders/103282", "")
	w := httptest.NewRecorder()
	began := time.Now()
	s.ServeHTTP(w, r)
	took := time.Since(began)
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case w.Code == 200:
		l.accepted = append(l.accepted, took)
	case w.Code == 503 && w.Header().Get("Retry-After") != "":
		l.refused = append(l.refused, took)
	default:
		l.odd.Add(1)
	}
}

func (l *load) throughput() float64 { return float64(len(l.accepted)) / l.took.Seconds() }

func median(all []time.Duration) time.Duration {
	slices.Sort(all)
	return all[len(all)/2]
}

// clients send one request after another.
func clients(s http.Handler, n int, during time.Duration) *load {
	var l load
	var group sync.WaitGroup
	began := time.Now()
	for range n {
		group.Go(func() {
			for time.Since(began) < during {
				l.ask(s)
			}
		})
	}
	group.Wait()
	l.took = time.Since(began)
	return &l
}

// arrivals send requests at a rate, whatever the outcome of earlier ones.
func arrivals(s http.Handler, rate float64, during time.Duration) *load {
	var l load
	var group sync.WaitGroup
	began := time.Now()
	for sent := 0; time.Since(began) < during; time.Sleep(200 * time.Microsecond) {
		for due := int(rate * time.Since(began).Seconds()); sent < due; sent++ {
			group.Go(func() { l.ask(s) })
		}
	}
	l.took = time.Since(began)
	group.Wait()
	return &l
}

// With four times its maximum load, the service does its maximum, as fast as ever, and refuses the rest at once.
// Figures are compared within a run, and a busy machine gets three runs.
func TestGate_Overload(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	slow := &stub{Store: costless(t), do: func(context.Context) error {
		time.Sleep(5 * time.Millisecond)
		return nil
	}}
	const slots = 8
	s := serverOf(t, slow, Options{InFlight: slots, Queue: slots / 2, QueueWait: time.Second, Timeout: time.Minute})
	for try := 1; ; try++ {
		peak := clients(s, slots, time.Second)
		over := arrivals(s, 4*peak.throughput(), 2*time.Second)
		offered := float64(len(over.accepted)+len(over.refused)) / over.took.Seconds()
		t.Logf("peak: %.0f/s, median %v; offered %.0f/s: %.0f/s, median %v; refused in %v",
			peak.throughput(), median(peak.accepted), offered, over.throughput(), median(over.accepted), median(over.refused))
		require.Zero(t, peak.odd.Load()+over.odd.Load())
		require.Empty(t, peak.refused)
		if over.throughput() > 0.9*peak.throughput() && median(over.accepted) < 2*median(peak.accepted) &&
			median(over.refused) < median(peak.accepted)/2 && offered > 3*peak.throughput() {
			return
		}
		require.Less(t, try, 3)
	}
}

func TestGate_Queue(t *testing.T) {
	entered, leave := make(chan struct{}, 3), make(chan struct{})
	blocking := &stub{Store: costless(t), do: func(context.Context) error {
		entered <- struct{}{}
		<-leave
		return nil
	}}
	var seen counts
	s := serverOf(t, blocking, Options{InFlight: 1, Queue: 1, QueueWait: time.Hour, Metrics: &seen})
	ended := make(chan answer)
	read := func() { ended <- ask(s, "GET", "/v1/orders/103282", "") }
	go read()
	<-entered
	go read()
	require.Eventually(t, func() bool { return s.gate.waiting.Load() == 1 }, time.Minute, time.Millisecond)
	a := ask(s, "GET", "/v1/orders/103282", "")
	requireProblem(t, a, 503, "overloaded")
	requireConforms(t, "get_order", a)
	require.Equal(t, map[string]int{"queue_full": 1}, seen.refused)
	require.Equal(t, 200, ask(s, "GET", "/healthz", "").StatusCode, "probes do not wait")
	ctx, cancel := context.WithCancel(t.Context())
	require.Equal(t, 1, seen.inFlight)

	leave <- struct{}{} // the second runs, and another one may wait
	require.Equal(t, 200, (<-ended).StatusCode)
	<-entered
	go func() {
		ended <- given(s, newRequest("GET", "/v1/orders/103282", "").WithContext(ctx))
	}()
	require.Eventually(t, func() bool { return s.gate.waiting.Load() == 1 }, time.Minute, time.Millisecond)
	cancel()
	require.Equal(t, statusGone, (<-ended).StatusCode)
	leave <- struct{}{}
	require.Equal(t, 200, (<-ended).StatusCode)
	require.Zero(t, s.gate.waiting.Load())
	require.Empty(t, s.gate.slots)
	require.Zero(t, seen.inFlight)

	s = serverOf(t, blocking, Options{InFlight: 1, Queue: 1, QueueWait: time.Millisecond})
	s.gate.slots <- struct{}{}
	requireProblem(t, ask(s, "GET", "/v1/orders/103282", ""), 503, "overloaded")
}

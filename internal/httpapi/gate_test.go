package httpapi

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/store/null"
)

func TestGate_Queue(t *testing.T) {
	entered, leave := make(chan struct{}, 3), make(chan struct{})
	blocking := &stub{Store: null.Open(), do: func(context.Context) error {
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

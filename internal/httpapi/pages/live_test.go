package pages

import (
	"encoding/json"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// next returns the next frame of a watcher. Time is synctest's, and passes at once.
func next(t testing.TB, w *Watcher) (f Figures) {
	t.Helper()
	frame, more := <-w.Frames()
	require.True(t, more)
	data, found := strings.CutPrefix(string(frame), "event: figures\ndata: ")
	require.True(t, found, string(frame))
	data, found = strings.CutSuffix(data, "\n\n")
	require.True(t, found)
	require.NotContains(t, data, "\n")
	require.NoError(t, json.Unmarshal([]byte(data), &f))
	return f
}

func nothing(*Figures) {}

func join(t testing.TB, s *Stream) *Watcher {
	t.Helper()
	w, err := s.Join()
	require.NoError(t, err)
	return w
}

func TestStream_Figures(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewStream(func(f *Figures) { f.Gate.Running = 3 })
		s.Count("get_order", 200, time.Millisecond, true) // nobody watches
		w := join(t, s)
		defer w.Leave()
		for range 9 {
			s.Count("get_order", 200, time.Millisecond, true)
		}
		s.Count("get_order", 200, 100*time.Millisecond, true)
		s.Count("get_order", 404, time.Hour, true)
		s.Count("buy_security", 503, time.Hour, true)
		s.Count("get_account", 200, 2*time.Millisecond, true)
		s.Count("get_health", 200, time.Hour, false)
		s.CountRefused("queue_full")

		f := next(t, w)
		require.InDelta(t, 1, f.Seconds, 0)
		require.Equal(t, 3, f.Gate.Running)
		require.Equal(t, 1, f.Watchers)
		require.Nil(t, f.Store)
		require.Equal(t, map[string]uint32{"queue_full": 1}, f.Refused)
		order := f.Transactions["get_order"]
		require.Equal(t, []uint32{10, 1, 0}, []uint32{order.OK, order.Refused, order.Failed})
		require.InEpsilon(t, 1, order.Times.P50, .04)
		require.InEpsilon(t, 100, order.Times.P99, .04, "refusals are not among the times")
		require.Equal(t, Ended{Failed: 1}, f.Transactions["buy_security"])
		require.EqualValues(t, 2, f.Transactions["other"].OK)
		require.InEpsilon(t, 2, f.Transactions["other"].Times.P99, .04)
		require.Len(t, f.Transactions, 3)
		require.Equal(t, []uint32{12, 1, 1}, []uint32{f.All.OK, f.All.Refused, f.All.Failed})

		// Counts cover one second, latencies five.
		for range 4 {
			f = next(t, w)
			require.Empty(t, f.Refused)
			require.Zero(t, f.All.OK)
			require.InEpsilon(t, 100, f.Transactions["get_order"].Times.P99, .04)
		}
		f = next(t, w)
		require.Empty(t, f.Transactions)
		require.Nil(t, f.All.Times)
	})
}

// A slow watcher gets the newest frame, and delays no other.
func TestStream_Slow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewStream(nothing)
		slow, quick := join(t, s), join(t, s)
		defer slow.Leave()
		defer quick.Leave()
		var last Figures
		for range 10 {
			last = next(t, quick)
		}
		synctest.Wait()
		require.Equal(t, last.At, next(t, slow).At)
	})
}

// Requests end while watchers join and leave.
func TestStream_Concurrent(t *testing.T) {
	s := NewStream(nothing)
	first := join(t, s)
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 2000 {
				s.Count("get_order", 200, time.Millisecond, true)
				s.CountRefused("rate_limit")
			}
		})
		all.Go(func() {
			for range 200 {
				if w, err := s.Join(); err == nil {
					w.Leave()
				}
			}
		})
	}
	all.Wait()
	require.EqualValues(t, 8000, s.cells["get_order"].OK)
	first.Leave()
	s.Close()
}

package httpapi

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/httpapi/pages"
	"brokerage/internal/store/null"
	"brokerage/internal/telemetry"
)

// The contract lists the media type of each format of the metrics, and the texts conform to it.
func TestMetrics_Contract(t *testing.T) {
	s := fresh(t, Options{Metrics: telemetry.New(telemetry.BuildInfo{})})
	for name, accept := range map[string]string{
		"Browser": "text/html,*/*;q=0.8",
		"Prometheus": "application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.5," +
			"text/plain;version=1.0.0;escaping=allow-utf-8;q=0.4,*/*;q=0.1",
		"Protobuf": "application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited",
	} {
		t.Run(name, func(t *testing.T) {
			a := ask(s, "GET", "/metrics", "", "Accept: "+accept)
			require.Equal(t, 200, a.StatusCode)
			media, _, _ := strings.Cut(a.Header.Get("Content-Type"), ";")
			operation := routeOf(t, "get_metrics").Operation
			require.Contains(t, operation.Responses.Status(200).Value.Content, media)
			if name != "Protobuf" {
				requireConforms(t, "get_metrics", a)
			}
		})
	}
}

// The metrics count what was sent, and nothing that a client sends becomes a label.
func TestMetrics_Counted(t *testing.T) {
	m := telemetry.New(telemetry.BuildInfo{})
	s := fresh(t, Options{Metrics: m, MaxBody: 20000})
	body := orderWith(990001)
	require.Equal(t, 201, ask(s, "POST", "/v1/orders", body).StatusCode)
	a := ask(s, "GET", "/v1/orders/990001", "")
	require.Equal(t, 413, ask(s, "POST", "/v1/orders", strings.Repeat(" ", 20001)).StatusCode)
	for _, path := range []string{"/secret-path", "/v1/secret", "/v1/orders/1/secret"} {
		ask(s, "GET", path+"?secret=secret", "", "X-Request-Id: secret", "User-Agent: secret")
	}
	ask(s, "SECRET", "/v1/orders", "")

	text := ask(s, "GET", "/metrics", "").body
	for _, line := range []string{
		fmt.Sprintf(`brokerage_request_bytes_total{transaction="insert_order"} %d`, len(body)),
		fmt.Sprintf(`brokerage_answer_bytes_total{transaction="get_order"} %d`, len(a.body)),
		`brokerage_transactions_total{outcome="ok",transaction="get_order"} 1`,
		`brokerage_transactions_total{outcome="not_found",transaction="other"} 3`,
		`brokerage_requests_refused_total{reason="body_too_large"} 1`,
	} {
		require.Contains(t, text, line+"\n")
	}
	require.NotContains(t, strings.ToLower(text), "secret")
}

// Each reason of a refusal is counted by the metrics and by /v1/live. The clock stands still while anything runs, so
// that no wait ends before the next request has arrived.
func TestMetrics_Refused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		let := sync.OnceFunc(func() { close(release) })
		defer let()
		held := &stub{Store: null.Open(), do: func(context.Context) error {
			<-release
			return nil
		}}
		var seen counts
		s := serverOf(t, held, Options{
			Metrics: &seen, InFlight: 1, Queue: 1, QueueWait: 50 * time.Millisecond, Tokens: allTokens, Rate: 5, MaxBody: 100,
			Audit: &trail{refuses: syscall.ENOSPC},
		})
		watchers := make([]*pages.Watcher, pages.MaxWatchers)
		for i := range watchers {
			w, err := s.live.Join()
			require.NoError(t, err)
			watchers[i] = w
		}
		defer func() {
			for _, w := range watchers {
				w.Leave()
			}
		}()
		var all sync.WaitGroup
		one := func() {
			all.Go(func() { ask(s, "GET", "/v1/orders/103282", "", "Authorization: Bearer reader") })
		}
		one()
		synctest.Wait()
		one()
		synctest.Wait()
		require.EqualValues(t, 1, s.Waiting())
		ask(s, "GET", "/v1/orders/103282", "", "Authorization: Bearer reader")
		time.Sleep(50 * time.Millisecond)
		synctest.Wait()
		require.Zero(t, s.Waiting())
		let()
		all.Wait()
		ask(s, "GET", "/v1/orders/103282", "")
		ask(s, "DELETE", "/v1/orders/103282", "", "Authorization: Bearer reader")
		ask(s, "DELETE", "/v1/orders/103282", "", "Authorization: Bearer trader") // the audit log cannot be written
		s.options.Audit = nil
		ask(s, "POST", "/v1/orders", strings.Repeat(" ", 101), "Authorization: Bearer trader")
		for range 4 { // the last is the sixth of this second
			ask(s, "DELETE", "/v1/orders/103282", "", "Authorization: Bearer trader")
		}
		ask(s, "GET", "/v1/live", "", "Authorization: Bearer reader") // one more than may watch
		s.draining.Store(true)                                        // Drain would end the streams too
		ask(s, "GET", "/readyz", "")

		want := make(map[string]int)
		shown := make(map[string]uint32)
		for _, reason := range telemetry.Reasons {
			want[reason], shown[reason] = 1, 1
		}
		require.Equal(t, want, seen.refused)
		data, _ := strings.CutPrefix(string(<-watchers[0].Frames()), "event: figures\ndata: ")
		var f pages.Figures
		require.NoError(t, json.Unmarshal([]byte(data), &f))
		require.Equal(t, shown, f.Refused)
	})
}

// The contract lists exactly the existing reasons.
func TestMetrics_ReasonsListed(t *testing.T) {
	var named []string
	refused := contract().Components.Schemas["LiveFigures"].Value.Properties["refused"].Value
	for _, name := range refused.PropertyNames.Value.Enum {
		named = append(named, name.(string))
	}
	require.ElementsMatch(t, telemetry.Reasons, named)
}

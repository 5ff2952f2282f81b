package service

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/httpapi"
	"brokerage/internal/telemetry"
)

func TestRequestLog(t *testing.T) {
	for name, c := range map[string]struct {
		request httpapi.RequestLog
		line    string // after the time, empty if there is none
	}{
		"OK": {
			httpapi.RequestLog{
				Transaction: "get_order", Method: "GET", Path: "/v1/orders/1", RequestID: "r1", Status: 200, Bytes: 1500,
				Took: 1234567,
			},
			"level=INFO msg=get_order status=200 method=GET path=/v1/orders/1 bytes=1500 ms=1.234 request_id=r1",
		},
		"Client": {
			httpapi.RequestLog{Transaction: "get_order", Status: 404, Client: "alice", Err: errors.New("there is no order 1")},
			`level=INFO msg=get_order status=404 method="" path="" bytes=0 ms=0 request_id="" client=alice ` +
				`error="there is no order 1"`,
		},
		"Fault": {
			httpapi.RequestLog{Transaction: "get_order", Status: 500, Err: errors.New("broken")},
			`level=ERROR msg=get_order status=500 method="" path="" bytes=0 ms=0 request_id="" error=broken`,
		},
		"Overloaded": {
			httpapi.RequestLog{Transaction: "get_order", Status: 503},
			`level=WARN msg=get_order status=503 method="" path="" bytes=0 ms=0 request_id=""`,
		},
		"Unready": {
			httpapi.RequestLog{Transaction: "get_readiness", Status: 503},
			`level=WARN msg=get_readiness status=503 method="" path="" bytes=0 ms=0 request_id=""`,
		},
		"Probe":  {httpapi.RequestLog{Transaction: "get_health", Status: 200}, ""},
		"Scrape": {httpapi.RequestLog{Transaction: "get_metrics", Status: 200}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			requestLog(telemetry.Logger(&out, true, slog.LevelInfo))(t.Context(), c.request)
			if c.line == "" {
				require.Empty(t, out.String())
				return
			}
			_, line, _ := strings.Cut(out.String(), " ")
			require.Equal(t, c.line+"\n", line)
		})
	}
}

// Under a flood of requests a sample is logged, with the number of requests left out; every fault is logged.
func TestRequestLog_Flood(t *testing.T) {
	var out bytes.Buffer
	write := requestLog(telemetry.Logger(&out, true, slog.LevelInfo))
	flood := func(status int) int {
		out.Reset()
		for range 3000 {
			write(t.Context(), httpapi.RequestLog{Transaction: "get_order", Status: status, Took: time.Millisecond})
		}
		return strings.Count(out.String(), "\n")
	}
	for _, status := range []int{200, 503} {
		lines := flood(status)
		require.Less(t, lines, 1500, status) // 100 a second; a busy machine may take a few seconds
		require.Contains(t, out.String(), "sampled=99\n")
	}
	require.Equal(t, 3000, flood(500))
}

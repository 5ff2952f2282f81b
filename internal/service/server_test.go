package service

import (
	"bytes"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/httpapi"
	"brokerage/internal/store"
	_ "brokerage/internal/store/null"
	_ "brokerage/internal/store/postgres"
	_ "brokerage/internal/store/sqlite"
	"brokerage/internal/telemetry"
)

func TestConfig_Timeouts(t *testing.T) {
	c := Config{HeaderTimeout: 1, ReadTimeout: 2, WriteTimeout: 3, IdleTimeout: 4}
	s := c.httpServer(http.NotFoundHandler(), slog.Default())
	require.Equal(t, []time.Duration{1, 2, 3, 4},
		[]time.Duration{s.ReadHeaderTimeout, s.ReadTimeout, s.WriteTimeout, s.IdleTimeout})
}

// When a listener other than the main one fails, the service ends as after a signal, so that running requests are
// answered, and reports the failure.
func TestService_ListenerBesideFails(t *testing.T) {
	var logs bytes.Buffer
	log := slog.New(slog.NewTextHandler(&logs, nil))
	opened, err := store.Open(t.Context(), "null:", store.Options{})
	require.NoError(t, err)
	defer func() { require.NoError(t, opened.Close()) }()
	api := httpapi.New(opened, httpapi.Options{Log: log})
	var l listeners
	for _, to := range []*net.Listener{&l.main, &l.metrics} {
		*to, err = new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
		require.NoError(t, err)
	}
	settings := service{
		Config: Config{ShutdownTimeout: 30 * time.Second}, log: log, api: api, listeners: l,
		insight: &insight{metrics: telemetry.New(telemetry.BuildInfo{})},
	}
	s := settings.start()
	entered, leave := make(chan struct{}), make(chan struct{})
	s.main.Handler = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		close(entered)
		<-leave
		w.WriteHeader(http.StatusNoContent)
	})
	answered := make(chan error, 1)
	go func() {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+l.main.Addr().String()+"/",
			http.NoBody)
		if err == nil {
			var response *http.Response
			if response, err = http.DefaultClient.Do(request); err == nil {
				err = response.Body.Close()
			}
		}
		answered <- err
	}()
	<-entered
	ended := make(chan error, 1)
	go func() { ended <- s.run(t.Context()) }()
	require.NoError(t, l.metrics.Close())
	select {
	case err := <-ended:
		require.Failf(t, "the service ended before the request under way", "%v", err)
	case <-time.After(200 * time.Millisecond):
	}
	close(leave)
	require.NoError(t, <-answered)
	err = <-ended
	require.ErrorContains(t, err, "metrics: ")
	require.ErrorIs(t, err, net.ErrClosed)
	require.Contains(t, logs.String(), "msg=stopped")
}

// A page of another site, whose name was pointed at this machine, reads no profile.
func TestService_ProfilesOfThisMachine(t *testing.T) {
	var l listeners
	var err error
	for _, to := range []*net.Listener{&l.main, &l.debug} {
		*to, err = new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
		require.NoError(t, err)
	}
	defer l.close()
	s := (&service{log: slog.New(slog.DiscardHandler), listeners: l}).start()
	for host, status := range map[string]int{
		"127.0.0.1:6060": http.StatusOK, "[::1]:6060": http.StatusOK, "LocalHost:6060": http.StatusOK,
		"localhost": http.StatusOK, "evil.example:6060": http.StatusMisdirectedRequest,
		"192.0.2.1": http.StatusMisdirectedRequest,
	} {
		request := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/debug/pprof/symbol", http.NoBody)
		request.Host = host
		response := httptest.NewRecorder()
		s.others[0].Handler.ServeHTTP(response, request)
		require.Equal(t, status, response.Code, host)
	}
}

package main

import (
	"bytes"
	"log/slog"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/httpapi"
	"brokerage/internal/store"
	"brokerage/internal/store/guard"
	"brokerage/internal/telemetry"
)

// Profiles are nowhere unless they are asked for, and then on an address of
// their own.
func TestServe_Profiles(t *testing.T) {
	i := serving(t, "", "--db", "null:", "--debug-addr", "127.0.0.1:0")
	addr, _ := i.logs.wait(t, "profiles")["addr"].(string)
	for _, path := range []string{"/debug/pprof/", "/debug/pprof/heap", "/debug/pprof/goroutine?debug=1", "/debug/pprof/profile?seconds=1", "/debug/pprof/symbol"} {
		require.Equal(t, http.StatusOK, get(t, "http://"+addr+path).status, path)
	}
	// The command line may have a password.
	require.NotContains(t, get(t, "http://"+addr+"/debug/pprof/cmdline").body, "null:")
	require.Equal(t, http.StatusNotFound, get(t, "http://"+addr+"/metrics").status)
	require.Equal(t, http.StatusNotFound, get(t, i.url+"/debug/pprof/").status)
	i.stop(t)

	i = serving(t, "", "--db", "null:")
	require.Nil(t, i.logs.find(t, "profiles"))
	require.Equal(t, http.StatusNotFound, get(t, i.url+"/debug/pprof/").status)
	i.stop(t)
}

// Nobody else may look into the memory, whatever else is open to them.
func TestServe_ProfilesLoopbackOnly(t *testing.T) {
	for _, addr := range []string{":0", "0.0.0.0:0", "[::]:0", "192.0.2.1:6060"} {
		r := brokerage(t.Context(), "serve", "--db", "null:", "--listen", "127.0.0.1:0", "--insecure-no-auth", "--debug-addr", addr)
		requireOneLine(t, r, exitUsage, "can be reached from other machines; profiles are for this one")
	}
}

// When a listener beside the main one fails, the service ends as it does after a
// signal, so that requests under way are answered; and it says that it failed.
func TestService_ListenerBesideFails(t *testing.T) {
	var logs bytes.Buffer
	log := slog.New(slog.NewTextHandler(&logs, nil))
	opened, err := store.Open(t.Context(), "null:", store.Options{})
	require.NoError(t, err)
	defer func() { require.NoError(t, opened.Close()) }()
	api, err := httpapi.New(guard.New(opened, guard.Options{}), httpapi.Options{Log: log})
	require.NoError(t, err)
	settings := &serveCmd{ShutdownTimeout: patience}
	var l listeners
	for _, to := range []*net.Listener{&l.main, &l.metrics} {
		*to, err = new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
		require.NoError(t, err)
	}
	s := settings.start(api, telemetry.New(buildInfo()), l, nil, log)
	entered, leave := make(chan struct{}), make(chan struct{})
	s.main.Handler = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		close(entered)
		<-leave
		w.WriteHeader(http.StatusNoContent)
	})
	answered := make(chan error, 1)
	go func() {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+l.main.Addr().String()+"/", http.NoBody)
		if err == nil {
			var response *http.Response
			if response, err = client.Do(request); err == nil {
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

package httpapi_test

import (
	"context"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/brokerage"
	"brokerage/internal/dataset"
	"brokerage/internal/httpapi"
	"brokerage/internal/store/guard"
	"brokerage/internal/store/null"
	"brokerage/internal/store/sqlite"
	"brokerage/internal/workload"
)

// BenchmarkMixed runs the mixed workload over HTTP, with 50 connections from this process, on the null store and on the
// embedded one (XXXS): their ratio shows the cost of the tier above the store. One iteration takes five seconds, so use
// -benchtime 1x.
func BenchmarkMixed(b *testing.B) {
	scale, err := dataset.ParseScale("XXXS")
	require.NoError(b, err)
	nothing, err := null.Open()
	require.NoError(b, err)
	embedded, err := sqlite.Open(b.Context(), filepath.Join(b.TempDir(), "brokerage.db"), sqlite.Options{Cache: 512 << 20})
	require.NoError(b, err)
	b.Cleanup(func() { require.NoError(b, embedded.Close()) })
	require.NoError(b, embedded.LoadDataset(b.Context(), dataset.New(dataset.Spec{Scale: scale, Seed: 1}), nil))
	mixed, err := workload.Load("mixed")
	require.NoError(b, err)
	for name, store := range map[string]brokerage.Store{"null": nothing, "sqlite": embedded} {
		b.Run(name, func(b *testing.B) {
			service, err := workload.NewHTTP(serveStore(b, store), "", nil)
			require.NoError(b, err)
			for b.Loop() {
				run, err := workload.Drive(b.Context(), service, workload.Config{
					Definition: mixed, Users: 50, Ramp: time.Second, Duration: 5 * time.Second,
				})
				require.NoError(b, err)
				require.Greater(b, run.Goodput, .995*run.TPS, "unexpected refusals")
				b.ReportMetric(run.TPS, "tx/s")
				require.NoError(b, run.Write(os.Stderr))
			}
		})
	}
}

// serveStore serves a store as the program does, and returns the URL.
func serveStore(b *testing.B, store brokerage.Store) string {
	b.Helper()
	handler, err := httpapi.New(guard.New(store, guard.Options{}), httpapi.Options{Timeout: 10 * time.Second})
	require.NoError(b, err)
	listener, err := (&net.ListenConfig{}).Listen(b.Context(), "tcp", "127.0.0.1:0")
	require.NoError(b, err)
	server := &http.Server{Handler: handler, ConnContext: httpapi.ConnContext, ReadHeaderTimeout: 5 * time.Second}
	go func() { _ = server.Serve(httpapi.JoinWrites(listener)) }() // ends with Shutdown
	b.Cleanup(func() { require.NoError(b, server.Shutdown(context.Background())) })
	return "http://" + listener.Addr().String()
}

package clients_test

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/httpapi"
	"brokerage/internal/store/sqlite/sqlitetest"
	"brokerage/internal/testenv"
)

// Clients that are generated from the contract of a running service work with it. Each runs as its users would run it.
func TestClients(t *testing.T) {
	for language, client := range map[string]struct {
		reads string // the operation that it is generated from
		needs []string
	}{
		"go":     {"get_contract", []string{"bash", "curl", "go"}},
		"java":   {"get_schema", []string{"bash", "javac", "mvn"}},
		"python": {"get_schema", []string{"bash", "python3"}},
	} {
		t.Run(language, func(t *testing.T) {
			t.Parallel()
			if !testenv.Required("clients") {
				t.Skip("the clients are built with downloads: make test-clients runs them")
			}
			for _, program := range client.needs {
				if _, err := exec.LookPath(program); err != nil {
					testenv.Missing(t, "clients", program+" is not installed")
				}
			}
			service, done := serve(t)
			out, err := exec.CommandContext(t.Context(), filepath.Join(language, "run"), service, t.TempDir()).CombinedOutput()
			require.NoError(t, err, "%s", out)
			require.True(t, strings.HasSuffix(string(out), "the tour is complete\n"), "%s", out)
			called := []string{client.reads, "lease_ids", "get_order", "insert_order", "delete_order", "update_security_price"}
			require.Subset(t, done(), called)
		})
	}
}

// serve starts a service with the dataset tiny. done returns the operations that have succeeded.
func serve(t *testing.T) (url string, done func() []string) {
	t.Helper()
	var mu sync.Mutex
	succeeded := make(map[string]bool)
	store := sqlitetest.Store(t)
	api := httpapi.New(store, httpapi.Options{LogRequest: func(_ context.Context, r httpapi.RequestLog) {
		mu.Lock()
		defer mu.Unlock()
		if r.Status < http.StatusBadRequest {
			succeeded[r.Transaction] = true
		} else {
			t.Log(fmt.Sprint(r.Method, " ", r.Path, ": ", r.Status, " ", r.Err))
		}
	}})
	server := httptest.NewServer(api)
	t.Cleanup(server.Close)
	return server.URL, func() []string {
		mu.Lock()
		defer mu.Unlock()
		return slices.Collect(maps.Keys(succeeded))
	}
}

package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/audit"
	"brokerage/internal/testenv"
)

// buy sends a trade, and returns the status of its answer.
func (i *instance) buy(t testing.TB, by *http.Client, token, requestID string) int {
	t.Helper()
	return sendBy(t, by, http.MethodPost, i.url+"/v1/accounts/104000007/buy", token, fmt.Sprintf(trade, "SDP"),
		"X-Request-Id", requestID).status
}

// logrotate renames the file and sends SIGHUP: under load no record is lost.
func TestServe_AuditRotated(t *testing.T) {
	t.Parallel()
	trail := filepath.Join(t.TempDir(), "audit.log")
	i := serving(t, tinyDB(t), "--audit-log", trail)
	keeping := &http.Client{Timeout: patience}
	defer keeping.CloseIdleConnections()
	var done atomic.Bool
	var acknowledged atomic.Int64
	var trading sync.WaitGroup
	for n := range 4 {
		trading.Go(func() {
			for m := 0; !done.Load(); m++ {
				if i.buy(t, keeping, "", fmt.Sprintf("%d-%d", n, m)) == http.StatusOK {
					acknowledged.Add(1)
				}
			}
		})
	}
	files := []string{trail}
	for n := range 3 {
		eventually(t, func() bool { return acknowledged.Load() >= int64(20*(n+1)) }, "%s", i.logs)
		old := fmt.Sprint(trail, ".", n)
		files = append(files, old)
		require.NoError(t, os.Rename(trail, old))
		require.NoError(t, i.cmd.Process.Signal(syscall.SIGHUP))
		eventually(t, func() bool { return strings.Count(i.logs.String(), "audit log reopened") > n }, "%s", i.logs)
	}
	done.Store(true)
	trading.Wait()
	i.stop(t)
	seen := make(map[string]bool)
	for _, file := range files {
		for line := range strings.Lines(testenv.Text(t, file)) {
			var r audit.Record
			require.NoError(t, json.Unmarshal([]byte(line), &r), line)
			require.False(t, seen[r.RequestID])
			seen[r.RequestID] = true
		}
	}
	require.Len(t, seen, int(acknowledged.Load()))
}

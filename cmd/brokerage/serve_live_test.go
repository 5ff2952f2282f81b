package main

import (
	"bufio"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A stop disconnects watchers, and does not wait as long for them as for running requests.
func TestServe_StopsWhileWatched(t *testing.T) {
	t.Parallel()
	i := serving(t, tinyDB(t), "--shutdown-timeout", "1h", "--drain-delay", "0s")
	require.Contains(t, get(t, i.url+"/").body, "<title>Brokerage: live</title>")
	i.counted(t)
	for range 2 {
		require.Equal(t, http.StatusOK, get(t, i.url+"/v1/orders/103282").status)
	}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, i.url+"/v1/live", http.NoBody)
	require.NoError(t, err)
	response, err := client.Do(request)
	require.NoError(t, err)
	defer func() { _ = response.Body.Close() }()
	lines := bufio.NewScanner(response.Body)
	event := func() string {
		for lines.Scan() {
			if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
				return data
			}
		}
		return ""
	}
	require.Regexp(t, `"store":\{"connections":.*"hits":[1-9]\d*,"misses":[1-9]\d*}`, event())
	i.stop(t)
	for event() != "" {
	}
	require.NoError(t, lines.Err())
	require.NotNil(t, i.logs.find(t, "stopped"))
	require.EqualValues(t, http.StatusOK, i.logs.find(t, "watch_service")["status"])
}

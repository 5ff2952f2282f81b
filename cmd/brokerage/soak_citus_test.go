package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/store/postgres/pgtest"
)

// soakVariable sets how long the soak takes, such as "1h"; without it the test is skipped. soakURL is added to the URL
// of the database: with "plan_cache_mode=force_generic_plan", nodes of Citus 13.2.1 to 14.0 leak.
const (
	soakVariable = "BROKERAGE_SOAK"
	soakURL      = "BROKERAGE_SOAK_URL"
)

// mostGrowth is how much the memory of a node may grow after the warm-up, as a share.
const mostGrowth = 0.1

// TestSoakCitus runs the mixed workload on a cluster for a long time, in which no node may use more and more memory.
func TestSoakCitus(t *testing.T) {
	text := os.Getenv(soakVariable)
	if text == "" {
		t.Skip(soakVariable + " does not say how long")
	}
	lasts, err := time.ParseDuration(text)
	require.NoError(t, err)
	cluster := pgtest.StartCluster(t, 2)
	database := cluster.Database(t)
	succeeds(t, "load", "--db", cluster.URL(database, 0)+"&distribute=true")
	driven := make(chan exited, 1)
	go func() {
		driven <- brokerage(t.Context(), "drive", "--db", cluster.URL(database, 1, 2)+"&"+os.Getenv(soakURL),
			"--users", "8", "--duration", text, "--ramp", "10s", "--every", "0s", "--allow-invalid")
	}()
	memory := make([][]float64, len(cluster.Nodes)) // in MB
	for tick := time.Tick(max(time.Second, lasts/200)); ; {
		select {
		case r := <-driven:
			require.Equal(t, exitOK, r.code, r.err)
			t.Log("\n" + r.out)
			requireFlat(t, memory)
			require.NotContains(t, r.out, "UNEXPECTED")
			return
		case <-tick:
			for n, node := range cluster.Nodes {
				memory[n] = append(memory[n], memoryOf(t, processesOf(t, node.PID(t)))/1e6)
			}
		}
	}
}

// requireFlat requires that the memory of no node grows after the first third of the samples, the warm-up.
func requireFlat(t testing.TB, memory [][]float64) {
	t.Helper()
	for n, samples := range memory {
		from, to := trend(samples)
		t.Logf("node %d: %.1f MB after the warm-up, %.1f MB at the end, %+.1f %%", n, from, to, 100*(to/from-1))
	}
	for n, samples := range memory {
		from, to := trend(samples)
		require.LessOrEqual(t, to, from*(1+mostGrowth), "the memory of node %d grows", n)
	}
}

// trend returns the medians of the second and of the last third of a series. Processes come and go, so that single
// values say little.
func trend(samples []float64) (from, to float64) {
	third := len(samples) / 3
	return middle(samples[third : 2*third]), middle(samples[2*third:])
}

// memoryOf returns the bytes of memory that belong to processes alone, neither of files nor shared: RssAnon in
// /proc/PID/status.
func memoryOf(t testing.TB, pids []string) (bytes float64) {
	t.Helper()
	for _, pid := range pids {
		text, err := os.ReadFile("/proc/" + pid + "/status")
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ESRCH) {
			continue // it has just ended
		}
		require.NoError(t, err)
		var kB float64
		if _, line, found := strings.Cut(string(text), "\nRssAnon:"); found { // a process that ends has none
			_, err = fmt.Sscan(line, &kB)
			require.NoError(t, err)
		}
		bytes += 1024 * kB
	}
	return bytes
}

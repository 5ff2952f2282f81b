package main

import (
	"encoding/json"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/result"
	"brokerage/internal/testenv"
)

// readRun reads the file that --json has written.
func readRun(t testing.TB, file string) (r result.Run) {
	t.Helper()
	require.NoError(t, json.Unmarshal([]byte(testenv.Text(t, file)), &r))
	return r
}

// A number of transactions with weights of one's own: the result has both.
func TestDrive_WeightsAndCount(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "r.json")
	r := succeeds(t, "drive", "--db", "null:", "--users", "3", "--ramp", "0s", "--count", "2000",
		"--weights", "get_order=3,insert_order=1", "--json", file)
	require.Contains(t, r.err, "0s, then 2,000 transactions measured")
	run := readRun(t, file)
	require.Equal(t, int64(2000), run.Total.Count)
	require.Equal(t, int64(2000), run.Model.Count)
	require.Equal(t, "get_order=3,insert_order=1", run.Workload.Weights)
	require.Equal(t, []result.Part{{Transaction: "get_order", Weight: 3}, {Transaction: "insert_order", Weight: 1}},
		run.Workload.Mix)
	require.Len(t, run.Transactions, 2)
	require.InDelta(t, 1500, run.Transactions[0].Count, 150)
}

// The default target is the service that serve starts by default.
func TestDrive_DefaultTarget(t *testing.T) {
	t.Parallel()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", readmeAddr)
	if err != nil {
		t.Skipf("somebody listens there: %v", err)
	}
	require.NoError(t, l.Close())
	requireOneLine(t, brokerage(t.Context(), "drive"), exitFailed,
		"nothing listens at http://127.0.0.1:8080, where a service is by default: brokerage serve starts one, --url names "+
			"another, --db a database without a service")
}

// A service that requires client certificates, with real ones.
func TestDrive_TLS(t *testing.T) {
	t.Parallel()
	ours := newAuthority(t)
	write := func(name string, text []byte) string { return testenv.File(t, name, string(text)) }
	ca, otherCA := write("ca.pem", ours.pem), write("other.pem", newAuthority(t).pem)
	serverCert, serverKey := ours.issue(t, 2)
	cert, key := ours.issue(t, 3)
	service := serving(t, tinyDB(t), "--tls-cert", write("server.pem", serverCert), "--tls-key",
		write("server.key", serverKey), "--tls-client-ca", ca)
	url := " --url https" + strings.TrimPrefix(service.url, "http")
	known := " --tls-client-cert " + write("client.pem", cert) + " --tls-client-key " + write("client.key", key)
	for _, command := range []string{
		"drive --users 3 --ramp 0s --duration 300ms --allow-invalid" + url, "health" + url,
	} {
		r := succeeds(t, strings.Fields(command+known+" --tls-ca "+ca)...)
		require.NotContains(t, r.out, "UNEXPECTED")
		requireRefusals(t, command, map[string]refusal{
			"--tls-ca " + ca:                {exitFailed, "certificate required"},
			known + " --tls-ca " + otherCA:  {exitFailed, "certificate signed by unknown authority"},
			"--tls-client-key " + ca:        {exitUsage, "--tls-client-cert and --tls-client-key go together"},
			"--tls-ca " + write("key", key): {exitFailed, "--tls-ca: there is no certificate in "},
		})
	}
	service.stop(t)
}

func TestDrive_WrongToken(t *testing.T) {
	file := filepath.Join(t.TempDir(), "tokens")
	trader := succeeds(t, "token", "--name", "trader", "--scope", "read,trade", "--file", file)
	reader := succeeds(t, "token", "--name", "reader", "--scope", "read", "--file", file)
	service := serving(t, tinyDB(t), "--tokens", file)
	args := []string{
		"drive", "--url", service.url, "--users", "2", "--ramp", "0s", "--duration", "200ms", "--allow-invalid",
	}
	t.Setenv("BROKERAGE_TOKEN", "")
	requireOneLine(t, brokerage(t.Context(), args...), exitFailed, "does not accept the token (401)")
	requireOneLine(t, brokerage(t.Context(), append(args, "--token", "wrong")...), exitFailed,
		"does not accept the token (401)")
	t.Setenv("BROKERAGE_TOKEN", strings.TrimSpace(reader.out))
	requireOneLine(t, brokerage(t.Context(), args...), exitFailed, "may not write (scope trade) (403)")
	require.NotContains(t, succeeds(t, append(args, "--workload", "query")...).out, "UNEXPECTED")
	t.Setenv("BROKERAGE_TOKEN", strings.TrimSpace(trader.out))
	requireOneLine(t, brokerage(t.Context(), append(args, "--workload", "classic")...), exitFailed, "scope admin")
	r := succeeds(t, args...)
	require.NotContains(t, r.out, "UNEXPECTED")
	service.stop(t)
}

func TestDrive_Prints(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "run.json")
	db := "sqlite:" + tinyDB(t) + "/brokerage.db"
	r := succeeds(t, "drive", "--db", db, "--users", "3", "--ramp", "0s", "--duration", "1s", "--every",
		"250ms", "--seed", "5", "--per-transaction",
		"--workload", "insert-customers", "--validate", "no", "--json", file)
	require.Contains(t, r.out, "Workload insert-customers (not validated) on direct sqlite:brokerage.db\n")
	require.Contains(t, r.out, "SMOKE")
	require.Regexp(t, `(?m)^ +0 s +[\d,]+ tx .*\n        insert_customer +[\d,]+ tx +[\d.,]+/s  p50 `, r.err)
	run := readRun(t, file)
	require.Equal(t, result.Format, run.Format)
	require.False(t, run.Workload.Validate)
	require.Equal(t, uint64(5), run.Seed)
	require.Equal(t, "full", run.Settings["synchronous"])
	require.NotEmpty(t, run.Usage.Figures)
	require.Positive(t, run.Usage.Generator.CPUSeconds)
}

// invalidWorkload returns the file of a workload whose runs are INVALID: users find almost nothing to delete, and
// choose again.
func invalidWorkload(t testing.TB) string {
	t.Helper()
	return testenv.File(t, "own.json", `{"name": "own", "mix": [`+
		`{"transaction": "insert_order", "weight": 1}, {"transaction": "delete_order", "weight": 50}]}`)
}

// INVALID results are written like any others, and have their own exit code unless they are allowed.
func TestDrive_Invalid(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "run.json")
	args := []string{ // a slow disk would leave no time to draw a deletion
		"drive", "--db", "null:", "--json", file, "--users", "2", "--ramp", "0s", "--duration", "2s", "--workload",
		invalidWorkload(t),
	}
	r := brokerage(t.Context(), args...)
	require.Equal(t, exitInvalid, r.code, r.err)
	require.Contains(t, r.out, "INVALID: ")
	require.Contains(t, r.err, "nothing of the user's own to delete")
	require.FileExists(t, file)
	require.NoError(t, os.Remove(file))
	r = succeeds(t, append(args, "--allow-invalid")...)
	require.Contains(t, r.out, "INVALID: ")
	require.FileExists(t, file)
}

func exitCode(t testing.TB, cmd *exec.Cmd) int {
	t.Helper()
	return (&instance{cmd: cmd}).ended(t)
}

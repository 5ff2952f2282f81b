package main

import (
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/dataset"
	"brokerage/internal/result"
	"brokerage/internal/store"
	"brokerage/internal/testenv"
)

// readRun reads the file that --json has written.
func readRun(t testing.TB, file string) (r result.Run) {
	t.Helper()
	require.NoError(t, json.Unmarshal([]byte(testenv.Text(t, file)), &r))
	return r
}

func TestDrive_BadInput(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	tiny := "sqlite:" + tinyDB(t) + "/brokerage.db"
	empty := "sqlite:" + filepath.Join(dir, "empty.db")
	opened, err := store.Open(t.Context(), empty, store.Options{})
	require.NoError(t, err)
	require.NoError(t, opened.Close())
	own := testenv.File(t, "own.json",
		"{\"name\": \"own\",\n\"mix\": [{\"transaction\": \"get_order\", \"weight\": \"ten\"}]}")
	require.NoError(t, os.Mkdir(filepath.Join(dir, "r-2.json"), 0o700))
	requireRefusals(t, "drive", map[string]refusal{
		"BothTargets":     {"--db null: --url http://127.0.0.1:1", exitUsage, "exclude each other"},
		"Replicas":        {"--db null: --consistency token", exitUsage, "--consistency is for a service"},
		"WatchOfDatabase": {"--db null: --watch-db postgres://u@h/d", exitUsage, "--watch-db is for a service"},
		"WatchNoServer":   {"--url http://127.0.0.1:1 --watch-db sqlite:x", exitUsage, "is not a database of a server"},
		"WatchNoDatabase": {"--url http://127.0.0.1:1 --watch-db oracle:x", exitUsage, `"oracle:"`},
		"WatchDown":       {"--url http://127.0.0.1:1 --watch-db postgres://u@127.0.0.1:1/d", exitFailed, "--watch-db: "},
		"Consistency":     {"--url http://127.0.0.1:1 --consistency stale=2", exitUsage, "but must be primary, token, or"},
		"TLSOfDatabase":   {"--db null: --tls-ca " + own, exitUsage, "are for a service"},
		"UnknownScheme":   {"--db oracle:x", exitUsage, `"oracle:"`},
		"UnknownWorkload": {"--db null: --workload mixt", exitUsage, `no workload "mixt"`},
		"NoFile":          {"--db null: --workload ./none.json", exitUsage, "none.json"},
		"WeightIsText":    {"--db null: --workload " + own, exitUsage, "line 2: mix.weight must not be a string"},
		"WeightOfUnknown": {"--db null: --weights get_order=3,get_oder=1", exitUsage,
			`--weights: mix: there is no transaction "get_oder"`},
		"NotAWeight":    {"--db null: --weights get_order:3", exitUsage, `"get_order:3" is not a transaction and`},
		"CountAndTime":  {"--db null: --count 5 --duration 1s", exitUsage, "--count and --duration exclude each other"},
		"CountAndFind":  {"--db null: --count 5 --find p99=1s", exitUsage, "--count and --find or --part"},
		"CountAndPart":  {"--db null: --count 5 --part 1/2", exitUsage, "--count and --find or --part"},
		"UsersIsText":   {"--db null: --users many", exitUsage, "many"},
		"RateAndThink":  {"--db null: --rate 5 --think 1s", exitUsage, "think time"},
		"Validate":      {"--db null: --validate maybe", exitUsage, "--validate"},
		"JSONIsAFolder": {"--db null: --json " + dir, exitUsage, "is not a file"},
		"NotWritable":   {"--db null: --json /proc/r.json", exitUsage, "nothing can be written in the folder /proc"},
		"NoDatabase":    {"--db sqlite:" + dir + "/none.db", exitFailed, "no such file"},
		"EmptyDatabase": {"--db " + empty, exitFailed, "load one"},
		"TooSmall":      {"--db " + tiny + " --users 201", exitFailed, "too small for 201 users"},
		"ServiceDown":   {"--url http://127.0.0.1:1", exitFailed, "does not answer"},
	})
	require.NoFileExists(t, filepath.Join(dir, "none.db"))
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
	service := serving(t, tinyDB(t), "--listen", readmeAddr)
	r := succeeds(t, "drive", "--users", "2", "--ramp", "0s", "--duration", "200ms", "--allow-invalid")
	require.Contains(t, r.out, " on http http://127.0.0.1:8080\n")
	service.stop(t)
}

// A service that requires client certificates, with real ones.
func TestDrive_TLS(t *testing.T) {
	t.Parallel()
	ours, other := newAuthority(t), newAuthority(t)
	write := func(name string, text []byte) string { return testenv.File(t, name, string(text)) }
	ca, otherCA := write("ca.pem", ours.pem), write("other.pem", other.pem)
	serverCert, serverKey := ours.issue(t, 2)
	cert, key := ours.issue(t, 3)
	strangerCert, strangerKey := other.issue(t, 4)
	service := serving(t, tinyDB(t), "--tls-cert", write("server.pem", serverCert), "--tls-key",
		write("server.key", serverKey), "--tls-client-ca", ca)
	url := "https" + strings.TrimPrefix(service.url, "http")
	known := []string{"--tls-client-cert", write("client.pem", cert), "--tls-client-key", write("client.key", key)}
	stranger := []string{
		"--tls-client-cert", write("stranger.pem", strangerCert), "--tls-client-key", write("stranger.key", strangerKey),
	}
	drive := []string{"drive", "--url", url, "--users", "3", "--ramp", "0s", "--duration", "300ms", "--allow-invalid"}
	health := []string{"health", "--url", url}
	for _, command := range [][]string{drive, health} {
		r := succeeds(t, slices.Concat(command, []string{"--tls-ca", ca}, known)...)
		require.NotContains(t, r.out, "UNEXPECTED")

		for name, c := range map[string]struct {
			flags []string
			code  int
			says  string
		}{
			"NoCertificate": {[]string{"--tls-ca", ca}, exitFailed, "certificate required"},
			"Stranger":      {slices.Concat([]string{"--tls-ca", ca}, stranger), exitFailed, "unknown certificate authority"},
			"OtherAuthority": {
				slices.Concat([]string{"--tls-ca", otherCA}, known), exitFailed,
				"certificate signed by unknown authority",
			},
			"HalfAPair":      {known[:2], exitUsage, "--tls-client-cert and --tls-client-key go together"},
			"NotAnAuthority": {[]string{"--tls-ca", known[3]}, exitFailed, "--tls-ca: there is no certificate in "},
			"NoFile":         {[]string{"--tls-ca", ca + ".none"}, exitFailed, "--tls-ca: open "},
		} {
			t.Run(command[0]+"/"+name, func(t *testing.T) {
				requireOneLine(t, brokerage(t.Context(), slices.Concat(command, c.flags)...), c.code, c.says)
			})
		}
	}
	// The authorities of the system, which a process reads once.
	for code, env := range map[int]string{
		exitOK: "SSL_CERT_FILE=" + ca, exitFailed: "SSL_CERT_FILE=" + otherCA,
	} {
		cmd := process(t, slices.Concat(drive, known)...)
		cmd.Env = append(cmd.Env, env, "SSL_CERT_DIR=/none")
		out, err := cmd.CombinedOutput()
		require.Equal(t, code, cmd.ProcessState.ExitCode(), "%s: %v: %s", env, err, out)
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

// Accounts were closed and ids used by hand: the run explains the refusals that this causes.
func TestDrive_ChangedByHand(t *testing.T) {
	t.Parallel()
	service := serving(t, tinyDB(t))
	whole := dataset.New(dataset.Spec{Seed: 1})
	for k := range whole.Count(dataset.Customer) {
		if whole.Accounts(k) > 1 {
			path := fmt.Sprintf("/v1/customers/%d/accounts/%d", whole.ID(dataset.Customer, k), whole.FirstAccount(k))
			require.Equal(t, 204, send(t, "DELETE", service.url+path, "", "").status)
		}
	}
	account := testenv.Text(t, "../../api/examples/open_account.request.xml") // with an id that nobody has leased
	require.Equal(t, 201, send(t, "POST", service.url+"/v1/customers/1006/accounts", "", account).status)
	drive := func(seed int) string {
		r := succeeds(t, "drive", "--url", service.url, "--users", "4", "--ramp", "0s", "--duration", "1s",
			"--allow-invalid", "--seed", strconv.Itoa(seed))
		return r.out
	}
	out := drive(1)
	require.Regexp(t, `Note: 1 new ids existed: another client used ids without a lease`, out)
	missing := regexp.MustCompile(`Note: \d+ not found: ` +
		`they are in the dataset but not in the database, so they were deleted`)
	for seed := 2; !missing.MatchString(out); seed++ { // a busy machine draws a few transactions in a second
		require.Less(t, seed, 30, out)
		out = drive(seed)
	}
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
	service := serving(t, tinyDB(t))
	const db = "null:" // a slow disk would leave no time to draw a deletion
	for name, target := range map[string][]string{
		"Direct": {"--db", db}, "HTTP": {"--url", service.url},
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "run.json")
			args := append([]string{
				"drive", "--json", file, "--users", "2", "--ramp", "0s", "--duration", "2s", "--workload", invalidWorkload(t),
			}, target...)
			r := brokerage(t.Context(), args...)
			require.Equal(t, exitInvalid, r.code, r.err)
			require.Contains(t, r.out, "INVALID: ")
			require.Contains(t, r.err, "the run is INVALID: ")
			require.Contains(t, r.err, "nothing of the user's own to delete")
			require.FileExists(t, file)
			require.NoError(t, os.Remove(file))
			r = succeeds(t, append(args, "--allow-invalid")...)
			require.Contains(t, r.out, "INVALID: ")
			require.FileExists(t, file)
		})
	}
	service.stop(t)
}

// A service dies during the run: the results until then are printed, and the exit code is 3.
func TestDrive_ServiceKilled(t *testing.T) {
	t.Parallel()
	service := serving(t, tinyDB(t))
	file := filepath.Join(t.TempDir(), "run.json")
	drive := process(t, "drive", "--url", service.url, "--users", "4", "--think", "5ms", "--ramp", "0s",
		"--duration", "1h", "--every", "200ms", "--json", file)
	out, errs := &logLines{}, &logLines{}
	drive.Stdout, drive.Stderr = out, errs
	require.NoError(t, drive.Start())
	eventually(t, func() bool { return strings.Contains(errs.String(), " tx ") }, "a first report in %s", errs)
	require.NoError(t, service.cmd.Process.Kill())
	require.Equal(t, exitEnded, exitCode(t, drive), errs.String())
	require.Contains(t, out.String(), "INVALID: the target died")
	require.Contains(t, errs.String(), "the run ended early: the target no longer answers")
	run := readRun(t, file)
	require.Equal(t, result.TargetDied, run.Ended)
	require.Positive(t, run.Total.Count)
}

func exitCode(t testing.TB, cmd *exec.Cmd) int {
	t.Helper()
	return (&instance{cmd: cmd}).ended(t)
}

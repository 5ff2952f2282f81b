package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/result"
	"brokerage/internal/store/postgres/pgtest"
	"brokerage/internal/store/sqlite"
	"brokerage/internal/testenv"
)

// A service that is killed in the middle of a run, and started again, has all that it acknowledged. A document that is
// removed by hand afterwards is one that is lost.
func TestDrive_LedgerAndBreak(t *testing.T) {
	t.Parallel()
	dir := tinyDB(t)
	db, at := "sqlite:"+filepath.Join(dir, "brokerage.db"), func(name string) string { return filepath.Join(dir, name) }
	service := serving(t, "", "--db", db)
	ctx, enough := context.WithCancel(t.Context())
	driven := make(chan exited, 1)
	go func() {
		driven <- brokerage(ctx, "drive", "--url", service.url, "--users", "8", "--ramp", "0s", "--duration", "10m",
			"--ledger", at("ledger"), "--break", fmt.Sprintf("kill -9 %d", service.cmd.Process.Pid), "--at", "1s",
			"--json", at("run.json"))
	}()
	_ = service.cmd.Wait() // it is killed
	again := serving(t, "", "--db", db, "--listen", strings.TrimPrefix(service.url, "http://"))
	recorded := len(testenv.Text(t, at("ledger")))
	eventually(t, func() bool { return len(testenv.Text(t, at("ledger"))) > recorded+20_000 }, "changes after the kill")
	enough()
	r := <-driven
	require.Equal(t, exitEnded, r.code, r.out+r.err)
	require.Regexp(t, `\nbroken after 1\.\d s: answers again after \d+\.\d s\n`, r.out)
	run := readRun(t, at("run.json"))
	require.Equal(t, &result.Proof{}, run.Proof)
	require.True(t, run.Break.Unanswered)
	require.Positive(t, run.Break.Again)

	again.stop(t)
	r = succeeds(t, "verify", "--db", db, "--ledger", at("ledger"))
	require.Regexp(t, `^acknowledged \d[\d,]+, lost 0, twice 0, unknown \d+ \(applied \d+\)\n$`, r.out)

	text, id := testenv.Text(t, at("ledger")), ""
	for _, inserted := range regexp.MustCompile(`"do":"insert_order","id":(\d+)`).FindAllStringSubmatch(text, -1) {
		if !strings.Contains(text, `"do":"delete_order","id":`+inserted[1]+"}") {
			id = inserted[1]
			break
		}
	}
	conn, err := sqlite.OpenFile(at("brokerage.db"))
	require.NoError(t, err)
	_, err = conn.ExecContext(t.Context(), "DELETE FROM orders WHERE id = "+id)
	require.NoError(t, err)
	require.NoError(t, conn.Close())
	r = brokerage(t.Context(), "verify", "--db", db, "--ledger", at("ledger"))
	require.Equal(t, exitInvalid, r.code, r.out+r.err)
	require.Contains(t, r.out, "order "+id+": insert_order was acknowledged, and it does not exist\n")
	require.Contains(t, r.out, ", lost 1, twice 0, ")
	require.Contains(t, r.err, "does not have what it has acknowledged")
}

// A server that acknowledges what it has not written yet loses that when it is killed: the last page of its log, with a
// few changes or by chance none, so it is killed several times.
func TestDrive_LedgerOfForgetfulServer(t *testing.T) {
	t.Parallel()
	server := pgtest.Start(t, "synchronous_commit=off", "wal_writer_delay=10s", "wal_writer_flush_after=1GB")
	db, dir := server.URL("postgres"), t.TempDir()
	succeeds(t, "load", "--db", db)
	signal, file := filepath.Join(dir, "broken"), filepath.Join(dir, "ledger")
	// Without sales: the loss of one and a purchase that counts twice leave the same position.
	const bought = "buy_security=3,insert_order=3,delete_order=2,update_order_status=1,update_security_price=1"
	ctx, enough := context.WithCancel(t.Context())
	driven := make(chan exited, 1)
	go func() {
		driven <- brokerage(ctx, "drive", "--db", db, "--users", "8", "--ramp", "0s", "--duration", "10m", "--ledger", file,
			"--weights", bought, "--break", "touch "+signal, "--at", "500ms")
	}()
	eventually(t, func() bool { _, err := os.Stat(signal); return err == nil }, "the break")
	for range 5 {
		recorded := len(testenv.Text(t, file))
		eventually(t, func() bool { return len(testenv.Text(t, file)) > recorded+10_000 }, "changes")
		server.Kill(t)
		server.Again(t)
	}
	enough()
	r := <-driven
	require.Equal(t, exitEnded, r.code, r.out+r.err)
	r = brokerage(t.Context(), "verify", "--db", db, "--ledger", file)
	require.Equal(t, exitInvalid, r.code, r.out+r.err)
	require.Regexp(t, `\nacknowledged [\d,]+, lost [1-9][\d,]*, twice 0, unknown \d+ \(applied \d+\)\n$`, r.out)
}

// Directly on a database, the run verifies its ledger itself.
func TestDrive_LedgerOfDatabase(t *testing.T) {
	t.Parallel()
	dir := tinyDB(t)
	db, file := "sqlite:"+filepath.Join(dir, "brokerage.db"), filepath.Join(dir, "ledger")
	json := filepath.Join(dir, "run.json")
	r := succeeds(t, "drive", "--db", db, "--users", "8", "--ramp", "0s", "--duration", "1s",
		"--ledger", file, "--json", json)
	require.Regexp(t, `\nacknowledged [\d,]+, lost 0, twice 0, unknown 0 \(applied 0\)\nSMOKE`, r.out)
	require.Contains(t, r.out, "Note: with a ledger, for which each change waits, rates and times are not figures\n")
	run := readRun(t, json)
	require.True(t, run.Proof.Verified)
	require.True(t, run.Validity.Smoke)
	require.Positive(t, run.Proof.Acknowledged)
	requireRefusals(t, "drive", map[string]refusal{
		"LedgerExists":     {"--db " + db + " --ledger " + file, exitUsage, "exists already"},
		"LedgerOfDatabase": {"--db " + db + " --ledger " + dir + "/brokerage.db", exitUsage, "this command reads"},
		"BreakAlone":       {"--db null: --break true", exitUsage, "--break and --at need each other"},
		"BreakTooLate":     {"--db null: --break true --at 9s --duration 5s", exitUsage, "within the measured time"},
	})
	requireRefusals(t, "verify", map[string]refusal{
		"NoLedger": {"--db " + db + " --ledger " + json, exitFailed, "line 1: this is not a ledger"},
	})
}

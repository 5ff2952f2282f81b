package main

import (
	"context"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/result"
	"brokerage/internal/store/sqlite"
	"brokerage/internal/testenv"
)

// A service that is killed in the middle of a run, and started again, has all that it acknowledged. A document that
// is removed by hand afterwards is reported as lost.
func TestDrive_LedgerAndBreak(t *testing.T) {
	testenv.Long(t)
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
	require.Regexp(t, `^acknowledged \d[\d,]+, lost 0, applied twice 0, unknown \d+ \(applied \d+\)\n$`, r.out)

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
	require.Contains(t, r.out, "order "+id+" does not exist, though insert_order was acknowledged last (lost: 1)\n")
	require.Contains(t, r.out, ", lost 1, applied twice 0, ")
	require.Contains(t, r.err, "acknowledged changes were lost or applied twice")
}

// Directly on a database, the run verifies its ledger itself.
func TestDrive_LedgerOfDatabase(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	dir := tinyDB(t)
	db, file := "sqlite:"+filepath.Join(dir, "brokerage.db"), filepath.Join(dir, "ledger")
	json := filepath.Join(dir, "run.json")
	r := succeeds(t, "drive", "--db", db, "--users", "8", "--ramp", "0s", "--duration", "1s",
		"--ledger", file, "--json", json)
	require.Regexp(t, `\nacknowledged [\d,]+, lost 0, applied twice 0, unknown 0 \(applied 0\)\nSMOKE`, r.out)
	require.Contains(t, r.out, "Note: with a ledger or a break, rates and times are not measurements of the target\n")
	run := readRun(t, json)
	require.True(t, run.Proof.Verified)
	require.True(t, run.Validity.Smoke)
	require.Positive(t, run.Proof.Acknowledged)
	requireRefusals(t, "", map[string]refusal{
		"drive --db " + db + " --ledger " + file:                  {exitUsage, "exists already"},
		"drive --db " + db + " --ledger " + dir + "/brokerage.db": {exitUsage, "this command reads"},
	})
}

package main

import (
	"net/http"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/store/postgres/pgtest"
	"brokerage/internal/testenv"
)

const newPrice = `<Price xmlns="http://tpox-benchmark.com/security"><LastTrade>7</LastTrade></Price>`

// A service runs with a replica that it reads as an ordinary role, and with one that cannot be reached.
func TestServe_Replicas(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	primary := pgtest.Start(t, "synchronous_commit=on")
	primary.Exec(t, "postgres", "CREATE ROLE brokerage_service LOGIN")
	succeeds(t, "load", "--db", primary.URL("postgres"))
	standby := primary.Standby(t)
	url := func(s *pgtest.Server) string { return s.URLOf("brokerage_service", "postgres") }
	away := freeAddress(t)
	variable := "BROKERAGE_REPLICA=" + url(standby) + " postgres://me:secret@" + away + "/db"
	i := launch{env: []string{variable}}.start(t, "--db", url(primary)).listening(t)
	require.Equal(t, http.StatusOK, get(t, i.url+"/readyz").status)

	read := func(header, value string) answer {
		return send(t, http.MethodGet, i.url+"/v1/securities/SDP/price", "", "", header, value)
	}
	written := send(t, http.MethodPut, i.url+"/v1/securities/SDP/price", "", newPrice)
	require.Equal(t, http.StatusOK, written.status, written.body)
	token := written.header.Get("Consistency-Token")
	require.Regexp(t, "^[0-9a-f]{32}$", token)
	byStandby := regexp.MustCompile(`(?m)^brokerage_store_reads_total\{target="/[^"]*"\} [1-9]`)
	eventually(t, func() bool {
		a := read("Consistency-Token", token)
		require.Equal(t, http.StatusOK, a.status)
		require.Contains(t, a.body, ">7</LastTrade>")
		require.Equal(t, http.StatusOK, read("Max-Staleness", "10s").status)
		return byStandby.MatchString(get(t, i.url+"/metrics").body)
	}, "the replica answers: %s", i.logs)
	require.Contains(t, get(t, i.url+"/metrics").body, `brokerage_store_replica_up{replica="`+away+`"} 0`)
	require.Equal(t, http.StatusBadRequest, read("Consistency-Token", "x").status)
	require.Equal(t, http.StatusBadRequest, read("Max-Staleness", "2 seconds").status)

	file := filepath.Join(t.TempDir(), "r.json")
	driven := brokerage(t.Context(), "drive", "--url", i.url, "--users", "2", "--ramp", "0s", "--duration", "3s", "--json",
		file, "--allow-invalid", "--consistency", "token", "--watch-db", url(primary))
	require.Zero(t, driven.code, driven.err)
	run := readRun(t, file)
	require.Equal(t, "token", run.Model.Consistency)
	require.NotEmpty(t, run.Resources.Pools, "the server's statistics are read once a second: %v", run.Resources.Missing)
	require.Contains(t, driven.out, "queries with consistency token")
	i.stop(t)
	require.NotContains(t, i.logs.String(), "secret")
	require.Equal(t, 1, strings.Count(i.logs.String(), "replica "+away+" gets no reads"), i.logs)

	refused := brokerage(t.Context(), "serve", "--listen", "127.0.0.1:0", "--db", url(primary), "--replica", url(primary))
	requireOneLine(t, refused, exitFailed, "the server is not in recovery: it is a primary itself")
}

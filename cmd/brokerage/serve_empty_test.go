package main

import (
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A volume that was lost is not ready and not filled, its backups stay, and a restore brings the acknowledged write
// back while the service waits.
func TestServe_LostVolume(t *testing.T) {
	t.Parallel()
	dir, backups := tinyDB(t), t.TempDir()
	db := "sqlite:" + filepath.Join(dir, "brokerage.db")
	const path = "/v1/orders/103282/status"
	i := serving(t, "", "--db", db)
	written := send(t, http.MethodPut, i.url+path, "",
		`<OrderStatus xmlns="http://www.fixprotocol.org/FIXML-4-4" Stat="4"/>`)
	require.Less(t, written.status, 300, written.body)
	identity := regexp.MustCompile(`database="[0-9a-f]{32}"`).FindString(get(t, i.url+"/version").body)
	require.NotEmpty(t, identity)
	require.Contains(t, get(t, i.url+"/metrics").body, identity)
	succeeds(t, "backup", "--db", db, "--out", backups, "--keep", "7")
	i.stop(t)

	require.NoError(t, os.Remove(filepath.Join(dir, "brokerage.db")))
	requireOneLine(t, brokerage(t.Context(), "serve", "--db", db, "--listen", "127.0.0.1:0"), exitFailed,
		"the database is empty: restore a backup, or load a dataset")
	i = serving(t, "", "--db", db, "--wait")
	i.logs.wait(t, "waiting for the database")
	var ready answer
	eventually(t, func() bool {
		ready = get(t, i.url+"/readyz")
		return ready.status == http.StatusServiceUnavailable && strings.Contains(ready.body, "the database is empty")
	}, "the reason in %v", &ready)
	require.Empty(t, names(t, dir), "not filled")
	requireOneLine(t, brokerage(t.Context(), "backup", "--db", db, "--out", backups, "--keep", "1"),
		exitFailed, "no such file")
	require.Len(t, names(t, backups), 1)

	succeeds(t, "restore", "--from", backups, "--db", db)
	eventually(t, func() bool { return get(t, i.url+"/readyz").status == http.StatusOK }, "ready in %v", i.logs)
	require.Contains(t, get(t, i.url+"/v1/orders/103282").body, `Stat="4"`)
	require.Contains(t, get(t, i.url+"/version").body, identity)
	i.stop(t)
}

// Without --db, only an address of this machine is reason enough to fill the database; --fill is always.
func TestServe_Fill(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	cmd := process(t, "serve", "--listen", ":0", "--insecure-no-auth")
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	require.Error(t, err)
	require.Contains(t, string(out), "the database is empty")
	require.Empty(t, names(t, dir))
	i := serving(t, dir, "--db", "sqlite:x.db", "--fill", "tiny")
	require.Equal(t, http.StatusOK, get(t, i.url+"/readyz").status)
	i.stop(t)
}

package main

import (
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// Writes to a database file that was deleted or replaced would be lost: soon the service is not ready and refuses
// writes.
func TestServe_FileGone(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		harm, mend func(t *testing.T, path string)
	}{
		"Deleted":        {harm: func(t *testing.T, path string) { require.NoError(t, os.Remove(path)) }},
		"JournalDeleted": {harm: func(t *testing.T, path string) { require.NoError(t, os.Remove(path+"-wal")) }},
		"Moved": {
			harm: func(t *testing.T, path string) { require.NoError(t, os.Rename(path, path+".aside")) },
			mend: func(t *testing.T, path string) { require.NoError(t, os.Rename(path+".aside", path)) },
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // it waits for the watch
			path := filepath.Join(tinyDB(t), "brokerage.db")
			i := serving(t, "", "--db", "sqlite:"+path)
			const trade = "/v1/accounts/104000000/buy"
			write := func() answer { return send(t, http.MethodPost, i.url+trade, "", buy) }
			require.Equal(t, http.StatusOK, write().status)
			c.harm(t, path)
			eventually(t, func() bool { return get(t, i.url+"/readyz").status == http.StatusServiceUnavailable },
				"still ready: %s", i.logs)
			require.Contains(t, get(t, i.url+"/readyz").body, "<detail>a file of the database was deleted or replaced</detail>")
			refused := write()
			require.Equal(t, http.StatusServiceUnavailable, refused.status)
			require.Contains(t, refused.body, "urn:brokerage:problem:unavailable<", "not outcome-unknown: nothing was done")
			require.Equal(t, http.StatusOK, get(t, i.url+"/v1/accounts/104000000").status, "reading goes on")
			require.Contains(t, i.logs.String(), "was deleted or replaced by another file while it was in use")
			if c.mend != nil {
				c.mend(t, path)
				eventually(t, func() bool { return get(t, i.url+"/readyz").status == http.StatusOK }, "not ready again: %s", i.logs)
				require.Equal(t, http.StatusOK, write().status)
			}
			i.stop(t)
		})
	}
}

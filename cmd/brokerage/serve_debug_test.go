package main

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

// Profiles are served only if --debug-addr is set, and only there.
func TestServe_Profiles(t *testing.T) {
	t.Parallel()
	i := serving(t, "", "--db", "null:", "--debug-addr", "127.0.0.1:0")
	addr, _ := i.logs.wait(t, "profiles")["addr"].(string)
	require.Equal(t, http.StatusOK, get(t, "http://"+addr+"/debug/pprof/heap").status)
	// The command line may hold a password.
	require.NotContains(t, get(t, "http://"+addr+"/debug/pprof/cmdline").body, "null:")
	require.Equal(t, http.StatusNotFound, get(t, "http://"+addr+"/metrics").status)
	require.Equal(t, http.StatusNotFound, get(t, i.url+"/debug/pprof/").status)
	i.stop(t)

	i = serving(t, "", "--db", "null:", "--listen", "localhost:0")
	require.Nil(t, i.logs.find(t, "profiles"))
	require.Equal(t, http.StatusNotFound, get(t, i.url+"/debug/pprof/").status)
	i.stop(t)
	serving(t, "", "--db", "null:", "--listen", "0.0.0.0:0", "--insecure-no-auth").stop(t)
}

package db2test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A C library that is too old is refused before anything is built.
func TestRecent(t *testing.T) {
	for libc, is := range map[string]bool{
		"glibc 2.34": true, "glibc 2.36": true, "glibc 3.0": true, "glibc 2.28": false, "glibc 2.31": false,
		"": false, "musl": false,
	} {
		require.Equal(t, is, recent(libc), libc)
	}
}

// A client library of one's own is used as it is, and nothing is fetched.
func TestFetchClient_Own(t *testing.T) {
	t.Setenv(clientVariable, "/opt/ibm/clidriver")
	t.Setenv("PATH", "")
	kit, err := FetchClient(t.Context())
	require.NoError(t, err)
	require.Equal(t, "CGO_ENABLED=1 CGO_CFLAGS=-I/opt/ibm/clidriver/include CGO_LDFLAGS=-L/opt/ibm/clidriver/lib "+
		"LD_LIBRARY_PATH=/opt/ibm/clidriver/lib:/opt/ibm/clidriver/lib/icc", strings.Join(kit.Environment(), " "))
}

package pinned

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/testenv"
)

func sum(b []byte) string {
	s := sha256.Sum256(b)
	return hex.EncodeToString(s[:])
}

// registry serves one file and counts the requests for it.
func registry(t *testing.T, file string, content []byte) (server *httptest.Server, requests *int) {
	t.Helper()
	requests = new(int)
	server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/" + file:
			*requests++
			_, _ = w.Write(content)
		case "/simple/thing/":
			_, _ = w.Write([]byte(`<a href="../../other-1.whl#sha256=x">other</a> <a href="../../` + file + `#sha256=x">it</a>`))
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(server.Close)
	return server, requests
}

func TestFetch(t *testing.T) {
	content := bytes.Repeat([]byte("0123456789"), 1000)
	server, requests := registry(t, "org/thing-1.jar", content)
	t.Setenv("MAVEN_REPO", server.URL+"/")
	f := Maven("org/thing-1.jar", sum(content))
	dir := filepath.Join(t.TempDir(), "cache")

	path, err := f.Fetch(t.Context(), dir)
	require.NoError(t, err)
	require.Equal(t, filepath.Join(dir, "thing-1.jar"), path)
	require.Equal(t, string(content), testenv.Text(t, path))

	_, err = f.Fetch(t.Context(), dir)
	require.NoError(t, err)
	require.Equal(t, 1, *requests, "what is there is not fetched again")

	require.NoError(t, os.WriteFile(path, content[:10], 0o600))
	_, err = f.Fetch(t.Context(), dir)
	require.NoError(t, err)
	require.Equal(t, string(content), testenv.Text(t, path))

	f.SHA256 = sum(nil)
	_, err = f.Fetch(t.Context(), dir)
	require.ErrorContains(t, err, "instead of "+f.SHA256)
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, left, 1, "nothing that is half a file is left")
}

func TestFetch_Index(t *testing.T) {
	content := []byte("a wheel")
	server, _ := registry(t, "thing-1.whl", content)
	t.Setenv("PIP_INDEX_URL", server.URL+"/simple")
	path, err := PyPI("thing", "aa/bb/thing-1.whl", sum(content)).Fetch(t.Context(), t.TempDir())
	require.NoError(t, err)
	require.FileExists(t, path)
	_, err = PyPI("thing", "aa/bb/thing-2.whl", sum(content)).Fetch(t.Context(), t.TempDir())
	require.ErrorContains(t, err, "does not list the file")
}

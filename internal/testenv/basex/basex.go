// Package basex runs BaseX, a database of XML documents, as an HTTP server, to compare the service with it. Its modules
// (home/webapp) answer the queries of the service, and insert and delete orders, at the service's paths. It needs Java;
// everything else is downloaded once.
package basex

import (
	"archive/tar"
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/dataset"
	"brokerage/internal/testenv"
	"brokerage/internal/testenv/pinned"
)

// Need is the name of BaseX in BROKERAGE_TEST_REQUIRE.
const Need = "basex"

// Jar is BaseX without its HTTP server. It needs no other jar.
var Jar = pinned.Maven("org/basex/basex/10.7/basex-10.7.jar",
	"5041c1daca9398a11de9c78a0983b30673829e4a5f011c1f809b1c36879af1a2")

// serverJars are what the HTTP server needs in addition.
var serverJars = []pinned.File{
	pinned.Maven("org/basex/basex-api/10.7/basex-api-10.7.jar",
		"c6a6c0e32f5bf7f974995706b4ca5612400de59a594c2f6d19bb3c25ac8c8fc4"),
	pinned.Maven("javax/servlet/javax.servlet-api/3.1.0/javax.servlet-api-3.1.0.jar",
		"af456b2dd41c4e82cf54f3e743bc678973d9fe35bd4d3071fa05c7e5333b8482"),
	jetty("http", "924d254a7e4dcbb699b722940b005bfe1bd4a68a8d44d7dcf3e0a935faafbba2"),
	jetty("io", "b73b26c5a531b02af0d775f0574c2889665449168723e4322d36de6e8e74848f"),
	jetty("security", "57aa5bc98356f12c7b0025470ca0ba2af91b58fc7c9549cea6b194d64f02aaa6"),
	jetty("server", "72f19a7f88e91244d5170045d7d44143508845b01196f87b2a1b56a5ad16d378"),
	jetty("servlet", "c3b468238313c078f3f48eaec3b6317fcc9c8ebbe0d58d992bd4361796e2b9bb"),
	jetty("util", "9fac4168b1ae543c5c29f48008cd118c70779aa701d60f37f52b57c104b6536e"),
	jetty("webapp", "a5bf73002a45e5b476b3ff0ffebee6c7e59b17393c19a80edea5772bef7ad9bd"),
	jetty("xml", "6d7d68dfd7e58559505bee8cc14089cb54d7715be719074da62c50364d1ebf97"),
}

// jetty returns a jar of Jetty, in the version that BaseX 10.7 is built with.
func jetty(part, sha256 string) pinned.File {
	const version = "9.4.51.v20230217"
	return pinned.Maven(fmt.Sprintf("org/eclipse/jetty/jetty-%[1]s/%[2]s/jetty-%[1]s-%[2]s.jar", part, version), sha256)
}

//go:embed home
var home embed.FS

// Start starts a server with the documents of a dataset, which listens on an address of this computer until the test
// ends. The files are served as they are, by their paths.
func Start(t testing.TB, address string, d *dataset.Dataset, files map[string]string) {
	t.Helper()
	java, err := exec.LookPath("java")
	if err != nil {
		testenv.Missing(t, Need, "BaseX needs Java, and java is not installed")
	}
	folder, jars := t.TempDir(), fetch(t)
	content, err := fs.Sub(home, "home")
	require.NoError(t, err)
	require.NoError(t, os.CopyFS(folder, content))
	for path, text := range files {
		file := filepath.Join(folder, "webapp", path)
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o700))
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	}
	for _, kind := range dataset.Kinds {
		archive(t, filepath.Join(folder, kind.String()+".tar"), d, kind)
	}
	command := func(args ...string) *exec.Cmd {
		// 2 GB is what BaseX's own scripts give it.
		args = append([]string{"-Xmx2g", "-Dorg.basex.path=" + folder, "-cp", jars}, args...)
		c := exec.CommandContext(t.Context(), java, args...)
		c.Dir = folder
		return c
	}
	out, err := command("org.basex.BaseX", "-c", "load.bxs").CombinedOutput()
	require.NoError(t, err, "%s", out)

	// Without its own protocol (-l), the log (-z) and a second port to stop it (-s).
	_, port, err := net.SplitHostPort(address)
	require.NoError(t, err)
	server := command("org.basex.BaseXHTTP", "-l", "-z", "-s", "0", "-h", port, "-c", "RUN hold.xq")
	output, err := os.Create(filepath.Join(folder, "output"))
	require.NoError(t, err)
	server.Stdout, server.Stderr = output, output
	require.NoError(t, server.Start())
	ended := make(chan struct{})
	go func() {
		_ = server.Wait() // it is killed with the test
		close(ended)
	}()
	t.Cleanup(func() {
		<-ended
		if t.Failed() {
			text, _ := os.ReadFile(output.Name())
			t.Logf("BaseX wrote: %s", text)
		}
		_ = output.Close()
	})
	require.NoError(t, ready(t.Context(), "http://"+address+"/metrics", ended))
}

// fetch returns the class path of the server.
func fetch(t testing.TB) string {
	t.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		testenv.Missing(t, Need, "there is no cache folder: "+err.Error())
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	var paths []string
	for _, jar := range append(serverJars, Jar) {
		path, err := jar.Fetch(ctx, filepath.Join(cache, "brokerage", "downloads"))
		if err != nil {
			testenv.Missing(t, Need, "BaseX cannot be fetched from Maven Central: "+err.Error())
		}
		paths = append(paths, path)
	}
	return strings.Join(paths, string(os.PathListSeparator))
}

// archive writes all documents of a kind into an archive, which BaseX reads much faster than as many files.
func archive(t testing.TB, path string, d *dataset.Dataset, kind dataset.Kind) {
	t.Helper()
	file, err := os.Create(path)
	require.NoError(t, err)
	out := tar.NewWriter(file)
	var doc []byte
	for i := range d.Count(kind) {
		doc = d.Append(doc[:0], kind, i)
		require.NoError(t, out.WriteHeader(&tar.Header{
			Name: fmt.Sprintf("%d.xml", d.ID(kind, i)), Mode: 0o600, Size: int64(len(doc)),
		}))
		_, err := out.Write(doc)
		require.NoError(t, err)
	}
	require.NoError(t, errors.Join(out.Close(), file.Close()))
}

// ready waits until a server answers, or has ended.
func ready(ctx context.Context, url string, ended <-chan struct{}) error {
	for {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
		if err != nil {
			return err
		}
		if response, err := http.DefaultClient.Do(request); err == nil {
			_ = response.Body.Close()
			if response.StatusCode != http.StatusOK {
				return errors.New("BaseX answers " + response.Status)
			}
			return nil
		}
		select {
		case <-ended:
			return errors.New("BaseX has ended")
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(50 * time.Millisecond):
		}
	}
}

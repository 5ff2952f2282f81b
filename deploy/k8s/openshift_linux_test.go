package k8s_test

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/access"
	"brokerage/internal/testenv"
)

// The service works as a user that the machine does not know, in the group root and in the one of its volumes: it reads
// its tokens, writes its database, and finds what it wrote when it starts again.
func TestOpenShift_AnyUser(t *testing.T) {
	if !testenv.Required(need) && !testenv.Required(needNode) || os.Geteuid() != 0 {
		testenv.Missing(t, needNode, "only root may become another user, and the program is built: make test-k8s-node")
	}
	const user = 1000680000
	dir := t.TempDir()
	require.NoError(t, os.Chmod(filepath.Dir(dir), 0o755)) // it lets nobody else in
	program, data, tokens := filepath.Join(dir, "brokerage"), filepath.Join(dir, "data"), filepath.Join(dir, "tokens")
	build(t, dir)
	token, err := access.Add(tokens, access.Client{Name: "test", Scopes: []access.Scope{access.Read, access.Trade}})
	require.NoError(t, err)
	require.NoError(t, os.Mkdir(data, 0o775))
	for path, mode := range map[string]os.FileMode{data: 0o775 | os.ModeSetgid, tokens: 0o440} {
		require.NoError(t, os.Chown(path, 0, user))
		require.NoError(t, os.Chmod(path, mode))
	}
	port, err := freePort()
	require.NoError(t, err)
	url := fmt.Sprintf("http://127.0.0.1:%d", port)
	answer := func(method, path, body string) string {
		request, err := http.NewRequestWithContext(t.Context(), method, url+path, strings.NewReader(body))
		require.NoError(t, err)
		request.Header.Set("Authorization", "Bearer "+token)
		request.Header.Set("Content-Type", "application/xml")
		return fetch(request)
	}
	for _, start := range []string{"first", "second"} {
		cmd := exec.CommandContext(t.Context(), program, "serve", "--listen", strings.TrimPrefix(url, "http://"),
			"--tokens", tokens, "--db", "sqlite:"+filepath.Join(data, "brokerage.db"))
		cmd.Dir, cmd.Env = "/", []string{"HOME=/"}
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: user, Gid: 0, Groups: []uint32{user}}}
		var log strings.Builder
		cmd.Stderr = &log
		require.NoError(t, cmd.Start())
		eventually(t, func() bool {
			if start == "first" {
				answer(http.MethodPut, orderPath+"/status", backedUp)
			}
			return strings.Contains(answer(http.MethodGet, orderPath, ""), `Stat="4"`)
		}, "the %s start is ready", start)
		require.NoError(t, cmd.Process.Signal(syscall.SIGTERM))
		require.NoError(t, cmd.Wait(), log.String())
	}
}

package pgtest

import (
	"bufio"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
)

func TestMain(m *testing.M) { Main(m) }

// childVariable makes this program one that starts a server and waits to be killed.
const childVariable = "PGTEST_CHILD"

// A test that is killed leaves no server, and no folder.
func TestStart_Killed(t *testing.T) {
	if os.Getenv(childVariable) != "" {
		s := Start(t)
		_, err := os.Stdout.WriteString("\nserver in " + s.dir + "\n")
		require.NoError(t, err)
		select {}
	}
	Shared(t) // skips where there can be none
	child := exec.CommandContext(t.Context(), os.Args[0], "-test.run", "^TestStart_Killed$")
	child.Env = append(os.Environ(), childVariable+"=1")
	out, err := child.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, child.Start())
	var dir string
	for lines := bufio.NewScanner(out); dir == "" && lines.Scan(); {
		_, dir, _ = strings.Cut(lines.Text(), "server in ")
	}
	require.NotEmpty(t, dir)
	require.FileExists(t, dir+"/data/postmaster.pid")
	require.NoError(t, child.Process.Kill())
	require.Error(t, child.Wait())
	require.Eventually(t, func() bool {
		_, err := os.Stat(dir)
		return os.IsNotExist(err)
	}, time.Minute, 20*time.Millisecond)
}

// Settings are the server's, after a restart too, and databases are of their own.
func TestServer(t *testing.T) {
	s := Start(t, "work_mem=7MB")
	require.GreaterOrEqual(t, s.Major(t), 15)
	show := func(name string) (value string) {
		conn := s.Connect(t, "postgres")
		defer func() { require.NoError(t, conn.Close(t.Context())) }()
		require.NoError(t, conn.QueryRow(t.Context(), "SHOW "+name).Scan(&value))
		return value
	}
	require.Equal(t, "7MB", show("work_mem"))
	require.Empty(t, show("listen_addresses"))
	s.Restart(t, "immediate")
	require.Equal(t, "7MB", show("work_mem"))
	first, second := s.Database(t), s.Database(t)
	s.Exec(t, first, "CREATE TABLE mine (id int)")
	_, err := pgx.Connect(t.Context(), s.URL("none"))
	require.Error(t, err)
	s.Exec(t, second, "CREATE TABLE mine (id int)")
	clone := s.Clone(t, first)
	s.Exec(t, clone, "INSERT INTO mine VALUES (1)")
}

package main

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/store/postgres/pgtest"
	"brokerage/internal/testenv"
)

// The commands of docs/postgres.md, on a real server, as a reader follows them from top to bottom: with tiny instead of
// XXXS, and on localhost, which the guide calls db as well. Commands that need systemd or an archive of changes are not
// run.
func TestPostgres_Guide(t *testing.T) {
	t.Parallel()
	_, port, err := net.SplitHostPort(freeAddress(t))
	require.NoError(t, err)
	server := pgtest.Start(t, "listen_addresses=127.0.0.1", "port="+port)
	run := guideShell(t, server, "PGHOST=localhost", "PGPORT="+port)
	ran := 0
	for _, block := range guideBlocks(t, "../../docs/postgres.md", "sh") {
		for line := range strings.Lines(block) {
			line, _, _ = strings.Cut(strings.TrimSpace(line), " #")
			program, _, _ := strings.Cut(line, " ")
			if program != "createdb" && program != "psql" && program != "brokerage" ||
				strings.Contains(line, "pg_is_in_recovery") || strings.Contains(line, "postgres://…") {
				continue
			}
			ran++
			command := strings.NewReplacer("@db/", "@localhost/", "XXXS", "tiny", "--users 50", "--users 5").Replace(line)
			switch {
			case strings.HasPrefix(line, "brokerage serve"):
				guideServes(t, run, command)
				continue
			case strings.HasPrefix(line, "brokerage drive"): // beside other tests no run need be steady
				command = strings.Replace(command, "drive ", "drive --allow-invalid --ramp 0s --duration 500ms --think 5ms ", 1)
			case strings.HasPrefix(line, "brokerage campaign"):
				command = strings.Replace(command,
					"campaign ",
					"campaign --allow-invalid --scale tiny --users 2 --warm-up 100ms --duration 300ms "+
						"--steps query,mixed --think 2ms ",
					1,
				)
			}
			out, err := run(command).CombinedOutput()
			require.NoError(t, err, "%s\n%s", line, out)
			require.NotContains(t, string(out), "ERROR", line)
		}
	}
	require.GreaterOrEqual(t, ran, 10)
}

// guideBlocks returns the fenced blocks of a language, such as sh for commands, in a document.
func guideBlocks(t testing.TB, document, language string) (blocks []string) {
	t.Helper()
	fenced := regexp.MustCompile("(?ms)^```" + language + "\n(.*?)\n```$")
	for _, block := range fenced.FindAllStringSubmatch(testenv.Text(t, document), -1) {
		blocks = append(blocks, block[1])
	}
	return blocks
}

// guideShell returns a function that runs commands as in a clone of the repository, with brokerage and the programs of
// a server.
func guideShell(t testing.TB, server *pgtest.Server, env ...string) (run func(command string) *exec.Cmd) {
	t.Helper()
	testenv.Command(t, "psql")
	shell := testenv.Command(t, "bash")
	programs, root := t.TempDir(), t.TempDir()
	for _, name := range []string{"deploy", "internal"} { // as in a clone, in a folder that may be written to
		from, err := filepath.Abs("../../" + name)
		require.NoError(t, err)
		require.NoError(t, os.Symlink(from, filepath.Join(root, name)))
	}
	wrapper := fmt.Sprintf("#!/bin/sh\n%s=1 exec %q \"$@\"\n", asMain, os.Args[0])
	require.NoError(t,
		os.WriteFile(filepath.Join(programs, "brokerage"), []byte(wrapper), 0o755)) //nolint:gosec // a program
	return func(command string) *exec.Cmd {
		cmd := exec.CommandContext(t.Context(), shell, "-euc", command)
		cmd.Dir = root
		cmd.Env = append(os.Environ(), "PATH="+programs+":"+filepath.Dir(server.Program("psql"))+":"+os.Getenv("PATH"),
			"PGUSER="+pgtest.User)
		cmd.Env = append(cmd.Env, env...)
		return cmd
	}
}

// guideServes starts a service by a command, and reads and writes by it.
func guideServes(t testing.TB, run func(string) *exec.Cmd, command string) {
	t.Helper()
	cmd := run("exec " + command + " --listen 127.0.0.1:0")
	i := &instance{cmd: cmd, logs: &logLines{}, out: &logLines{}}
	cmd.Stderr = i.logs
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	i.listening(t)
	require.Contains(t, get(t, i.url+"/v1/dataset").body, `scale="tiny"`, command)
	require.Equal(t, 200, send(t, "PUT", i.url+"/v1/orders/103282/status", "", orderStatus).status, command)
	i.stop(t)
}

const orderStatus = `<OrderStatus xmlns="http://www.fixprotocol.org/FIXML-4-4" Stat="4"/>`

// roles.sql on a server without the database, as the images run it, and then again; it stops at its first error.
func TestPostgres_Roles(t *testing.T) {
	t.Parallel()
	psql := testenv.Command(t, "psql")
	server := pgtest.Start(t)
	roles := func(args ...string) (string, error) {
		args = append([]string{
			server.URL("postgres"), "-f", "../../deploy/postgres/roles.sql", "-v", "owner_password=it's",
		}, args...)
		out, err := exec.CommandContext(t.Context(), psql, args...).CombinedOutput()
		return string(out), err
	}
	out, err := roles() // no password for the service
	require.ErrorContains(t, err, "exit status 3", out)
	require.NotContains(t, out, "CREATE DATABASE")
	for _, want := range []string{"created the schema", "nothing to do"} {
		out, err := roles("-v", "service_password=other")
		require.NoError(t, err, out)
		r := succeeds(t, "migrate", "--db", server.URLOf("brokerage_owner", "brokerage"))
		require.Contains(t, r.out, want)
	}
	served := serving(t, "", "--db", server.URLOf("brokerage_service", "brokerage"))
	require.Equal(t, 200, get(t, served.url+"/readyz").status)
	sees := "SELECT count(*) FROM pg_stat_activity WHERE usename = 'brokerage_service' AND state IS NOT NULL"
	owner := server.URLOf("brokerage_owner", "brokerage")
	waits, err := exec.CommandContext(t.Context(), psql, owner, "-Atc", sees).Output()
	require.NoError(t, err)
	require.NotEqual(t, "0\n", string(waits), "the runbook's commands, as the owner, see what the service waits for")
	served.stop(t)
}

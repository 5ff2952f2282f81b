package main

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/dataset"
	"brokerage/internal/store/postgres/pgtest"
	"brokerage/internal/testenv"
)

const readmeAddr = "127.0.0.1:8080"

// readme returns the fenced blocks of a language in the README and in the documents that a newcomer reads next.
func readme(t testing.TB, language string) (blocks []string) {
	t.Helper()
	for _, name := range []string{"README.md", "docs/tour.md", "docs/load-tests.md"} {
		blocks = append(blocks, guideBlocks(t, "../../"+name, language)...)
	}
	require.NotEmpty(t, blocks)
	return blocks
}

// The commands of the tour, on a service started as printed except for the port, return the printed responses. The tour
// does not disturb a load on the same database. After a load, the tour has other ids and figures, but everything still
// works.
func TestReadme_Tour(t *testing.T) {
	t.Parallel()
	service := serving(t, "")
	for _, step := range tour(t, service) {
		require.Regexp(t, asPattern(step.printed), step.answer, step.command)
	}
	whole := dataset.New(dataset.Spec{Seed: 1})
	for i := range whole.TotalAccounts() {
		require.Equal(t, http.StatusOK, get(t, fmt.Sprintf("%s/v1/accounts/%d", service.url, whole.FirstAccount(0)+i)).status)
	}
	for _, name := range []string{"mixed", "insert-customers"} {
		r := succeeds(t, "drive", "--url", service.url, "--workload", name, "--users", "20", "--ramp", "0s",
			"--count", "2000", "--allow-invalid")
		require.NotRegexp(t, "(?i)unexpected", r.out) // neither among measured nor among preparing requests
	}
	// The status and problem type of each answer, or else its root element.
	outcome := regexp.MustCompile(`^HTTP/1.1 \d+|<type>.*?</type>|^<\w+`)
	for _, step := range tour(t, service) {
		require.Equal(t, outcome.FindAllString(step.printed, -1), outcome.FindAllString(step.answer, -1), "%s: %s",
			step.command, step.answer)
	}
	service.stop(t)
}

// tourStep is a command of the tour with the printed response and the actual one.
type tourStep struct{ command, printed, answer string }

// tour takes the tour in one shell, as a reader does.
func tour(t *testing.T, service *instance) (steps []tourStep) {
	t.Helper()
	testenv.Command(t, "curl")
	shell := testenv.Command(t, "bash")
	root, err := filepath.Abs("../..")
	require.NoError(t, err)
	const mark = "-- end of a step --"
	var script strings.Builder
	for _, block := range readme(t, "console") {
		for _, text := range strings.Split("\n"+block, "\n$ ")[1:] {
			command, printed, _ := strings.Cut(text, "\n")
			steps = append(steps, tourStep{command: command, printed: printed})
			script.WriteString(strings.ReplaceAll(command, "http://"+readmeAddr, service.url) + "\necho; echo '" + mark + "'\n")
		}
	}
	require.GreaterOrEqual(t, len(steps), 17)
	cmd := exec.CommandContext(t.Context(), shell)
	cmd.Dir, cmd.Stdin = root, strings.NewReader(script.String())
	out, err := cmd.Output()
	require.NoError(t, err)
	answers := strings.Split(strings.ReplaceAll(string(out), "\r", ""), mark+"\n")
	require.Len(t, answers, len(steps)+1)
	for i := range steps {
		steps[i].answer = strings.Trim(answers[i], "\n")
	}
	return steps
}

// asPattern returns a regular expression for a printed response, in which … stands for anything.
func asPattern(answer string) string {
	parts := strings.Split(strings.TrimRight(answer, "\n"), "…")
	for i := range parts {
		parts[i] = regexp.QuoteMeta(parts[i])
	}
	return `(?s)\A` + strings.Join(parts, ".*") + `\z`
}

// runReadme runs a command of this program. It starts a service for a command that needs one.
func runReadme(t *testing.T, dir, command string) {
	t.Helper()
	args := strings.Fields(shortened(command))[1:]
	if args[0] == "serve" {
		serving(t, dir, args[1:]...).stop(t)
		return
	}
	if i := slices.Index(args, "http://"+readmeAddr); i >= 0 {
		service := serving(t, dir)
		defer service.stop(t)
		args[i] = service.url
	}
	cmd := process(t, args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s: %s", command, out)
}

// shortened returns a command of a document with less to do: so little that a run may be INVALID on a busy machine,
// which is not a fault of the document.
func shortened(command string) string {
	switch strings.Fields(command)[1] {
	case "load":
		return command + " --scale tiny"
	case "drive":
		return command + " --users 5 --think 5ms --ramp 200ms --duration 500ms --allow-invalid"
	case "campaign":
		return command + " --scale tiny --users 2 --warm-up 100ms --duration 300ms --steps query,mixed --think 2ms " +
			"--allow-invalid"
	}
	return command
}

// The other commands in these documents: targets of make exist, and commands of this program succeed.
func TestReadme_Commands(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	dir := t.TempDir()
	for _, block := range readme(t, "sh") {
		for line := range strings.Lines(block) {
			line, _, _ = strings.Cut(strings.TrimSpace(line), " #")
			if regexp.MustCompile(`^start=| --part |(merged|found)\.json`).MatchString(line) {
				continue // TestMerge_TwoProcesses and TestDrive_Find run these, with less to do
			}
			if arguments, ok := strings.CutPrefix(line, "go run ./cmd/brokerage "); ok {
				runReadme(t, dir, "brokerage "+arguments)
				continue
			}
			target, ok := strings.CutPrefix(line, "make ")
			require.True(t, ok, "no test runs %q", line)
			require.Contains(t, testenv.Text(t, "../../Makefile"), "\n"+strings.TrimSpace(target)+":")
		}
	}
}

// The commands of docs/postgres.md, on a real server, as a reader follows them from top to bottom: with tiny instead of
// XXXS, and localhost instead of the host db. Commands that need systemd or an archive of changes are not run.
func TestPostgres_Guide(t *testing.T) {
	testenv.Long(t)
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
			command := strings.ReplaceAll(line, "@db/", "@localhost/")
			if strings.HasPrefix(line, "brokerage serve") {
				guideServes(t, run, command)
				continue
			}
			if program == "brokerage" {
				command = shortened(command)
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

// guideShell returns a function that prepares a command to run as in a clone of the repository, with brokerage and the
// programs of a server.
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

// guideServes starts a service with a command, and reads and writes through the service.
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

// roles.sql succeeds on a server without the database, as the images run it, and again; it stops at its first error.
func TestPostgres_Roles(t *testing.T) {
	testenv.Long(t)
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

// The commands of docs/scaling.md, on a real cluster, from the first to the removal of a node and the restore point:
// with tiny instead of XXXS, 4 shards instead of 32, and the sockets of the nodes instead of their names.
func TestScaling_Guide(t *testing.T) {
	t.Parallel()
	cluster := pgtest.StartCluster(t, 3)
	folders := make(map[string]string)
	for i, name := range []string{"coordinator", "worker1", "worker2", "worker3"} {
		node := cluster.Nodes[i]
		folders[name] = filepath.Dir(node.Socket())
		node.Exec(t, "postgres", "ALTER SYSTEM SET citus.local_hostname = '"+folders[name]+"'")
		node.Exec(t, "postgres", "SELECT pg_reload_conf()")
	}
	names := regexp.MustCompile(`\b(coordinator|worker[123])\b`)
	inURL := regexp.MustCompile(`@([a-z0-9,]+)/brokerage(\?|')`)
	run := guideShell(t, cluster.Nodes[0])
	ran := ""
	for _, block := range guideBlocks(t, "../../docs/scaling.md", "sh") {
		if !regexp.MustCompile(`^(for|createdb|psql|brokerage) `).MatchString(block) {
			continue // a target of make, for example
		}
		block = strings.NewReplacer("XXXS", "tiny", "distribute=32", "distribute=4",
			"rebalance_start(", "rebalance_start('by_shard_count', ").Replace(block) // by size, tiny would not be worth a move
		block = inURL.ReplaceAllStringFunc(block, func(url string) string {
			found := inURL.FindStringSubmatch(url)
			return "@/brokerage?host=" + found[1] + strings.Replace(found[2], "?", "&", 1)
		})
		block = names.ReplaceAllStringFunc(block, func(name string) string { return folders[name] })
		var commands, served []string
		for line := range strings.Lines(block) {
			if strings.HasPrefix(line, "brokerage serve") {
				served = append(served, strings.TrimSpace(line))
			} else {
				commands = append(commands, line)
			}
		}
		out, err := run(strings.Join(commands, "")).CombinedOutput()
		require.NoError(t, err, "%s\n%s", block, out)
		require.NotContains(t, string(out), "ERROR", block)
		for _, command := range served {
			guideServes(t, run, command)
		}
		if strings.Contains(block, "citus_rebalance_wait") {
			require.Regexp(t, folders["worker3"]+` +\|`, string(out), "it has shards then") // psql aligns the columns
		}
		ran += block
	}
	for _, command := range []string{
		"citus_add_node", "brokerage serve", "citus_drain_node", "citus_create_restore_point",
	} {
		require.Contains(t, ran, command)
	}
}

package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/store/postgres/pgtest"
	"brokerage/internal/testenv"
)

// asMain makes the test binary behave as brokerage itself, for tests that need a process: signals, kill -9. All
// processes that tests start inherit it.
const asMain = "BROKERAGE_TEST_AS_MAIN"

func TestMain(m *testing.M) {
	if os.Getenv(asMain) != "" {
		main()
		return
	}
	if err := os.Setenv(asMain, "1"); err != nil {
		panic(err)
	}
	testenv.Parallel()
	pgtest.Main(m)
}

func process(t testing.TB, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], args...)
	cmd.Env = os.Environ()
	return cmd
}

type exited struct {
	code     int
	out, err string
}

func brokerage(ctx context.Context, args ...string) exited {
	var out, errs bytes.Buffer
	code := run(ctx, args, streams{&out, &errs})
	return exited{code, out.String(), errs.String()}
}

// succeeds runs a command, which must not fail.
func succeeds(t testing.TB, args ...string) exited {
	t.Helper()
	r := brokerage(t.Context(), args...)
	require.Equal(t, exitOK, r.code, r.out+r.err)
	return r
}

// requireOneLine checks a failure: its exit code, one line on standard error, no output.
func requireOneLine(t testing.TB, r exited, code int, says string) {
	t.Helper()
	require.Equal(t, code, r.code, r.err)
	require.Empty(t, r.out)
	require.Equal(t, 1, strings.Count(r.err, "\n"), r.err)
	require.True(t, strings.HasPrefix(r.err, "brokerage"), r.err)
	require.Contains(t, r.err, says)
}

func TestRun_Help(t *testing.T) {
	for _, args := range [][]string{nil, {"--help"}, {"generate", "--help"}} {
		r := brokerage(t.Context(), args...)
		require.Equal(t, exitOK, r.code)
		require.Contains(t, r.out, "Usage: brokerage")
		require.Empty(t, r.err)
	}
	want := succeeds(t, "version")
	require.Contains(t, want.out, "generator version 1")
	for _, args := range [][]string{{"--version"}, {"serve", "--version"}} {
		require.Equal(t, want, brokerage(t.Context(), args...))
	}
}

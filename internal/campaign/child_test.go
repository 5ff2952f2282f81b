package campaign

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/testenv"
)

// asService makes the test binary behave as a service, in one of several ways.
const asService = "BROKERAGE_TEST_AS_SERVICE"

func TestMain(m *testing.M) {
	if how := os.Getenv(asService); how != "" {
		serve(how)
		return
	}
	testenv.Parallel()
	os.Exit(m.Run())
}

func serve(how string) {
	if how == "fails" {
		fmt.Fprintln(os.Stderr, "brokerage serve: the database is in use")
		os.Exit(1)
	}
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, syscall.SIGTERM)
	fmt.Fprintln(os.Stderr, "no JSON")
	fmt.Fprintf(os.Stderr, `{"msg":"listening","addr":"%s DB=%s GOMAXPROCS=%s"}`+"\n", strings.Join(os.Args[1:], " "),
		os.Getenv("BROKERAGE_DB"), os.Getenv("GOMAXPROCS"))
	<-stop
	if how == "stubborn" {
		os.Exit(1)
	}
}

func command(how string) func(args ...string) *exec.Cmd {
	return func(args ...string) *exec.Cmd {
		cmd := exec.Command(os.Args[0], args...) //nolint:noctx // Stop ends it
		cmd.Env = append(os.Environ(), asService+"="+how)
		return cmd
	}
}

func TestChildren(t *testing.T) {
	c := &child{command: command("well"), settings: ServiceSettings{DB: "null:", Pool: 3, CPUs: 1}}
	s, err := c.start(t.Context())
	require.NoError(t, err)
	require.Contains(t, s.URL, "http://serve --listen 127.0.0.1:0 --tokens ")
	require.Contains(t, s.URL, "--pool 3 DB=null: GOMAXPROCS=1")
	require.NotEmpty(t, s.Token)
	require.DirExists(t, c.folder)
	first := s.URL
	require.NoError(t, s.Restart(t.Context()))
	require.NotEqual(t, s.PID, c.process.PID())
	require.Contains(t, c.process.URL, "serve --listen "+strings.TrimPrefix(first, "http://"), "at its address")
	require.NoError(t, s.Stop())
	require.NoDirExists(t, c.folder, "no token outlives its service")
}

func TestChildren_Fails(t *testing.T) {
	_, err := Children(command("fails"))(t.Context(), ServiceSettings{DB: "null:"})
	require.ErrorIs(t, err, ErrGone)
	require.EqualError(t, err,
		"starting the service: the service ended unexpectedly (exit status 1): brokerage serve: the database is in use")

	missing := func(...string) *exec.Cmd { return exec.Command("/nowhere/brokerage") } //nolint:noctx // it never runs
	_, err = Children(missing)(t.Context(), ServiceSettings{})
	require.ErrorIs(t, err, os.ErrNotExist)
}

func TestChildren_Dies(t *testing.T) {
	c := &child{command: command("well"), settings: ServiceSettings{DB: "null:"}}
	s, err := c.start(t.Context())
	require.NoError(t, err)
	require.NoError(t, syscall.Kill(s.PID, syscall.SIGKILL))
	require.Error(t, c.process.Wait(t.Context(), time.Minute))
	require.EqualError(t, s.Stop(), "the service ended unexpectedly (signal: killed)")
}

func TestChildren_EndsBadly(t *testing.T) {
	s, err := Children(command("stubborn"))(t.Context(), ServiceSettings{DB: "null:"})
	require.NoError(t, err)
	require.EqualError(t, s.Stop(), "stopping the service: exit status 1")
}

// A campaign that is interrupted while a service starts does not wait for it.
func TestChildren_Interrupted(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	stop()
	sleep := func(...string) *exec.Cmd { return exec.Command("sleep", "60") } //nolint:noctx // it is killed
	_, err := Children(sleep)(ctx, ServiceSettings{})
	require.ErrorIs(t, err, context.Canceled)
}

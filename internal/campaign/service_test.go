package campaign

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/drive"
	"brokerage/internal/testenv"
)

// asService makes the test binary behave as a service that answers no request. Its value is the name of a file for its
// arguments and settings, or "fails".
const asService = "BROKERAGE_TEST_AS_SERVICE"

func serve(how string) {
	if how == "fails" {
		fmt.Fprintln(os.Stderr, "brokerage serve: the database is in use")
		os.Exit(1)
	}
	said := fmt.Sprintf("%s DB=%s GOMAXPROCS=%s", strings.Join(os.Args[1:], " "), os.Getenv("BROKERAGE_DB"),
		os.Getenv("GOMAXPROCS"))
	if err := os.WriteFile(how, []byte(said), 0o600); err != nil {
		panic(err)
	}
	fmt.Fprintln(os.Stderr, "no JSON")
	fmt.Fprintln(os.Stderr, `{"msg":"listening","addr":"127.0.0.1:1"}`)
	select {}
}

func serving(how string) Driver {
	return Serving(func(args ...string) *exec.Cmd {
		cmd := exec.Command(os.Args[0], args...) //nolint:noctx // Stop ends it
		cmd.Env = append(os.Environ(), asService+"="+how)
		return cmd
	})
}

// The service gets its settings, and its token does not outlive it.
func TestServing(t *testing.T) {
	w, file := newWorld(t), filepath.Join(t.TempDir(), "said")
	c := w.campaign("")
	p, err := c.drivePlan(&RunPlan{Workload: query, Users: 1000, Connections: 3})
	require.NoError(t, err)
	_, err = serving(file)(t.Context(), ServiceSettings{DB: "null:", Pool: 3, CPUs: 1}, p)
	require.ErrorContains(t, err, "connection refused")
	said := testenv.Text(t, file)
	require.Contains(t, said, "serve --listen 127.0.0.1:0 --tokens ")
	require.Contains(t, said, "--pool 3 --in-flight 1000 --not-durable DB=null: GOMAXPROCS=1")
	tokens := strings.Fields(said)[4]
	require.NoDirExists(t, filepath.Dir(tokens))
}

// A service that does not start reports why, and a campaign that is interrupted meanwhile does not wait for it.
func TestServing_Fails(t *testing.T) {
	_, err := serving("fails")(t.Context(), ServiceSettings{}, drive.Plan{})
	require.EqualError(t, err, "starting the service: exit status 1: brokerage serve: the database is in use")

	ctx, stop := context.WithCancel(t.Context())
	stop()
	sleep := func(...string) *exec.Cmd { return exec.Command("sleep", "60") } //nolint:noctx // it is killed
	_, err = Serving(sleep)(ctx, ServiceSettings{}, drive.Plan{})
	require.ErrorIs(t, err, context.Canceled)
}

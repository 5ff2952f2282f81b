package campaign

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"brokerage/internal/access"
	"brokerage/internal/drive"
	"brokerage/internal/result"
)

// ServiceSettings are the settings of the service under test.
type ServiceSettings struct {
	DB   string
	Pool int
	CPUs int // that it may use; 0 is all
}

// Driver runs a plan against a service that it starts for the run. If p.Break.At is set, it kills the service at
// that time, as kill -9 does, and starts it again. A run that ended early is returned with the error that ended it.
type Driver func(ctx context.Context, s ServiceSettings, p drive.Plan) (*result.Run, error)

// Timeouts for the start of a service, which may make the schema of its database, and for its stop.
const (
	startTimeout = 5 * time.Minute
	stopTimeout  = time.Minute
)

// Serving returns the Driver that generates the load in this process, against a service in a process of its own.
// command returns the command of the program with the given arguments.
func Serving(command func(args ...string) *exec.Cmd) Driver {
	return func(ctx context.Context, s ServiceSettings, p drive.Plan) (run *result.Run, err error) {
		folder, err := os.MkdirTemp("", "brokerage-campaign-")
		if err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(folder)) }() // no token outlives its service
		tokens := filepath.Join(folder, "tokens")
		token, err := access.Add(tokens, access.Client{Name: "campaign", Scopes: access.Scopes[:]})
		if err != nil {
			return nil, err
		}
		start := func(ctx context.Context, listen string) (*drive.Process, error) {
			cmd := command("serve", "--listen", listen, "--tokens", tokens, "--log-format", "json", "--pool",
				strconv.Itoa(s.Pool), "--in-flight", strconv.Itoa(max(256, p.Users)), // so that no user is refused
				"--not-durable") // the record says how durable the database is
			// The URL may hold a password, and other users of this computer see arguments.
			cmd.Env = append(cmd.Environ(), "BROKERAGE_DB="+s.DB)
			if s.CPUs > 0 {
				cmd.Env = append(cmd.Env, "GOMAXPROCS="+strconv.Itoa(s.CPUs))
			}
			dieWithParent(cmd)
			service, err := drive.Start(cmd)
			if err == nil {
				err = service.Listens(ctx, nil, startTimeout)
			}
			if err != nil {
				err = fmt.Errorf("starting the service: %w", err)
			}
			return service, err
		}
		service, err := start(ctx, "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		if p.Break.At > 0 {
			p.Break.Do = func(ctx context.Context) error {
				service.Kill()
				again, err := start(ctx, strings.TrimPrefix(service.URL, "http://"))
				if err == nil {
					service = again
				}
				return err
			}
		}
		target, err := drive.NewHTTP(service.URL, token, nil)
		if err == nil {
			run, err = drive.Run(ctx, p, target)
		}
		if gone := service.Stop(stopTimeout); gone != nil { // instead of the errors of requests to it
			return run, fmt.Errorf("the service ended unexpectedly: %w", gone)
		}
		if err == nil && service.Exit != nil {
			err = fmt.Errorf("stopping the service: %w", service.Exit)
		}
		return run, err
	}
}

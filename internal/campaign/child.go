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
)

// Service is the service under test, in a process of its own.
type Service struct {
	URL, Token string
	PID        int
	// Restart kills the service, as kill -9 does, and starts it again at its address.
	Restart func(ctx context.Context) error
	// Stop shuts the service down. It returns ErrGone when the service has already ended.
	Stop func() error
}

// ServiceSettings are the settings of the service under test.
type ServiceSettings struct {
	DB   string
	Pool int // 0 is the default of the store
	CPUs int // that it may use; 0 is all
}

// Starter starts a service and waits until it is ready.
type Starter func(ctx context.Context, s ServiceSettings) (*Service, error)

// ErrGone is returned when the service has ended by itself.
var ErrGone = errors.New("the service ended unexpectedly")

// Timeouts for the start of a service, the schema of a database included, and for its stop.
const (
	startTimeout = 5 * time.Minute
	stopTimeout  = time.Minute
)

// child is a service process that was started for a run.
type child struct {
	command  func(args ...string) *exec.Cmd
	settings ServiceSettings
	folder   string // of its tokens
	process  *drive.Process
}

// Children returns a Starter of service processes. command makes the command of the program with the given arguments.
func Children(command func(args ...string) *exec.Cmd) Starter {
	return func(ctx context.Context, s ServiceSettings) (*Service, error) {
		return (&child{command: command, settings: s}).start(ctx)
	}
}

func (c *child) start(ctx context.Context) (service *Service, err error) {
	defer func() {
		if err != nil {
			_ = os.RemoveAll(c.folder) // a token of nothing
			err = fmt.Errorf("starting the service: %w", err)
		}
	}()
	if c.folder, err = os.MkdirTemp("", "brokerage-campaign-"); err != nil {
		return nil, err
	}
	scopes, err := access.ParseScopes("read,trade,admin")
	if err != nil {
		return nil, err
	}
	token, err := access.Add(c.tokens(), access.Client{Name: "campaign", Scopes: scopes})
	if err != nil {
		return nil, err
	}
	if err := c.launch(ctx, "127.0.0.1:0"); err != nil {
		return nil, err
	}
	addr := strings.TrimPrefix(c.process.URL, "http://")
	restart := func(ctx context.Context) error {
		c.process.Kill()
		return c.launch(ctx, addr)
	}
	return &Service{URL: c.process.URL, Token: token, PID: c.process.PID(), Restart: restart, Stop: c.stop}, nil
}

func (c *child) tokens() string { return filepath.Join(c.folder, "tokens") }

// launch starts the process, and waits until it listens.
func (c *child) launch(ctx context.Context, listen string) error {
	args := []string{"serve", "--listen", listen, "--tokens", c.tokens(), "--log-format", "json"}
	if c.settings.Pool > 0 {
		args = append(args, "--pool", strconv.Itoa(c.settings.Pool))
	}
	cmd := c.command(args...)
	// The URL may hold a password, and other users of this computer see arguments.
	cmd.Env = append(cmd.Environ(), "BROKERAGE_DB="+c.settings.DB)
	if c.settings.CPUs > 0 {
		cmd.Env = append(cmd.Env, "GOMAXPROCS="+strconv.Itoa(c.settings.CPUs))
	}
	dieWithParent(cmd)
	p, err := drive.Start(cmd)
	if err != nil {
		return err
	}
	c.process = p
	err = p.Listens(ctx, nil, startTimeout)
	if gone, ok := errors.AsType[*drive.Gone](err); ok {
		return fmt.Errorf("%w (%s)%s", ErrGone, gone.How, gone.Said)
	}
	return err
}

// stop ends the service. No token outlives it.
func (c *child) stop() error {
	err := errors.Join(c.process.Stop(stopTimeout), os.RemoveAll(c.folder))
	if gone, ok := errors.AsType[*drive.Gone](err); ok {
		return fmt.Errorf("%w (%s)", ErrGone, gone.How)
	}
	if err == nil && c.process.Exit != nil {
		err = fmt.Errorf("stopping the service: %w", c.process.Exit)
	}
	return err
}

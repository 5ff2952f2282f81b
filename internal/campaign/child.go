package campaign

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"brokerage/internal/access"
)

// Service is the service under test, in a process of its own.
type Service struct {
	URL, Token string
	PID        int
	// Restart kills the service, as kill -9 does, and starts it again at its address.
	Restart func(ctx context.Context) error
	// Stop shuts the service down. It returns an error when the service has already ended.
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
var ErrGone = errors.New("the service died")

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

	cmd    *exec.Cmd
	log    *serviceLog
	exited chan struct{}
	exit   error // since exited
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
			c.kill()
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
	addr, err := c.launch(ctx, "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	restart := func(ctx context.Context) error {
		c.end()
		_, err := c.launch(ctx, addr)
		return err
	}
	return &Service{URL: "http://" + addr, Token: token, PID: c.cmd.Process.Pid, Restart: restart, Stop: c.stop}, nil
}

func (c *child) tokens() string { return filepath.Join(c.folder, "tokens") }

// launch starts the process, and returns its address when it listens.
func (c *child) launch(ctx context.Context, listen string) (addr string, err error) {
	args := []string{"serve", "--listen", listen, "--tokens", c.tokens(), "--log-format", "json"}
	if c.settings.Pool > 0 {
		args = append(args, "--pool", strconv.Itoa(c.settings.Pool))
	}
	c.cmd = c.command(args...)
	// The URL may hold a password, and other users of this computer see arguments.
	c.cmd.Env = append(c.cmd.Environ(), "BROKERAGE_DB="+c.settings.DB)
	if c.settings.CPUs > 0 {
		c.cmd.Env = append(c.cmd.Env, "GOMAXPROCS="+strconv.Itoa(c.settings.CPUs))
	}
	alone(c.cmd)
	c.log, c.exited = &serviceLog{listening: make(chan string, 1)}, make(chan struct{})
	c.cmd.Stderr, c.cmd.WaitDelay = c.log, time.Second
	if err := c.cmd.Start(); err != nil {
		return "", err
	}
	go func() {
		c.exit = c.cmd.Wait()
		close(c.exited)
	}()
	select {
	case addr := <-c.log.listening:
		return addr, nil
	case <-ctx.Done():
		return "", ctx.Err()
	case <-c.exited:
		return "", c.gone()
	case <-time.After(startTimeout):
		return "", errors.New("it did not listen within " + startTimeout.String())
	}
}

// serviceLog collects the log of a service, and finds its address in it.
type serviceLog struct {
	listening chan string // gets the address
	line      []byte      // the last one, until the service listens
	known     bool
}

func (l *serviceLog) Write(text []byte) (int, error) {
	for part := range bytes.Lines(text) {
		if l.known {
			break
		}
		if bytes.HasSuffix(l.line, []byte("\n")) {
			l.line = nil
		}
		l.line = append(l.line, part...)
		var entry struct{ Msg, Addr string }
		if json.Unmarshal(l.line, &entry) == nil && entry.Msg == "listening" {
			l.listening <- entry.Addr
			l.known = true
		}
	}
	return len(text), nil
}

// stop sends SIGTERM and waits for the service to end.
func (c *child) stop() error {
	defer c.kill()
	select {
	case <-c.exited:
		return c.gone()
	default:
	}
	if err := c.cmd.Process.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	select {
	case <-c.exited:
		if c.exit != nil {
			return fmt.Errorf("stopping the service: %w", c.exit)
		}
		return nil
	case <-time.After(stopTimeout):
		return fmt.Errorf("the service did not stop within %s and was killed", stopTimeout)
	}
}

// gone returns ErrGone with the exit status, and the last line of the log when the service failed to start.
func (c *child) gone() error {
	how := "exit status 0"
	if c.exit != nil {
		how = c.exit.Error()
	}
	if last := bytes.TrimRight(c.log.line, "\n"); !c.log.known && len(last) > 0 {
		return fmt.Errorf("%w (%s): %s", ErrGone, how, last)
	}
	return fmt.Errorf("%w (%s)", ErrGone, how)
}

// end kills the process.
func (c *child) end() {
	if c.cmd != nil && c.cmd.Process != nil {
		_ = c.cmd.Process.Kill() // it may have ended
		<-c.exited
	}
}

// kill ends the process and removes its files.
func (c *child) kill() {
	c.end()
	_ = os.RemoveAll(c.folder) // tokens of a service that has ended
}

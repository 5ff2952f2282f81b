package campaign

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
	"time"

	"brokerage/internal/access"
)

// ErrGone is returned when the service has ended by itself.
var ErrGone = errors.New("the service died")

// Timeouts for the start of a service, a migration included, and for its stop.
const (
	startTimeout = 5 * time.Minute
	stopTimeout  = time.Minute
)

// child is a service process that was started for a run.
type child struct {
	cmd        *exec.Cmd
	folder     string // of its tokens
	url, token string
	exited     chan struct{}
	exit       error         // since exited
	logged     chan struct{} // its log has ended

	mu   sync.Mutex
	last string // line of its log
}

// Children returns a Starter of service processes. command makes the command of the program with the given arguments.
func Children(command func(args ...string) *exec.Cmd) Starter {
	return func(ctx context.Context, s ServiceSettings) (Service, error) {
		c := &child{exited: make(chan struct{}), logged: make(chan struct{})}
		if err := c.start(ctx, command, s); err != nil {
			c.kill()
			return nil, fmt.Errorf("starting the service: %w", err)
		}
		return c, nil
	}
}

func (c *child) start(ctx context.Context, command func(args ...string) *exec.Cmd, s ServiceSettings) (err error) {
	if c.folder, err = os.MkdirTemp("", "brokerage-campaign-"); err != nil {
		return err
	}
	tokens := filepath.Join(c.folder, "tokens")
	scopes, err := access.ParseScopes("read,trade,admin")
	if err != nil {
		return err
	}
	if c.token, err = access.Add(tokens, access.Client{Name: "campaign", Scopes: scopes}); err != nil {
		return err
	}
	c.cmd = command(arguments(s, tokens)...)
	// The URL may hold a password, and other users of this computer see arguments.
	c.cmd.Env = append(c.cmd.Environ(), "BROKERAGE_DB="+s.DB)
	if s.CPUs > 0 {
		c.cmd.Env = append(c.cmd.Env, "GOMAXPROCS="+strconv.Itoa(s.CPUs))
	}
	alone(c.cmd)
	log, to, err := os.Pipe()
	if err != nil {
		return err
	}
	c.cmd.Stderr = to
	err = c.cmd.Start()
	_ = to.Close() // it is the child's now
	if err != nil {
		return errors.Join(err, log.Close())
	}
	go func() {
		c.exit = c.cmd.Wait()
		close(c.exited)
	}()
	listening := make(chan string, 1)
	go c.listen(log, listening)
	select {
	case addr := <-listening:
		c.url = "http://" + addr
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-c.exited:
		return c.gone()
	case <-time.After(startTimeout):
		return errors.New("it did not listen within " + startTimeout.String())
	}
}

func arguments(s ServiceSettings, tokens string) []string {
	args := []string{"serve", "--listen", "127.0.0.1:0", "--tokens", tokens, "--log-format", "json"}
	if s.Pool > 0 {
		args = append(args, "--pool", strconv.Itoa(s.Pool))
	}
	if s.Uncompressed {
		args = append(args, "--uncompressed")
	}
	return args
}

// listen reads the log until its end, since a full pipe would block the service.
func (c *child) listen(log io.ReadCloser, listening chan<- string) {
	defer close(c.logged)
	defer func() { _ = log.Close() }() // it was only read
	lines := bufio.NewReaderSize(log, 64<<10)
	for known := false; ; {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return
		}
		if known {
			continue
		}
		var entry struct{ Msg, Addr, Error string }
		if json.Unmarshal(line, &entry) == nil && entry.Msg == "listening" {
			listening <- entry.Addr
			known = true
			continue
		}
		c.mu.Lock()
		c.last = string(line[:len(line)-1])
		c.mu.Unlock()
	}
}

func (c *child) URL() string   { return c.url }
func (c *child) Token() string { return c.token }
func (c *child) PID() int      { return c.cmd.Process.Pid }

// Stop sends SIGTERM and waits for the service to end.
func (c *child) Stop() error {
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
	select {
	case <-c.logged: // all of it, with the reason
	case <-time.After(time.Second):
	}
	how := "exit status 0"
	if c.exit != nil {
		how = c.exit.Error()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.url == "" && c.last != "" {
		return fmt.Errorf("%w (%s): %s", ErrGone, how, c.last)
	}
	return fmt.Errorf("%w (%s)", ErrGone, how)
}

// kill ends the process and removes its files.
func (c *child) kill() {
	if c.cmd != nil && c.cmd.Process != nil {
		_ = c.cmd.Process.Kill() // it may have ended
		<-c.exited
	}
	_ = os.RemoveAll(c.folder) // tokens of a service that is no more
}

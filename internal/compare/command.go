package compare

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"brokerage/internal/drive"
)

// How long a command may take until it serves, until it has ended, and between two slices.
const (
	startWithin = time.Minute
	stopWithin  = 30 * time.Second
	hookWithin  = time.Minute
)

// portMark in a command is replaced by a free port of this computer.
const portMark = "{port}"

// longestLine is how much of a line is kept of a command's output.
const longestLine = 64 << 10

// command is the command of a side, which serves at a URL until it is stopped.
type command struct {
	url    string
	cmd    *exec.Cmd
	output output
	ended  chan struct{}
	err    error // since it has ended
}

// start runs a command in a shell and waits until it serves: at the address that it prints, or at {port}.
func start(ctx context.Context, text string, within time.Duration) (*command, error) {
	c := &command{ended: make(chan struct{}), output: output{address: make(chan string, 1)}}
	answers := make(chan string, 1)
	if strings.Contains(text, portMark) {
		port, err := freePort(ctx)
		if err != nil {
			return nil, err
		}
		text = strings.ReplaceAll(text, portMark, strconv.Itoa(port))
		bounded, cancel := context.WithTimeout(ctx, within)
		defer cancel()
		go awaitAnswer(bounded, "http://127.0.0.1:"+strconv.Itoa(port), answers)
	}
	if err := c.run(text); err != nil {
		return nil, err
	}
	var failed error
	select {
	case c.url = <-c.output.address:
	case c.url = <-answers:
	case <-c.ended:
		failed = c.gone()
	case <-ctx.Done():
		failed = ctx.Err()
	case <-time.After(within):
		failed = fmt.Errorf("it did not say where it listens within %s%s", within, c.output.said())
	}
	if failed != nil {
		return nil, errors.Join(failed, c.kill())
	}
	return c, nil
}

// run runs a text in a shell, without waiting for it.
func (c *command) run(text string) error {
	c.cmd = drive.Shell(text)
	c.cmd.Env = append(os.Environ(), "BROKERAGE_LISTEN=127.0.0.1:0") // unless the command has --listen
	c.cmd.Stdout, c.cmd.Stderr, c.cmd.WaitDelay = &c.output, &c.output, time.Second
	if err := c.cmd.Start(); err != nil {
		return err
	}
	go func() {
		c.err = c.cmd.Wait()
		close(c.ended)
	}()
	return nil
}

// gone returns how a command has ended by itself, with the last line of its output.
func (c *command) gone() error {
	how := "it has ended"
	if c.err != nil {
		how = c.err.Error()
	}
	return fmt.Errorf("%s%s", how, c.output.said())
}

func (c *command) pid() int { return c.cmd.Process.Pid }

// stop ends the command and all that it has started. A command that has ended before is an error.
func (c *command) stop() error {
	select {
	case <-c.ended:
		return errors.Join(c.gone(), c.kill())
	default:
	}
	drive.InterruptAll(c.cmd)
	select {
	case <-c.ended:
	case <-time.After(stopWithin):
	}
	return c.kill()
}

// kill ends what is left of the command.
func (c *command) kill() error {
	drive.KillAll(c.cmd)
	<-c.ended
	return nil
}

// output keeps the last line of a command's output, and finds the address of its service.
type output struct {
	sync.Mutex

	line    []byte
	last    string
	address chan string
	known   bool
}

// addresses are the forms in which serve prints its address: in the log as JSON and as text, and in the greeting.
var addresses = regexp.MustCompile(`"addr":"([^"]+)"|\baddr=(\S+)|(https?://[^\s;"/]+)`)

func (o *output) Write(text []byte) (int, error) {
	o.Lock()
	defer o.Unlock()
	for part := range bytes.Lines(text) {
		o.line = append(o.line, part...)
		if !bytes.HasSuffix(part, []byte("\n")) {
			if len(o.line) > longestLine {
				o.line = o.line[len(o.line)-longestLine:]
			}
			continue
		}
		line := strings.TrimSpace(string(o.line))
		o.line = o.line[:0]
		if line == "" {
			continue
		}
		o.last = line
		if o.known || !strings.Contains(line, "listening") && !strings.Contains(line, "The brokerage is at") {
			continue
		}
		if found := addresses.FindStringSubmatch(line); found != nil {
			o.known = true
			select {
			case o.address <- urlOf(found[1] + found[2] + found[3]):
			default: // nobody waits for the address of a command between slices
			}
		}
	}
	return len(text), nil
}

func urlOf(address string) string {
	if strings.Contains(address, "://") {
		return address
	}
	return "http://" + address
}

// said returns the last line of the output for an error.
func (o *output) said() string {
	o.Lock()
	defer o.Unlock()
	if last := strings.TrimSpace(string(o.line)); last != "" {
		o.last = last
	}
	if o.last == "" {
		return ", without a word"
	}
	return ": " + o.last
}

// freePort returns a port that nothing listens on.
func freePort(ctx context.Context) (int, error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	port := listener.Addr().(*net.TCPAddr).Port
	return port, listener.Close()
}

// awaitAnswer asks a service for its version until it answers.
func awaitAnswer(ctx context.Context, url string, answers chan<- string) {
	for ctx.Err() == nil {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, url+"/version", http.NoBody)
		if err != nil {
			return
		}
		if response, err := http.DefaultClient.Do(request); err == nil {
			_ = response.Body.Close()
			answers <- url
			return
		}
		select {
		case <-ctx.Done():
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// hook runs a command between two slices.
func hook(ctx context.Context, text string, within time.Duration) error {
	c := &command{ended: make(chan struct{})}
	if err := c.run(text); err != nil {
		return err
	}
	select {
	case <-c.ended:
		if c.err != nil {
			return fmt.Errorf("%s: %w%s", text, c.err, c.output.said())
		}
		return nil
	case <-ctx.Done():
		return errors.Join(ctx.Err(), c.kill())
	case <-time.After(within):
		return errors.Join(fmt.Errorf("%s: it did not end within %s%s", text, within, c.output.said()), c.kill())
	}
}

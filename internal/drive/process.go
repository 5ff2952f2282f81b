package drive

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"regexp"
	"strings"
	"sync/atomic"
	"time"
)

// A Process is a command that runs until it ends or is stopped, such as a service.
type Process struct {
	URL  string // where it serves
	Exit error  // how it has ended

	cmd     *exec.Cmd
	last    atomic.Pointer[string] // line of its output
	address chan string
	ended   chan struct{}
}

// Start starts a command in a process group of its own, so that a Ctrl-C does not reach it and its children, and all
// of them can be ended together.
func Start(cmd *exec.Cmd) (*Process, error) {
	p := &Process{cmd: cmd, address: make(chan string, 1), ended: make(chan struct{})}
	inOwnGroup(cmd)
	output, in := io.Pipe()
	cmd.Stdout, cmd.Stderr, cmd.WaitDelay = in, in, time.Second
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	read := make(chan struct{})
	go func() { p.read(output); close(read) }()
	go func() {
		p.Exit = cmd.Wait()
		_ = in.Close()
		<-read
		close(p.ended)
	}()
	return p, nil
}

// serves finds the address of a service in a line that it prints when it listens: in the log as JSON or as text, or
// in the greeting.
var serves = regexp.MustCompile(
	`(?:listening|The brokerage is at).*?(?:"addr":"([^"]+)"|\baddr=(\S+)|(https?://[^\s;"/]+))`)

// read keeps the last line of the output, and finds the address of the service. It takes long lines in pieces.
func (p *Process) read(output io.Reader) {
	for lines := bufio.NewReader(output); ; {
		text, _, err := lines.ReadLine()
		if err != nil {
			return
		}
		line := strings.TrimSpace(string(text))
		if line == "" {
			continue
		}
		p.last.Store(&line)
		if found := serves.FindStringSubmatch(line); found != nil {
			url := found[1] + found[2] + found[3]
			if found[3] == "" {
				url = "http://" + url
			}
			select {
			case p.address <- url:
			default: // it is known
			}
		}
	}
}

// said returns the last line of the output as the end of an error text.
func (p *Process) said() string {
	if last := p.last.Load(); last != nil {
		return ": " + *last
	}
	return ", and printed nothing"
}

// Listens waits until the process prints its address, or its URL comes from found. In any other case it is killed.
func (p *Process) Listens(ctx context.Context, found <-chan string, within time.Duration) error {
	return p.await(ctx, p.address, found, "print its address", within)
}

// Wait waits until the process has ended, and returns its error. If it does not end in time, it is killed.
func (p *Process) Wait(ctx context.Context, within time.Duration) error {
	return p.await(ctx, nil, nil, "end", within)
}

func (p *Process) await(
	ctx context.Context, address, found <-chan string, what string, within time.Duration,
) (err error) {
	select {
	case p.URL = <-address:
		return nil
	case p.URL = <-found:
		return nil
	case <-p.ended:
		if address == nil && p.Exit == nil {
			return nil
		}
		err = p.gone()
	case <-ctx.Done():
		err = ctx.Err()
	case <-time.After(within):
		err = fmt.Errorf("it did not %s within %s%s", what, within, p.said())
	}
	p.Kill()
	return err
}

// gone returns the error of a process that has ended by itself, with the last line of its output.
func (p *Process) gone() error {
	if p.Exit == nil {
		return errors.New("it has ended" + p.said())
	}
	return fmt.Errorf("%w%s", p.Exit, p.said())
}

// PID returns the process id.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Stop asks the process and, on Unix, all that it has started to end, and kills what is left as Kill does. It returns
// an error if the process has ended before.
func (p *Process) Stop(within time.Duration) error {
	defer p.Kill() // also what it has started
	select {
	case <-p.ended:
		return p.gone()
	default:
	}
	interruptAll(p.cmd)
	select {
	case <-p.ended:
	case <-time.After(within):
	}
	return nil
}

// Kill kills the process and, on Unix, all that it has started.
func (p *Process) Kill() {
	killAll(p.cmd)
	<-p.ended
}

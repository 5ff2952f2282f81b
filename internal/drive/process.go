package drive

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"time"
)

// A Process is a command that runs until it ends or is stopped, such as one that serves.
type Process struct {
	URL  string // where it serves
	Exit error  // how it has ended

	cmd   *exec.Cmd
	log   processLog
	ended chan struct{}
}

// Gone is the error of a process that has ended by itself.
type Gone struct {
	How  string // such as: exit status 1
	Said string // the last line of its output, to follow How
}

func (e *Gone) Error() string { return e.How + e.Said }

// Start starts a command in a process group of its own, so that a Ctrl-C does not reach what it starts, and all of that
// can be ended.
func Start(cmd *exec.Cmd) (*Process, error) {
	p := &Process{cmd: cmd, ended: make(chan struct{}), log: processLog{address: make(chan string, 1)}}
	inOwnGroup(cmd)
	cmd.Stdout, cmd.Stderr, cmd.WaitDelay = &p.log, &p.log, time.Second
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	go func() {
		p.Exit = cmd.Wait()
		close(p.ended)
	}()
	return p, nil
}

// Listens waits until the process prints where it serves, or somebody else finds out. If it does not, it is killed.
func (p *Process) Listens(ctx context.Context, found <-chan string, within time.Duration) (err error) {
	select {
	case p.URL = <-p.log.address:
		return nil
	case p.URL = <-found:
		return nil
	case <-p.ended:
		err = p.gone()
	case <-ctx.Done():
		err = ctx.Err()
	case <-time.After(within):
		err = fmt.Errorf("it did not say where it listens within %s%s", within, p.log.said())
	}
	p.Kill()
	return err
}

// Wait waits until the process has ended. If it does not, it is killed.
func (p *Process) Wait(ctx context.Context, within time.Duration) (err error) {
	select {
	case <-p.ended:
		if p.Exit != nil {
			return p.gone()
		}
		return nil
	case <-ctx.Done():
		err = ctx.Err()
	case <-time.After(within):
		err = fmt.Errorf("it did not end within %s%s", within, p.log.said())
	}
	p.Kill()
	return err
}

func (p *Process) gone() error {
	how := "it has ended"
	if p.Exit != nil {
		how = p.Exit.Error()
	}
	return &Gone{How: how, Said: p.log.said()}
}

// PID returns the number of the process.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Stop asks the process and all that it has started to end, and kills what is left. It returns *Gone if the process has
// ended before.
func (p *Process) Stop(within time.Duration) error {
	select {
	case <-p.ended:
		defer p.Kill() // what it has started
		return p.gone()
	default:
	}
	interruptAll(p.cmd)
	select {
	case <-p.ended:
	case <-time.After(within):
	}
	p.Kill()
	return nil
}

// Kill kills the process and all that it has started.
func (p *Process) Kill() {
	killAll(p.cmd)
	<-p.ended
}

// longestLine is how much of a line is kept of a process's output.
const longestLine = 64 << 10

// processLog keeps the last line of a process's output, and finds the address of its service.
type processLog struct {
	sync.Mutex

	line    []byte
	last    string
	address chan string
	known   bool
}

// addresses are the forms in which serve prints its address: in the log as JSON and as text, and in the greeting.
var addresses = regexp.MustCompile(`"addr":"([^"]+)"|\baddr=(\S+)|(https?://[^\s;"/]+)`)

func (l *processLog) Write(text []byte) (int, error) {
	l.Lock()
	defer l.Unlock()
	for part := range bytes.Lines(text) {
		l.line = append(l.line, part...)
		if !bytes.HasSuffix(part, []byte("\n")) {
			if len(l.line) > longestLine {
				l.line = l.line[len(l.line)-longestLine:]
			}
			continue
		}
		line := strings.TrimSpace(string(l.line))
		l.line = l.line[:0]
		if line == "" {
			continue
		}
		l.last = line
		if l.known || !strings.Contains(line, "listening") && !strings.Contains(line, "The brokerage is at") {
			continue
		}
		if found := addresses.FindStringSubmatch(line); found != nil {
			url := found[1] + found[2] + found[3]
			if !strings.Contains(url, "://") {
				url = "http://" + url
			}
			l.known = true
			l.address <- url
		}
	}
	return len(text), nil
}

// said returns the last line of the output for an error.
func (l *processLog) said() string {
	l.Lock()
	defer l.Unlock()
	if last := strings.TrimSpace(string(l.line)); last != "" {
		l.last = last
	}
	if l.last == "" {
		return ", without a word"
	}
	return ": " + l.last
}

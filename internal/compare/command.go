package compare

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
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

// start runs a command in a shell and waits until it serves: at the address that it prints, or at {port}.
func start(ctx context.Context, text string, within time.Duration) (*drive.Process, error) {
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
	p, err := run(text)
	if err != nil {
		return nil, err
	}
	err = p.Listens(ctx, answers, within)
	return p, err
}

// run runs a text in a shell, without waiting for it.
func run(text string) (*drive.Process, error) {
	cmd := drive.Shell(text)
	cmd.Env = append(os.Environ(), "BROKERAGE_LISTEN=127.0.0.1:0") // unless the command has --listen
	return drive.Start(cmd)
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
	p, err := run(text)
	if err == nil {
		err = p.Wait(ctx, within)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", text, err)
	}
	return nil
}

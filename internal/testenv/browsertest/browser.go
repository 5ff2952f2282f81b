// Package browsertest drives a browser for tests of pages, without a library: they need only a dozen commands of the
// DevTools protocol.
package browsertest

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/testenv"
)

// A Browser is a window of its own, with its own storage, of a chromium that all tests of a process share. It shows
// nothing on a screen.
type Browser struct {
	testing.TB
	*chromium

	context  string
	sessions []string // of the pages that were opened
	// Requested lists the addresses of all requests. Complaints lists uncaught errors and the entries of the browser's
	// log, such as requests that a policy refused, without entries that contain one of Expected.
	Requested, Complaints, Expected []string
}

// chromium is a running browser, driven by the DevTools protocol over two pipes.
type chromium struct {
	to    *os.File
	from  *bufio.Reader
	pipe  *os.File // under from
	calls int
	use   sync.Mutex // held by the test that uses it
}

// A message is an answer or an event.
type message struct {
	ID        int
	SessionID string
	Method    string
	Error     *struct{ Message string }
	Result    json.RawMessage
	Params    struct {
		Request          struct{ URL string }
		Entry            struct{ Level, Text string }
		ExceptionDetails json.RawMessage
	}
}

// Start opens a window for a test, and starts the browser for the first one.
func Start(t testing.TB) *Browser {
	t.Helper()
	testenv.Long(t)
	testenv.Command(t, "chromium")
	shared, err := started()
	require.NoError(t, err)
	shared.use.Lock()
	t.Cleanup(shared.use.Unlock)
	require.NoError(t, shared.pipe.SetReadDeadline(time.Now().Add(time.Minute)))
	b := &Browser{TB: t, chromium: shared}
	var context struct{ BrowserContextID string }
	b.Call("Target.createBrowserContext", nil, &context)
	b.context = context.BrowserContextID
	t.Cleanup(func() {
		b.sessions = nil
		b.Call("Target.disposeBrowserContext", map[string]any{"browserContextId": b.context}, nil)
	})
	return b
}

// started starts the browser. It ends when its pipes are closed, at the latest with this process, and its folder is
// removed then.
var started = sync.OnceValues(func() (*chromium, error) {
	folder, err := os.MkdirTemp("", "chromium")
	if err != nil {
		return nil, err
	}
	theirs, to, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	from, theirAnswers, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(context.Background(), "/bin/sh", "-c",
		`chromium --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --no-first-run \
			--disable-background-networking --user-data-dir="$0" --remote-debugging-pipe about:blank; rm -rf "$0"`, folder)
	cmd.ExtraFiles = []*os.File{theirs, theirAnswers}    // 3 and 4, which --remote-debugging-pipe reads and writes
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // a Ctrl-C for the test must not end the shell
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return &chromium{to: to, from: bufio.NewReader(from), pipe: from}, errors.Join(theirs.Close(), theirAnswers.Close())
})

// Call sends a command and waits for its answer. It records the events that come before.
func (b *Browser) Call(method string, params map[string]any, result any) {
	b.Helper()
	b.calls++
	command := map[string]any{"id": b.calls, "method": method, "params": params}
	if n := len(b.sessions); n > 0 {
		command["sessionId"] = b.sessions[n-1]
	}
	text, err := json.Marshal(command)
	require.NoError(b, err)
	_, err = b.to.Write(append(text, 0))
	require.NoError(b, err)
	for {
		line, err := b.from.ReadBytes(0)
		require.NoError(b, err, method)
		var m message
		require.NoError(b, json.Unmarshal(line[:len(line)-1], &m))
		b.note(m)
		if m.ID != b.calls {
			continue
		}
		require.Nil(b, m.Error, method)
		if result != nil {
			require.NoError(b, json.Unmarshal(m.Result, result))
		}
		return
	}
}

func (b *Browser) note(m message) {
	if !slices.Contains(b.sessions, m.SessionID) {
		return // of a window that was closed
	}
	switch text := m.Params.Entry.Text; m.Method {
	case "Network.requestWillBeSent":
		b.Requested = append(b.Requested, m.Params.Request.URL)
	case "Log.entryAdded":
		// A test in which a request is refused expects the browser's message about it.
		if !slices.ContainsFunc(b.Expected, func(e string) bool { return strings.Contains(text, e) }) {
			b.Complaints = append(b.Complaints, text)
		}
	case "Runtime.exceptionThrown":
		b.Complaints = append(b.Complaints, string(m.Params.ExceptionDetails))
	}
}

// Open loads a page, and waits until its scripts have run.
func (b *Browser) Open(address string) {
	b.Helper()
	var target struct{ TargetID, SessionID string }
	b.Call("Target.createTarget", map[string]any{"url": "about:blank", "browserContextId": b.context}, &target)
	b.Call("Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}, &target)
	b.sessions = append(b.sessions, target.SessionID)
	for _, domain := range []string{"Page", "Runtime", "Network", "Log"} {
		b.Call(domain+".enable", nil, nil)
	}
	b.Call("Page.navigate", map[string]any{"url": address}, nil)
	for b.Run(`location.href !== 'about:blank' && document.readyState === 'complete'`) != true {
		time.Sleep(20 * time.Millisecond)
	}
}

// Run evaluates an expression in the page, and waits for the result if it is a promise.
func (b *Browser) Run(expression string) any {
	b.Helper()
	var answer struct {
		Result           struct{ Value any }
		ExceptionDetails json.RawMessage
	}
	b.Call("Runtime.evaluate",
		map[string]any{"expression": expression, "awaitPromise": true, "returnByValue": true}, &answer)
	require.Empty(b, string(answer.ExceptionDetails), expression)
	return answer.Result.Value
}

// Apply calls a function of the page.
func (b *Browser) Apply(function string, arguments ...string) any {
	b.Helper()
	quoted, err := json.Marshal(arguments)
	require.NoError(b, err)
	return b.Run(function + `(...` + string(quoted) + `)`)
}

// Fill types into a field as a person does: the page receives an input event.
func (b *Browser) Fill(selector, text string) {
	b.Helper()
	b.Apply(`((selector, text) => {
		const field = document.querySelector(selector);
		field.value = text;
		field.dispatchEvent(new Event('input', {bubbles: true}));
	})`, selector, text)
}

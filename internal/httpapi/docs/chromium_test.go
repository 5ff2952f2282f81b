package docs_test

import (
	"bufio"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/testenv"
)

// browser is a chromium without a window, driven by the DevTools protocol over two pipes.
type browser struct {
	testing.TB

	to      *os.File
	from    *bufio.Reader
	session string
	calls   int
	// requested are the addresses of all requests, complaints what the browser reported: refused by the policy, uncaught errors.
	requested, complaints []string
}

// message is an answer or an event.
type message struct {
	ID     int
	Method string
	Error  *struct{ Message string }
	Result json.RawMessage
	Params struct {
		Request          struct{ URL string }
		Entry            struct{ Level, Text string }
		ExceptionDetails json.RawMessage
	}
}

func startBrowser(t testing.TB) *browser {
	t.Helper()
	path := testenv.Command(t, "chromium")
	theirs, to, err := os.Pipe()
	require.NoError(t, err)
	from, theirAnswers, err := os.Pipe()
	require.NoError(t, err)
	// The test's context ends before its clean-up, which asks the browser to end.
	cmd := exec.CommandContext(context.WithoutCancel(t.Context()), path, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
		"--no-first-run", "--disable-background-networking", "--user-data-dir="+t.TempDir(), "--remote-debugging-pipe", "about:blank")
	cmd.ExtraFiles = []*os.File{theirs, theirAnswers} // 3 and 4, which --remote-debugging-pipe reads and writes
	require.NoError(t, cmd.Start())
	require.NoError(t, theirs.Close())
	require.NoError(t, theirAnswers.Close())
	require.NoError(t, from.SetReadDeadline(time.Now().Add(time.Minute)))
	b := &browser{TB: t, to: to, from: bufio.NewReader(from)}
	t.Cleanup(func() {
		b.session = ""
		b.call("Browser.close", nil, nil)
		_ = to.Close()
		_ = from.Close()
		_ = cmd.Wait() // it was told to end; how is its own affair
	})
	return b
}

// call does one command and waits for its answer; the events before it are kept.
func (b *browser) call(method string, params map[string]any, result any) {
	b.Helper()
	b.calls++
	command := map[string]any{"id": b.calls, "method": method, "params": params}
	if b.session != "" {
		command["sessionId"] = b.session
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

func (b *browser) note(m message) {
	switch m.Method {
	case "Network.requestWillBeSent":
		b.requested = append(b.requested, m.Params.Request.URL)
	case "Log.entryAdded":
		// What a refused request logs is meant: the stub refuses one.
		if text := m.Params.Entry.Text; !strings.Contains(text, "401 (Unauthorized)") {
			b.complaints = append(b.complaints, text)
		}
	case "Runtime.exceptionThrown":
		b.complaints = append(b.complaints, string(m.Params.ExceptionDetails))
	}
}

// open loads a page, and waits until its scripts have run.
func (b *browser) open(address string) {
	b.Helper()
	var target struct{ TargetID, SessionID string }
	b.call("Target.createTarget", map[string]any{"url": "about:blank"}, &target)
	b.call("Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}, &target)
	b.session = target.SessionID
	for _, domain := range []string{"Page", "Runtime", "Network", "Log"} {
		b.call(domain+".enable", nil, nil)
	}
	b.call("Page.navigate", map[string]any{"url": address}, nil)
	for b.run(`location.href !== 'about:blank' && document.readyState === 'complete'`) != true {
		time.Sleep(20 * time.Millisecond)
	}
}

// run evaluates an expression in the page, and waits where it is a promise.
func (b *browser) run(expression string) any {
	b.Helper()
	var answer struct {
		Result           struct{ Value any }
		ExceptionDetails json.RawMessage
	}
	b.call("Runtime.evaluate", map[string]any{"expression": expression, "awaitPromise": true, "returnByValue": true}, &answer)
	require.Empty(b, string(answer.ExceptionDetails), expression)
	return answer.Result.Value
}

// apply calls a function of the page.
func (b *browser) apply(function string, arguments ...string) any {
	b.Helper()
	quoted, err := json.Marshal(arguments)
	require.NoError(b, err)
	return b.run(function + `(...` + string(quoted) + `)`)
}

// send presses the button of an operation, and gives what the page then shows as its answer.
func (b *browser) send(operation string) string {
	b.Helper()
	text, ok := b.run(`(async () => {
		const operation = document.getElementById('` + operation + `');
		const result = operation.querySelector('.result');
		operation.open = true;
		const shown = new Promise((done) => new MutationObserver(done).observe(result, {childList: true}));
		operation.querySelector('[type=submit]').click();
		await shown;
		return result.innerText;
	})()`).(string)
	require.True(b, ok)
	return text
}

// fill types into a field as a person does: the page hears of it.
func (b *browser) fill(selector, text string) {
	b.Helper()
	b.apply(`((selector, text) => {
		const field = document.querySelector(selector);
		field.value = text;
		field.dispatchEvent(new Event('input', {bubbles: true}));
	})`, selector, text)
}

func TestPage_InBrowser(t *testing.T) {
	var got http.Request
	server := httptest.NewServer(service(t, &got))
	t.Cleanup(server.Close)
	b := startBrowser(t)
	b.open(server.URL + "/docs#get_order")

	t.Run("Fragment", func(t *testing.T) {
		require.Equal(t, true, b.run(`document.getElementById('get_order').open`))
	})
	t.Run("WithoutToken", func(t *testing.T) {
		text := b.send("get_order")
		require.Contains(t, text, "401")
		require.Contains(t, text, "\n  <type>urn:brokerage:problem:unauthorized</type>\n")
		require.Empty(t, got.Header.Get("Authorization"))
	})
	t.Run("WithToken", func(t *testing.T) {
		b.fill("#token", token)
		text := b.send("get_order")
		require.Equal(t, "/v1/orders/103282", got.URL.String(), "the example of the contract is filled in")
		require.Contains(t, text, "200")
		require.Regexp(t, `x-request-id\s+01JGJ5C3T8XW`, text)
		require.Regexp(t, `etag\s+"d41d8cd98f00b204e9800998ecf8427e"`, text)
		require.Contains(t, text, "\n  <Hdr ", "one line on the wire")
	})
	t.Run("Query", func(t *testing.T) {
		b.fill(`#search_securities [name=sector]`, "Capital Goods & more")
		b.send("search_securities")
		require.Equal(t, "/v1/securities?sector=Capital+Goods+%26+more&peMin=20&peMax=27&yieldMin=4", got.URL.String())
	})
	t.Run("PathIsEscaped", func(t *testing.T) {
		b.fill(`#get_security [name=symbol]`, "A/$&?")
		b.send("get_security")
		require.Equal(t, "A/$&?", strings.TrimPrefix(got.URL.Path, "/v1/securities/"))
	})
	t.Run("Header", func(t *testing.T) {
		b.fill(`#get_order [name="If-None-Match"]`, `"0123"`)
		b.send("get_order")
		require.Equal(t, `"0123"`, got.Header.Get("If-None-Match"))
	})
	t.Run("Indented", func(t *testing.T) {
		long := strings.Repeat("long ", 30)
		for name, c := range map[string][2]string{
			"Elements":   {`<a><b>1</b> <c/></a>`, "<a>\n  <b>1</b>\n  <c/>\n</a>"},
			"Mixed":      {`<a>one <b/> two<c> </c></a>`, `<a>one <b/> two<c> </c></a>`},
			"MixedBelow": {`<a><b>one <c/></b></a>`, "<a>\n  <b>one <c/></b>\n</a>"},
			"CDATA":      {`<a><![CDATA[<b>]]></a>`, `<a><![CDATA[<b>]]></a>`},
			"Comment":    {`<a><!--` + long + `x="1"--></a>`, "<a>\n  <!--" + long + "x=\"1\"-->\n</a>"},
			"Attributes": {`<a b='>' c="` + long + `" d="1"/>`, "<a b='>'\n    c=\"" + long + "\"\n    d=\"1\"/>"},
			"Open":       {`<a><b></a>`, `<a><b></a>`},
			"Stray":      {`<a>1 <`, `<a>1 <`},
			"Text":       {`not XML`, `not XML`},
		} {
			require.Equal(t, c[1], b.apply("indent", c[0]), name)
		}
	})
	t.Run("ExamplesAreWhole", func(t *testing.T) {
		// White space between elements and between attributes is all that indenting adds.
		require.Equal(t, true, b.run(`(() => {
			const flat = (xml) => xml.replace(/>\s+</g, '><').replace(/\s+/g, ' ');
			return $$('.operation textarea').every((body) => {
				const before = body.defaultValue;
				return flat(indent(before)) === flat(before) && indent(indent(before)) === indent(before);
			});
		})()`))
	})
	t.Run("Curl", func(t *testing.T) {
		b.run(`document.querySelector('#insert_order .curl').open = true`)
		b.run(`new Promise((done) => setTimeout(done, 50))`)
		text := b.run(`document.querySelector('#insert_order .curl pre').textContent`)
		require.Contains(t, text, `"Authorization: Bearer $TOKEN"`)
		require.NotContains(t, text, token)
		require.Contains(t, text, `<FIXML xmlns=`)
	})
	t.Run("Filter", func(t *testing.T) {
		b.fill("#filter", "price get")
		require.Equal(t, "get_security_price",
			b.run(`$$('.operation').filter((o) => o.offsetParent).map((o) => o.id).join()`))
		b.fill("#filter", "no such operation")
		require.Equal(t, true, b.run(`$('#nothing').offsetParent !== null`))
	})

	require.Empty(t, b.complaints, "the policy refused something, or a script failed")
	require.NotEmpty(t, b.requested)
	for _, address := range b.requested {
		require.True(t, strings.HasPrefix(address, server.URL+"/"), address)
	}
}

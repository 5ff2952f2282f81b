package httpapi

import (
	"context"
	"encoding/base64"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/httpapi/live"
	"brokerage/internal/testenv/browsertest"
	"brokerage/internal/tpox"
)

var screenshots = flag.String("screenshots", "", "a folder for pictures of the page at /")

// visitor is a browser that shows the page at /.
type visitor struct {
	*browsertest.Browser
}

// fronted returns a service over a network. The contents of its store are made up.
func fronted(t testing.TB, o Options) *httptest.Server {
	t.Helper()
	o.InFlight, o.Queue = 256, 256
	o.Inside = func() *live.StoreState {
		return &live.StoreState{Connections: 4, InUse: 1, Commits: time.Now().UnixMilli() / 20, Hits: 98, Misses: 2}
	}
	s := fresh(t, o)
	s.now = time.Now // a page fills in today
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	t.Cleanup(s.Drain) // before it, because it waits for watchers
	return server
}

// shown opens a page; the browser may report only the expected errors.
func shown(t testing.TB, address string, expected ...string) *visitor {
	t.Helper()
	f := &visitor{browsertest.Start(t)}
	f.Expected = expected
	f.Open(address)
	return f
}

// until waits for an expression of the page to be true.
func (f *visitor) until(expression string) {
	f.Helper()
	for deadline := time.Now().Add(30 * time.Second); f.Run(expression) != true; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			require.Failf(f, "it did not come to pass", "%s; the page says: %v", expression, f.Run(`document.body.innerText`))
		}
	}
}

func (f *visitor) window(width, height int) {
	f.Helper()
	f.Call("Emulation.setDeviceMetricsOverride",
		map[string]any{"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}, nil)
}

func (f *visitor) prefers(feature, value string) {
	f.Helper()
	f.Call("Emulation.setEmulatedMedia",
		map[string]any{"features": []map[string]string{{"name": feature, "value": value}}}, nil)
}

// picture saves a screenshot of the page, if that is requested.
func (f *visitor) picture(name string) {
	f.Helper()
	if *screenshots == "" {
		return
	}
	var shot struct{ Data string }
	f.Call("Page.captureScreenshot", map[string]any{"format": "png"}, &shot)
	png, err := base64.StdEncoding.DecodeString(shot.Data)
	require.NoError(f, err)
	require.NoError(f, os.WriteFile(filepath.Join(*screenshots, name+".png"), png, 0o644))
}

// requireQuiet requires that the browser reported no errors, and sent no requests to other hosts.
func (f *visitor) requireQuiet(server *httptest.Server) {
	f.Helper()
	require.Empty(f, f.Complaints, "the policy refused something, or a script failed")
	require.NotEmpty(f, f.Requested)
	for _, address := range f.Requested {
		require.True(f, strings.HasPrefix(address, server.URL+"/"), address)
	}
}

// loaded sends requests of several kinds until the test ends.
func loaded(t testing.TB, server *httptest.Server) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	var all sync.WaitGroup
	t.Cleanup(func() { cancel(); all.Wait() })
	const buying = "/v1/accounts/104000000/buy"
	paths := []string{
		buying, "/v1/customers/1006/statement", "/v1/securities/A", "/v1/customers/1006/orders/largest",
		"/v1/customers/1006/profile", "/v1/securities?sector=Energy&peMin=20&peMax=27&yieldMin=4", "/v1/securities/A/price",
		"/v1/orders/1", // there is none
		"/v1/orders/103282", "/v1/orders/103283", "/v1/orders/103284",
	}
	for n := range 4 {
		all.Go(func() {
			for i := n; ctx.Err() == nil; i++ {
				method, path, body := http.MethodGet, paths[i%len(paths)], ""
				if path == buying {
					method, body = http.MethodPost, tradeOf("A", "1")
				}
				r, err := http.NewRequestWithContext(ctx, method, server.URL+path, strings.NewReader(body))
				if err != nil {
					return
				}
				r.Header.Set("Content-Type", "application/xml")
				if answer, err := server.Client().Do(r); err == nil {
					_ = answer.Body.Close()
				}
				time.Sleep(5 * time.Millisecond) // leaves processor time to the browser
			}
		})
	}
}

// Figures change as requests end, and count them correctly.
func TestFront_Figures(t *testing.T) {
	server := fronted(t, Options{})
	f := shown(t, server.URL+"/")
	f.until(`$('#state').textContent === 'Live' && $('#rate').textContent === '0'`)
	loaded(t, server)
	f.until(`Number($('#rate').textContent) > 0`)
	f.until(`parseFloat($('#p95').textContent) > 0`)
	f.until(`Number($('tr[data-name=get_security] td:nth-of-type(2)').textContent) > 0`)
	f.until(`Number($('tr[data-name=get_order] td:nth-of-type(6)').textContent) > 0`) // refused: 404
	f.until(`parseFloat($('#commits').textContent) > 0`)
	require.Equal(t, "0", f.Run(`$('tr[data-name=delete_order] td:nth-of-type(2)').textContent`))
	drawn := f.Run(`$('[data-chart=rate] .line').getAttribute('d')`)
	f.until(fmt.Sprintf(`$('[data-chart=rate] .line').getAttribute('d') !== %q`, drawn))
	f.until(`$('#served').textContent.includes('tpox-2/tiny/seed-1')`)

	f.Run(`$('#pause').click()`)
	require.Equal(t, "Paused", f.Run(`$('#state').textContent`))
	f.Run(`$('#pause').click()`)
	f.until(`$('#state').textContent === 'Live'`)
	f.requireQuiet(server)
}

// Each of the 17 transactions succeeds as the page fills it in.
func TestFront_Transactions(t *testing.T) {
	server := fronted(t, Options{})
	f := shown(t, server.URL+"/")
	for _, tx := range tpox.Transactions {
		t.Run(tx.Name, func(t *testing.T) {
			f.Apply(`((name) => {
				choice.value = name;
				choice.dispatchEvent(new Event('change'));
			})`, tx.Name)
			form := `#try-` + tx.Name + ` form`
			f.until(`$('` + form + `').dataset.filled === 'yes' && !$('` + form + ` .next').disabled`)
			if f.Run(`$('`+form+` .first').hidden`) == false {
				f.Run(`$('` + form + ` .first').click()`)
				f.until(`$('` + form + ` .first').hidden`)
			}
			f.Run(`$('` + form + ` [type=submit]').click()`)
			f.until(`!$('#try-` + tx.Name + ` .result').hidden`)
			require.Regexp(t, `^Answer from the service\s+20[014] `, f.Run(`$('#try-`+tx.Name+` .result').innerText`))
			if tx.Kind == tpox.Query && tx.Name != "search_securities" { // which may find nothing
				require.Contains(t, f.Run(`$('#try-`+tx.Name+` .result pre').textContent`), "\n  <", "indented")
				require.Equal(t, true, f.Run(`$$('#try-`+tx.Name+` .result pre span.tag').length > 2`), "coloured")
			}
			if makes := map[string]bool{"delete_order": true, "delete_customer": true, "close_account": true}; makes[tx.Name] {
				f.Run(`$('` + form + ` .next').click()`)
				f.until(`!$('` + form + ` .first').hidden`) // a deleted document is not offered again
			}
		})
	}

	t.Run("Curl", func(t *testing.T) {
		f.Run(`choose('insert_order')`)
		f.Run(`$('#try-insert_order .copy').click()`)
		f.until(`$('#try-insert_order .hint').textContent.includes('Copied') || $('#try-insert_order .command') !== null`)
		require.Contains(t, f.Run(`curl(formOf('insert_order'))`), `curl -i -X POST '`+server.URL+`/v1/orders' \`+"\n")
	})
	f.requireQuiet(server)
}

// A response is shown as text, whatever is in it.
func TestFront_AnswersAreText(t *testing.T) {
	server := fronted(t, Options{})
	f := shown(t, server.URL+"/", "404 (Not Found)")
	f.until(`formOf('get_order').dataset.filled === 'yes'`)
	f.Fill(`#try-get_order [name=order]`, `<img src=x onerror=alert(1)>`)
	f.Run(`$('#try-get_order [type=submit]').click()`)
	f.until(`!$('#try-get_order .result').hidden`)
	require.Contains(t, f.Run(`$('#try-get_order .result').innerText`), "onerror")
	require.EqualValues(t, 0, f.Run(`$$('#try-get_order .result img').length`))
	f.requireQuiet(server)
}

func TestFront_Tokens(t *testing.T) {
	server := fronted(t, Options{Tokens: allTokens})
	f := shown(t, server.URL+"/", "401 (Unauthorized)", "403 (Forbidden)")
	f.until(`$('#state').textContent === 'A token is needed' && !$('#token-note').hidden`)
	f.until(`$('#try-get_order .hint').textContent.includes('a token with the scope read')`)
	give := func(token string) {
		f.Fill("#token", token)
		f.Run(`$('#token').dispatchEvent(new Event('change'))`)
	}
	give("trader")
	f.until(`$('#state').textContent === 'The token lacks the scope read'`)
	give("reader")
	f.until(`$('#state').textContent === 'Live' && $('#token-note').hidden`)
	f.until(`$('#try-get_order .hint').textContent === ''`)
	f.Run(`choose('insert_order')`)
	f.until(`$('#try-insert_order .hint').textContent.includes('a token with the scope trade')`)
	f.Run(`$('#try-insert_order [type=submit]').click()`)
	f.until(`$('#try-insert_order .result').innerText.includes('403')`)
	require.Contains(t, f.Run(`$('#try-insert_order .result').innerText`), "urn:brokerage:problem:forbidden")
	require.NotContains(t, f.Run(`curl(formOf('insert_order'))`), "reader")
	require.Equal(t, `{"theme":null}`,
		f.Run(`JSON.stringify({theme: localStorage.getItem('theme'), ...localStorage, ...sessionStorage})`), "a token is "+
			"kept nowhere")
	f.requireQuiet(server)
}

package httpapi

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/httpapi/pages"
	"brokerage/internal/testenv/browsertest"
	"brokerage/internal/tpox"
)

// visitor is a browser that shows a page of a service.
type visitor struct {
	*browsertest.Browser
}

// fronted returns a service over a network. The statistics of its store are made up.
func fronted(t testing.TB, o Options) *httptest.Server {
	t.Helper()
	o.InFlight, o.Queue = 256, 256
	o.StoreState = func() *pages.StoreState {
		return &pages.StoreState{Connections: 4, InUse: 1, Commits: time.Now().UnixMilli() / 20, Hits: 98, Misses: 2}
	}
	s := fresh(t, o)
	s.now = time.Now // a page fills in the date of today
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	t.Cleanup(s.Drain) // runs before Close, which waits for watchers
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
			require.Failf(f, "the condition did not become true", "%s; the page says: %v", expression,
				f.Run(`document.body.innerText`))
		}
	}
}

func (f *visitor) prefers(feature, value string) {
	f.Helper()
	f.Call("Emulation.setEmulatedMedia",
		map[string]any{"features": []map[string]string{{"name": feature, "value": value}}}, nil)
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

// Figures change as requests end, and the stream can be paused.
func TestPages_Figures(t *testing.T) {
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
func TestPages_Transactions(t *testing.T) {
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
func TestPages_AnswersAreText(t *testing.T) {
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

func TestPages_Tokens(t *testing.T) {
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

// The page opens the operation of the URL's fragment, sends a form, and filters.
func TestPages_Documentation(t *testing.T) {
	server := fronted(t, Options{})
	f := shown(t, server.URL+"/docs#get_order")
	require.Equal(t, true, f.Run(`$('#get_order').open`))
	f.Run(`$('#get_order [type=submit]').click()`)
	f.until(`!$('#get_order .result').hidden`)
	require.Regexp(t, `^Answer from the service\s+200 `, f.Run(`$('#get_order .result').innerText`))
	require.Contains(t, f.Run(`$('#get_order .result pre').textContent`), "\n  <Hdr ", "one line on the wire")
	require.Equal(t, "<a>one <b/> two</a>", f.Apply("indent", "<a>one <b/> two</a>"), "text is not indented")
	f.Run(`$('#insert_order .curl').open = true`)
	f.until(`$('#insert_order .curl pre').textContent.includes('<FIXML xmlns=')`)
	f.Fill("#filter", "price get")
	require.Equal(t, "get_security_price", f.Run(`$$('.operation').filter((o) => o.offsetParent).map((o) => o.id).join()`))
	f.requireQuiet(server)
}

// contrasts returns the texts whose contrast to their background is less than WCAG 2.2 AA requires: 4.5, and 3 for
// large text. Colours are resolved by drawing them, layered as on the page.
const contrasts = `(() => {
	const canvas = new OffscreenCanvas(1, 1).getContext('2d', {willReadFrequently: true});
	const over = (colours) => {
		canvas.clearRect(0, 0, 1, 1);
		for (const c of colours) { canvas.fillStyle = c; canvas.fillRect(0, 0, 1, 1); }
		return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3);
	};
	const luminance = (rgb) => {
		const [r, g, b] = rgb.map((v) => v / 255).map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
		return 0.2126 * r + 0.7152 * g + 0.0722 * b;
	};
	const poor = [];
	let seen = 0;
	const look = (e, colour, text) => {
		const behind = [];
		for (let at = e; at; at = at.parentElement) behind.unshift(getComputedStyle(at).backgroundColor);
		const [high, low] = [over(behind), over([...behind, colour])].map(luminance).sort((a, b) => b - a);
		const style = getComputedStyle(e);
		const size = parseFloat(style.fontSize);
		const needed = size >= 24 || size >= 18.66 && style.fontWeight >= 700 ? 3 : 4.5;
		const ratio = (high + 0.05) / (low + 0.05);
		seen++;
		if (ratio < needed) {
			poor.push(e.tagName + '.' + e.className + ' ' + text.trim().slice(0, 30) + ' ' + ratio.toFixed(2));
		}
	};
	const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
	while (texts.nextNode()) {
		const e = texts.currentNode.parentElement;
		if (texts.currentNode.data.trim() && e.checkVisibility() && !e.closest('svg, noscript, :disabled')) {
			look(e, getComputedStyle(e).color, texts.currentNode.data);
		}
	}
	for (const e of document.querySelectorAll('input, select, textarea')) {
		if (!e.checkVisibility()) continue;
		look(e, getComputedStyle(e).color, e.value);
		if (e.placeholder) look(e, getComputedStyle(e, '::placeholder').color, e.placeholder);
	}
	return {seen, poor};
})()`

// In light and dark mode, on wide screens and phones, everything is readable, and nothing is outside of the page.
func TestPages_Looks(t *testing.T) {
	server := fronted(t, Options{})
	loaded(t, server)
	f := shown(t, server.URL+"/")
	f.until(`$('#state').textContent === 'Live' && formOf('get_order').dataset.filled === 'yes'`)
	f.Run(`formOf('get_order').requestSubmit()`)
	f.until(`!$('#try-get_order .result').hidden && parseFloat($('#p95').textContent) > 0`)
	for _, scheme := range []string{"light", "dark"} {
		f.prefers("prefers-color-scheme", scheme)
		for _, width := range []int{1400, 390} {
			t.Run(fmt.Sprint(scheme, " ", width), func(t *testing.T) {
				f.Call("Emulation.setDeviceMetricsOverride",
					map[string]any{"width": width, "height": 1000, "deviceScaleFactor": 1, "mobile": width < 600}, nil)
				require.Equal(t, true, f.Run(`document.documentElement.scrollWidth <= document.documentElement.clientWidth`),
					"nothing scrolls sideways: %v",
					f.Run(`[...document.querySelectorAll('*')].filter((e) => e.getBoundingClientRect().right > innerWidth).map((e) `+
						`=> e.tagName + '.' + e.className + '#' + e.id).slice(0, 9).join()`))
				found, ok := f.Run(contrasts).(map[string]any)
				require.True(t, ok)
				require.Greater(t, found["seen"], 100.0)
				require.Empty(t, found["poor"])
			})
		}
	}
}

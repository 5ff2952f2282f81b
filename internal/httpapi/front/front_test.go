package front_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/api"
	"brokerage/internal/httpapi/front"
	"brokerage/internal/schema"
	"brokerage/internal/tpox"
)

var handler = front.Handler(api.OpenAPI())

func get(t testing.TB, path string) *httptest.ResponseRecorder {
	t.Helper()
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, http.NoBody))
	return w
}

var scripts = []string{"base.js", "chart.js", "live.js", "examples.js", "workbench.js"}

func TestHandler_Files(t *testing.T) {
	for path, mediaType := range map[string]string{
		"/": "text/html; charset=utf-8", "/page/base.css": "text/css; charset=utf-8",
		"/page/front.css": "text/css; charset=utf-8",
		"/page/icon.svg":  "image/svg+xml", "/page/templates.json": "application/json",
	} {
		w := get(t, path)
		require.Equal(t, http.StatusOK, w.Code, path)
		require.Equal(t, mediaType, w.Header().Get("Content-Type"), path)
		require.Contains(t, w.Header().Get("Content-Security-Policy"),
			"default-src 'none'; script-src 'self'; style-src 'self';")
		require.Equal(t, "nosniff", w.Header().Get("X-Content-Type-Options"))
	}
	for _, path := range []string{
		"/page", "/page/", "/page.html", "/page/page.html", "/page/none.js", "/index.html", "/docs",
	} {
		require.Equal(t, http.StatusNotFound, get(t, path).Code, path)
	}
}

// Each of the 17 can be chosen, with the method and path of the contract and a field for each parameter.
func TestPage_Transactions(t *testing.T) {
	page := get(t, "/").Body.String()
	for _, tx := range tpox.Transactions {
		require.Contains(t, page, `<option value="`+tx.Name+`">`+tx.Code+" "+tx.Name+": ")
		require.Contains(t, page, `<tr data-name="`+tx.Name+`">`)
		form := regexp.MustCompile(`(?s)<form data-name="` + tx.Name +
			`" data-method="(\w+)" data-path="([^"]+)".*?</form>`).FindStringSubmatch(page)
		require.NotNil(t, form, tx.Name)
		for _, parameter := range regexp.MustCompile(`\{(\w+)\}`).FindAllStringSubmatch(form[2], -1) {
			require.Regexp(t, `data-in="path" name="`+parameter[1]+`" value="[^"]+"`, form[0])
		}
		require.Equal(t, form[1] == "POST" || form[1] == "PUT", strings.Contains(form[0], "<textarea"), tx.Name)
		require.Equal(t, form[1] != "GET", strings.Contains(form[0], "changes the data"), tx.Name)
	}
	require.Equal(t, len(tpox.Transactions), strings.Count(page, "<form "))
	require.NotContains(t, page, "ZgotmplZ", "what html/template puts where it mistrusts a value")
}

// A token stays in memory, responses are shown as text, and everything is loaded from the service.
func TestPage_Scripts(t *testing.T) {
	page := get(t, "/").Body.String()
	for _, link := range regexp.MustCompile(`\s(?:href|src)="([^"]*)"`).FindAllStringSubmatch(page, -1) {
		require.Regexp(t, `^(#workbench|page/[a-z]+\.(css|js|svg)|docs(#\w+)?)$`, link[1])
	}
	require.NotRegexp(t, `(?i)<style|<iframe|<object|<embed|<base|<meta `+
		`http-equiv|<[a-z][^>]*\s(style|on[a-z]+)=|<script(?:>|[^>]*>[^<])`, page)
	for _, name := range scripts {
		require.Contains(t, page, `<script src="page/`+name+`" defer></script>`)
		script := get(t, "/page/"+name).Body.String()
		require.NotEmpty(t, script)
		require.NotRegexp(t, `\beval\b|new Function|innerHTML|outerHTML|insertAdjacentHTML|document\.write`, script, name)
		require.NotRegexp(t, `sessionStorage|document\.cookie|indexedDB|sendBeacon|WebSocket|importScripts`, script, name)
		for _, kept := range regexp.MustCompile(`localStorage[^;\n]*`).FindAllString(script, -1) {
			require.Regexp(t, `^localStorage\.[gs]etItem\('theme'`, kept)
		}
		for _, address := range regexp.MustCompile(`https?://[\w./-]+`).FindAllString(script, -1) {
			require.Contains(t, []string{"http://www.w3.org/2000/svg", tpox.CustAccNS, tpox.SecurityNS,
				tpox.FIXMLNS}, address, "names, which nobody asks")
		}
	}
}

// The documents of the workbench are valid by the schemas, with any ids in their slots.
func TestTemplates_Valid(t *testing.T) {
	var all map[string][][]string
	require.NoError(t, json.Unmarshal(get(t, "/page/templates.json").Body.Bytes(), &all))
	slots := map[string]string{
		"order": "105282", "customer": "1202", "account": "104000400", "account2": "104000401", "account3": "104000402",
		"symbol": "SDP",
		"date":   "2026-01-02", "datetime": "2026-01-02T03:04:05",
	}
	for kind, of := range map[string][2]string{
		"order": {"order.xsd", "FIXML"}, "customer": {"custacc.xsd", "Customer"},
		"account": {"custacc-messages.xsd", "Account"},
	} {
		valid, err := schema.CompileFile(of[0], of[1])
		require.NoError(t, err)
		require.Greater(t, len(all[kind]), 5)
		for _, parts := range all[kind] {
			var document strings.Builder
			for i, part := range parts {
				if i%2 == 1 {
					require.Contains(t, slots, part)
					part = slots[part]
				}
				document.WriteString(part)
			}
			require.NoError(t, valid.Validate([]byte(document.String())), document.String())
		}
	}
}

package pages_test

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/api"
	"brokerage/internal/httpapi/pages"
	"brokerage/internal/schema"
	"brokerage/internal/tpox"
)

// text returns a file as text.
func text(t testing.TB, path string) string {
	t.Helper()
	files, err := pages.Make(api.OpenAPI())
	require.NoError(t, err)
	require.Contains(t, files, path)
	return string(files[path].Body)
}

// Pages load only their own files, contain nothing that their policy would refuse, and show answers as text. A token
// stays in memory.
func TestMake_NothingExternal(t *testing.T) {
	files, err := pages.Make(api.OpenAPI())
	require.NoError(t, err)
	link := regexp.MustCompile(`<[a-z][^>]*\s(?:href|src|srcset|action|formaction|data|poster|background|ping)="([^"]*)"`)
	for path, file := range files {
		switch body := string(file.Body); {
		case strings.HasPrefix(file.MediaType, "text/html"):
			for _, found := range link.FindAllStringSubmatch(body, -1) {
				require.Regexp(t, `^(#[A-Za-z0-9_-]+|page/[a-z]+\.(css|js|svg)|docs(#\w+)?|openapi\.yaml|schema/[a-z-]+\.xsd|\./)$`,
					found[1])
				if name, ok := strings.CutPrefix(found[1], "page/"); ok {
					require.Contains(t, files, "/page/"+name)
				}
			}
			require.NotRegexp(t, `(?i)<style|<iframe|<object|<embed|<base|<meta http-equiv|<[a-z][^>]*\s(style|on[a-z]+)=`, body)
			require.NotRegexp(t, `<script(?:>|[^>]*>[^<])`, body)
			require.NotContains(t, body, "ZgotmplZ", "what html/template puts where it mistrusts a value")
		case strings.HasPrefix(file.MediaType, "text/css"):
			require.NotRegexp(t, `(?i)url\(|@import|@font-face|//[a-z]`, body, path)
		case strings.HasPrefix(file.MediaType, "text/javascript"):
			require.NotRegexp(t, `\beval\b|new Function|innerHTML|outerHTML|insertAdjacentHTML|document\.write`, body, path)
			require.NotRegexp(t, `sessionStorage|document\.cookie|indexedDB|sendBeacon|WebSocket|importScripts`, body, path)
			for _, kept := range regexp.MustCompile(`localStorage[^;\n]*`).FindAllString(body, -1) {
				require.Regexp(t, `^localStorage\.[gs]etItem\('theme'`, kept)
			}
			for _, address := range regexp.MustCompile(`https?://[\w./-]+`).FindAllString(body, -1) {
				require.Contains(t, []string{"http://www.w3.org/2000/svg", tpox.CustAccNS, tpox.SecurityNS, tpox.FIXMLNS},
					address, "namespaces, which are never requested")
			}
		}
	}
}

// Each of the 17 transactions can be chosen. Its form has fields for the parameters in the path and for any body.
func TestMake_Transactions(t *testing.T) {
	page := text(t, "/")
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
}

// The documents of the workbench are valid by the schemas once ids are in their slots.
func TestMake_Templates(t *testing.T) {
	var all map[string][][]string
	require.NoError(t, json.Unmarshal([]byte(text(t, "/page/templates.json")), &all))
	slots := map[string]string{
		"order": "105282", "customer": "1202", "account": "104000400", "account2": "104000401", "account3": "104000402",
		"symbol": "SDP", "date": "2026-01-02", "datetime": "2026-01-02T03:04:05",
	}
	for kind, of := range map[string][2]string{
		"order": {"order.xsd", "FIXML"}, "customer": {"custacc.xsd", "Customer"},
		"account": {"custacc-messages.xsd", "Account"},
	} {
		valid, err := schema.CompileFile(of[0], of[1])
		require.NoError(t, err)
		require.Len(t, all[kind], 9)
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

package docs_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/api"
	"brokerage/internal/httpapi/docs"
	"brokerage/internal/testenv/browsertest"
)

// browser shows the page of documentation.
type browser struct{ *browsertest.Browser }

// send clicks the button of an operation, and returns the answer that the page then shows.
func (b *browser) send(operation string) string {
	b.Helper()
	text, ok := b.Run(`(async () => {
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

func TestPage_InBrowser(t *testing.T) {
	var got http.Request
	server := httptest.NewServer(service(t, &got))
	t.Cleanup(server.Close)
	b := &browser{browsertest.Start(t)}
	b.Expected = []string{"401 (Unauthorized)"} // the stub refuses a request
	b.Open(server.URL + "/docs#get_order")

	t.Run("Fragment", func(t *testing.T) {
		require.Equal(t, true, b.Run(`document.getElementById('get_order').open`))
	})
	t.Run("WithoutToken", func(t *testing.T) {
		text := b.send("get_order")
		require.Contains(t, text, "401")
		require.Contains(t, text, "\n  <type>urn:brokerage:problem:unauthorized</type>\n")
		require.Empty(t, got.Header.Get("Authorization"))
	})
	t.Run("WithToken", func(t *testing.T) {
		b.Fill("#token", token)
		text := b.send("get_order")
		require.Equal(t, "/v1/orders/103282", got.URL.String(), "the example of the contract is filled in")
		require.Contains(t, text, "200")
		require.Regexp(t, `x-request-id\s+01JGJ5C3T8XW`, text)
		require.Regexp(t, `etag\s+"d41d8cd98f00b204e9800998ecf8427e"`, text)
		require.Contains(t, text, "\n  <Hdr ", "one line on the wire")
	})
	t.Run("Query", func(t *testing.T) {
		b.Fill(`#search_securities [name=sector]`, "Capital Goods & more")
		b.send("search_securities")
		require.Equal(t, "/v1/securities?sector=Capital+Goods+%26+more&peMin=20&peMax=27&yieldMin=4", got.URL.String())
	})
	t.Run("PathIsEscaped", func(t *testing.T) {
		b.Fill(`#get_security [name=symbol]`, "A/$&?")
		b.send("get_security")
		require.Equal(t, "A/$&?", strings.TrimPrefix(got.URL.Path, "/v1/securities/"))
	})
	t.Run("Header", func(t *testing.T) {
		b.Fill(`#get_order [name="If-None-Match"]`, `"0123"`)
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
			require.Equal(t, c[1], b.Apply("indent", c[0]), name)
		}
	})
	t.Run("ExamplesAreWhole", func(t *testing.T) {
		// White space between elements and between attributes is all that indenting adds.
		require.Equal(t, true, b.Run(`(() => {
			const flat = (xml) => xml.replace(/>\s+</g, '><').replace(/\s+/g, ' ');
			return $$('.operation textarea').every((body) => {
				const before = body.defaultValue;
				return flat(indent(before)) === flat(before) && indent(indent(before)) === indent(before);
			});
		})()`))
	})
	t.Run("Curl", func(t *testing.T) {
		b.Run(`document.querySelector('#insert_order .curl').open = true`)
		b.Run(`new Promise((done) => setTimeout(done, 50))`)
		text := b.Run(`document.querySelector('#insert_order .curl pre').textContent`)
		require.Contains(t, text, `"Authorization: Bearer $TOKEN"`)
		require.NotContains(t, text, token)
		require.Contains(t, text, `<FIXML xmlns=`)
	})
	t.Run("Filter", func(t *testing.T) {
		b.Fill("#filter", "price get")
		require.Equal(t, "get_security_price",
			b.Run(`$$('.operation').filter((o) => o.offsetParent).map((o) => o.id).join()`))
		b.Fill("#filter", "no such operation")
		require.Equal(t, true, b.Run(`$('#nothing').offsetParent !== null`))
	})

	require.Empty(t, b.Complaints, "the policy refused something, or a script failed")
	require.NotEmpty(t, b.Requested)
	for _, address := range b.Requested {
		require.True(t, strings.HasPrefix(address, server.URL+"/"), address)
	}
}

// token is the token that the stub accepts.
const token = "a-token-for-reading"

// service returns the page with a stub of the service behind it, which answers with the examples of the contract. The
// last request is stored in got.
func service(t testing.TB, got *http.Request) http.Handler {
	t.Helper()
	mux := http.NewServeMux()
	mux.Handle("/docs", docs.Handler(api.OpenAPI()))
	mux.Handle("/docs/", docs.Handler(api.OpenAPI()))
	answer := func(status int, example string) http.HandlerFunc {
		text, err := api.Examples.ReadFile("examples/" + example)
		require.NoError(t, err)
		return func(w http.ResponseWriter, r *http.Request) {
			*got = *r.Clone(t.Context())
			w.Header().Set("X-Request-Id", "01JGJ5C3T8XW")
			if r.Header.Get("Authorization") != "Bearer "+token {
				w.Header().Set("Content-Type", "application/problem+xml; charset=utf-8")
				w.WriteHeader(http.StatusUnauthorized)
				text, _ := api.Examples.ReadFile("examples/problem.unauthorized.xml")
				_, _ = w.Write(text)
				return
			}
			w.Header().Set("Content-Type", "application/xml; charset=utf-8")
			w.Header().Set("ETag", `"d41d8cd98f00b204e9800998ecf8427e"`)
			w.WriteHeader(status)
			_, _ = w.Write(text)
		}
	}
	mux.Handle("GET /v1/orders/{order}", answer(http.StatusOK, "get_order.response.xml"))
	mux.Handle("GET /v1/securities", answer(http.StatusOK, "search_securities.response.xml"))
	mux.Handle("GET /v1/securities/{symbol}", answer(http.StatusOK, "get_security.response.xml"))
	return mux
}

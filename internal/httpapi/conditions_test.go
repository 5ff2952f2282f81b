package httpapi

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/tpox"
)

func TestConditions_IfNoneMatch(t *testing.T) {
	s := fresh(t, Options{})
	for _, operation := range []string{"get_order", "get_customer", "get_account", "get_security"} {
		path := target(t, operation)
		tag := ask(s, "GET", path, "").Header.Get("Etag")
		packed := strings.TrimSuffix(tag, `"`) + `-gzip"`
		for header, status := range map[string]int{
			tag: 304, packed: 304, "*": 304, `"x" ,W/` + tag + `,"y"`: 304, `W/"x", "y"`: 200, `"*"`: 200,
			strings.Trim(tag, `"`): 400, "": 400, `"x" "y"`: 400, `w/"x"`: 400, `*, "x"`: 400,
		} {
			for _, method := range []string{"GET", "HEAD"} {
				a := ask(s, method, path, "", "If-None-Match: "+header)
				require.Equal(t, status, a.StatusCode, header)
				require.NotEmpty(t, a.Header.Get("X-Request-Id"))
				require.Equal(t, "Accept, Accept-Encoding", a.Header.Get("Vary"))
				if status == 400 {
					require.Empty(t, a.Header.Get("Etag"))
					continue
				}
				require.Equal(t, tag, a.Header.Get("Etag"))
				if status == 304 {
					require.Empty(t, a.body)
					require.Empty(t, a.Header.Get("Content-Length"))
					require.Empty(t, a.Header.Get("Content-Type"))
				}
			}
		}
		// Each form of a document has its own strong tag, and a condition may name any of them.
		for suffix, header := range map[string]string{`-gzip"`: "Accept-Encoding: gzip", `-text"`: "Accept: text/xml"} {
			form := ask(s, "GET", path, "", header)
			requireConforms(t, operation, form)
			own := strings.TrimSuffix(tag, `"`) + suffix
			require.Equal(t, own, form.Header.Get("Etag"))
			for _, condition := range []string{tag, own} {
				a := ask(s, "GET", path, "", header, "If-None-Match: "+condition)
				require.Equal(t, 304, a.StatusCode)
				require.Equal(t, own, a.Header.Get("Etag"), "the tag that 200 would have")
				require.Empty(t, a.Header.Get("Content-Encoding"))
			}
		}
	}
}

// stripping is a store that reports that it strips the white space of what it validates.
type stripping struct{ tpox.Store }

func (s stripping) Describe() tpox.EngineInfo {
	is := s.Store.Describe()
	is.StripsSpace = true
	return is
}

// If a document may be stored with other white space than it was sent with, the answer to PUT has no tag.
func TestConditions_StripsSpace(t *testing.T) {
	s := serverOf(t, stripping{freshStore(t, tpox.Rules{})}, Options{})
	for _, operation := range []string{"replace_customer", "replace_security"} {
		path, body := target(t, operation), example(t, operation+".request.xml")
		a := ask(s, "PUT", path, body)
		require.Equal(t, 204, a.StatusCode)
		require.Empty(t, a.Header.Values("Etag"))
		requireConforms(t, operation, a)
		a = ask(s, "PUT", path+"?validate=no", body)
		require.Equal(t, ask(s, "GET", path, "").Header.Get("Etag"), a.Header.Get("Etag"))
	}
}

func TestConditions_IfMatch(t *testing.T) {
	for _, operation := range []string{"replace_customer", "replace_security"} {
		t.Run(operation, func(t *testing.T) {
			s := fresh(t, Options{})
			path := target(t, operation)
			first := ask(s, "GET", path, "")
			put := func(body string, headers ...string) answer {
				t.Helper()
				a := ask(s, "PUT", path, body, headers...)
				requireConforms(t, operation, a)
				return a
			}
			tag := first.Header.Get("Etag")
			second := example(t, operation+".request.xml")
			for _, stale := range []string{`"x"`, "W/" + tag, `W/` + tag + `, "x"`} {
				requireProblem(t, put(second, "If-Match: "+stale), 412, "stale")
			}
			require.Equal(t, first.body, ask(s, "GET", path, "").body)
			a := put(second, `If-Match: "x", `+tag)
			require.Equal(t, 204, a.StatusCode)
			next := a.Header.Get("Etag")
			require.NotEqual(t, tag, next)
			require.Equal(t, next, ask(s, "GET", path, "").Header.Get("Etag"))
			requireProblem(t, put(first.body, "If-Match: "+tag), 412, "stale")
			require.Equal(t, 204, put(first.body, "If-Match: "+strings.TrimSuffix(next, `"`)+`-gzip"`).StatusCode)
			require.Equal(t, tag, put(first.body, "If-Match: *").Header.Get("Etag"))
			text := ask(s, "GET", path, "", "Accept: text/xml", "Accept-Encoding: gzip").Header.Get("Etag")
			require.Equal(t, 204, put(first.body, "If-Match: "+text).StatusCode)
			requireProblem(t, put(first.body, `If-Match: "x-text"`), 412, "stale")
			requireProblem(t, ask(s, "PUT", strings.NewReplacer("1006", "999999", "SDP", "NOSUCH").Replace(path),
				strings.NewReplacer(`"1006"`, `"999999"`, ">SDP<", ">NOSUCH<").Replace(first.body), "If-Match: *"), 404,
				"not-found")
		})
	}
}

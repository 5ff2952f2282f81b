package workload

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/x509"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/store/sqlite/sqlitetest"
	"brokerage/internal/tpox"
)

func TestAnswer_Read(t *testing.T) {
	long := strings.Repeat("x", 100)
	for name, c := range map[string]struct {
		wire, body string
		status     int
		last       bool
	}{
		"Length":       {"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n<a/>", "<a/>", 200, false},
		"LowerCase":    {"HTTP/1.1 200 OK\r\ncontent-length:4\r\n\r\n<a/>", "<a/>", 200, false},
		"LongerThanIn": {"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n" + long, long, 200, false},
		"Chunked": {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" +
			"2\r\n<a\r\n2\r\n/>\r\n0\r\nX: y\r\n\r\n", "<a/>", 200, false},
		"Close":       {"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 4\r\n\r\n<a/>", "<a/>", 200, true},
		"UntilTheEnd": {"HTTP/1.1 200 OK\r\n\r\n<a/>", "<a/>", 200, true},
		"OldVersion":  {"HTTP/1.0 200 OK\r\nContent-Length: 4\r\n\r\n<a/>", "<a/>", 200, true},
		"NoContent":   {"HTTP/1.1 204 No Content\r\n\r\n", "", 204, false},
		"NoReason":    {"HTTP/1.1 404 \r\nContent-Length: 0\r\n\r\n", "", 404, false},
	} {
		t.Run(name, func(t *testing.T) {
			in := bufio.NewReaderSize(strings.NewReader(c.wire), 64)
			var a answer
			require.NoError(t, a.read(in))
			require.Equal(t, c.status, a.status)
			require.Equal(t, c.body, string(a.body))
			require.Equal(t, c.last, a.last)
			rest, err := io.ReadAll(in)
			require.NoError(t, err)
			require.Empty(t, rest)
		})
	}
	for name, wire := range map[string]string{
		"Nothing":       "",
		"NotHTTP":       "SSH-2.0-OpenSSH_9.6p1\r\n",
		"StatusIsText":  "HTTP/1.1 abc OK\r\n\r\n",
		"CutInHeaders":  "HTTP/1.1 200 OK\r\nContent-Le",
		"CutInBody":     "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n<a",
		"LengthIsText":  "HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n",
		"LengthIsBelow": "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
		"LengthIsHuge":  "HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			require.Error(t, new(answer).read(bufio.NewReaderSize(strings.NewReader(wire), 64)))
		})
	}
}

func TestAnswer_Headers(t *testing.T) {
	var a answer
	in := bufio.NewReader(strings.NewReader(
		"HTTP/1.1 201 Created\r\nETag: \"1\"\r\nlocation: /v1/orders/7\r\nContent-Length: 0\r\n\r\n" +
			"HTTP/1.1 204 -\r\n\r\n"))
	require.NoError(t, a.read(in))
	require.Equal(t, `"1"`, string(a.etag))
	require.Equal(t, "/v1/orders/7", string(a.location))
	require.NoError(t, a.read(in))
	require.Empty(t, a.etag, "the one before's")
	require.Empty(t, a.location)
}

func TestProblemOutcome(t *testing.T) {
	problem := func(name string) []byte {
		return []byte(`<problem xmlns="urn:ietf:rfc:7807"><type>urn:brokerage:problem:` + name + `</type></problem>`)
	}
	for name, c := range map[string]struct {
		of     *Transaction
		status int
		body   []byte
		want   outcome
	}{
		"OrderExists": {insertOrder, 409, problem("order-exists"), outcome{unexpected, "order-exists"}},
		"Stale":       {updCustacc, 412, problem("stale"), outcome{expected, "stale"}},
		"Proxy":       {getOrder, 502, []byte("<html>Bad Gateway</html>"), outcome{unexpected, "502"}},
	} {
		t.Run(name, func(t *testing.T) { require.Equal(t, c.want, problemOutcome(c.of, c.status, c.body)) })
	}
}

// An answer with the right status and the wrong content is detected.
func TestChecker(t *testing.T) {
	k := checker{keys: true}
	c := &call{transaction: getOrder, id: 103_282}
	require.Equal(t, done, k.check(c, []byte(`<Order xmlns="http://www.fixprotocol.org/FIXML-4-4" ID="103282" Acct="1">`)))
	require.Equal(t, done, k.check(c, []byte(`<?xml version="1.0"?>`+"\n"+`<f:Order xmlns:f="x" ID="103282"/>`)))
	for _, body := range []string{
		"", "Order", "<", `<Orders ID="103282">`, `<Order ID="103283">`, `<Order ID="1032820">`, `<html>"103282"</html>`,
	} {
		require.Equal(t, wrongAnswer, k.check(c, []byte(body)), body)
	}
	k.keys = false // what answers the same to everything
	require.Equal(t, done, k.check(c, []byte(`<Order ID="7">`)))
	require.Equal(t, wrongAnswer, k.check(c, []byte(`<html>`)))
}

// Another address that a service redirects to gets no request, and so not the token.
func TestHTTP_Redirect(t *testing.T) {
	asked := 0
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked++ }))
	defer other.Close()
	service := httptest.NewServer(http.RedirectHandler(other.URL, http.StatusTemporaryRedirect))
	defer service.Close()
	h, err := NewHTTP(service.URL, "secret", nil)
	require.NoError(t, err)
	_, _, err = h.describe(t.Context())
	require.ErrorContains(t, err, "answered 307")
	_, err = h.lease(t.Context(), "order", 1)
	require.ErrorContains(t, err, "answered 307")
	_, err = h.reading(t.Context())
	require.NoError(t, err)
	require.Zero(t, asked)
}

func TestNewHTTP_Token(t *testing.T) {
	_, err := NewHTTP("http://host", "a\r\nb", nil)
	require.Error(t, err)
}

func TestReadMetrics(t *testing.T) {
	r := readMetrics([]byte("# HELP x y\nprocess_cpu_seconds_total 12.5\nprocess_resident_memory_bytes 4.2e+07\n" +
		"brokerage_store_commits_total 7\nbrokerage_transactions_total{transaction=\"a\"} 3\n" +
		"go_info{version=\"x\"} 1\nodd\n"))
	require.Equal(t, ProcessUsage{CPUSeconds: 12.5, MemoryAfter: 42e6}, *r.process)
	require.Equal(t, map[string]float64{"brokerage_store_commits_total": 7}, r.figures)
	require.Nil(t, readMetrics(nil).process)
}

// openedAt returns a session with the service at a URL.
func openedAt(t testing.TB, url string) session {
	t.Helper()
	s, err := overHTTP(t, url, "").open(t.Context(), checker{keys: true}, Primary)
	require.NoError(t, err)
	t.Cleanup(s.close)
	return s
}

// A session connects again when the service has closed the connection, or announces it.
func TestHTTPSession_Reconnects(t *testing.T) {
	s := openedAt(t, listen(t, func(conn net.Conn) {
		_, _ = http.ReadRequest(bufio.NewReader(conn))
		_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 14\r\n\r\n<Order ID=\"7\">")
	}))
	for range 3 {
		require.Equal(t, done, s.do(t.Context(), &call{transaction: getOrder, id: 7}))
	}
}

// A user that begins late in the ramp connects again, because services close silent connections.
func TestHTTPSession_BeginsLate(t *testing.T) {
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `<Order ID="7"></Order>`)
	}))
	server.Config.ReadHeaderTimeout = unusedFor / 2
	server.Start()
	t.Cleanup(server.Close)
	s := openedAt(t, server.URL)
	time.Sleep(unusedFor + 100*time.Millisecond)
	require.Equal(t, done, s.do(t.Context(), &call{transaction: getOrder, id: 7}))
}

func TestHTTPSession_TLS(t *testing.T) {
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") == "Bearer secret" {
			_, _ = io.WriteString(w, `<Order ID="7"></Order>`)
		}
	}))
	t.Cleanup(server.Close)
	h := overHTTP(t, server.URL, "secret")
	_, err := h.open(t.Context(), checker{keys: true}, Primary)
	require.ErrorContains(t, err, "certificate", "nobody vouches for it")
	h.security.RootCAs = x509.NewCertPool()
	h.security.RootCAs.AddCert(server.Certificate())
	s, err := h.open(t.Context(), checker{keys: true}, Primary)
	require.NoError(t, err)
	defer s.close()
	for range 2 {
		require.Equal(t, done, s.do(t.Context(), &call{transaction: getOrder, id: 7}))
	}
}

// Nothing that a service sends takes more memory than an answer may have, decompressed or not.
func TestHTTP_Bounds(t *testing.T) {
	endless := func(w io.Writer) {
		junk := bytes.Repeat([]byte("<a b='0123456789'/>\n"), 4096)
		for n := 0; n < 256<<20; n += len(junk) {
			if _, err := w.Write(junk); err != nil {
				return
			}
		}
		t.Error("256 MiB were read")
	}
	bomb := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		packed := gzip.NewWriter(w)
		junk := make([]byte, 1<<20)
		for n := 0; n < 1<<30; n += len(junk) {
			if _, err := packed.Write(junk); err != nil {
				return
			}
		}
		_ = packed.Close() // all of it fits into the buffers of the connection
	}
	for name, answer := range map[string]http.HandlerFunc{
		"Endless": func(w http.ResponseWriter, _ *http.Request) { endless(w) }, "Gzip": bomb,
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(answer)
			t.Cleanup(server.Close)
			h := overHTTP(t, server.URL, "")
			_, _, err := h.describe(t.Context())
			require.ErrorContains(t, err, "/version: the answer has more than 1 MiB")
			_, err = h.reading(t.Context())
			require.ErrorContains(t, err, "/metrics: the answer has more than 16 MiB")
		})
	}
	ok := "HTTP/1.1 200 OK\r\n"
	for name, start := range map[string]string{
		"Body": ok + "\r\n", "Chunk": ok + "Transfer-Encoding: chunked\r\n\r\n7fffffff\r\n",
		"Trailers": ok + "Transfer-Encoding: chunked\r\n\r\n0\r\n", "Headers": ok,
	} {
		t.Run("Session/"+name, func(t *testing.T) {
			s := openedAt(t, listen(t, func(conn net.Conn) {
				_, _ = http.ReadRequest(bufio.NewReader(conn))
				_, _ = io.WriteString(conn, start)
				line := []byte("ETag: <Order ID=\"7\">\r\n")
				for n := 0; n < 256<<20; n += len(line) * 1000 {
					if _, err := conn.Write(bytes.Repeat(line, 1000)); err != nil {
						return
					}
				}
				t.Error("256 MiB were read")
			}))
			require.Equal(t, noAnswer, s.do(t.Context(), &call{transaction: getOrder, id: 7}))
		})
	}
}

// A call that is in progress at the end of the run does not outlive it.
func TestHTTPSession_Cancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	s, err := overHTTP(t, listen(t, func(net.Conn) { <-ctx.Done() }), "").open(ctx, checker{}, Primary)
	require.NoError(t, err)
	defer s.close()
	time.AfterFunc(20*time.Millisecond, cancel)
	require.Equal(t, unanswered, s.do(ctx, &call{transaction: getOrder, id: 7}).class)
}

// Sessions of both kinds return the same refusals.
func TestSessions_SameRefusals(t *testing.T) {
	s := sqlitetest.Store(t)
	calls := map[string]struct {
		call call
		want outcome
	}{
		"NotFound": {call{transaction: getOrder, id: 7}, outcome{unexpected, "404 not-found"}},
		"NotHeld": {
			call{transaction: sellSecurity, id: 104_000_000, symbol: heldByNobody(t, s), quantity: 1},
			outcome{expected, "not-held"},
		},
		"LastAccount": {
			call{transaction: closeAccount, id: 1002, account: 104_000_000}, outcome{expected, "last-account"},
		},
		"Invalid": {
			call{transaction: updateOrderStatus, id: 103_282, status: "nonsense"}, outcome{unexpected, "422 invalid"},
		},
	}
	for way, backend := range bothWays(t, s) {
		for name, c := range calls {
			t.Run(way+"/"+name, func(t *testing.T) {
				session, err := backend.open(t.Context(), checker{keys: true}, Primary)
				require.NoError(t, err)
				defer session.close()
				require.Equal(t, c.want, session.do(t.Context(), &c.call))
			})
		}
	}
}

// heldByNobody returns a symbol that the first account does not hold.
func heldByNobody(t testing.TB, s tpox.Store) string {
	t.Helper()
	summary, err := s.AccountSummary(t.Context(), 1002)
	require.NoError(t, err)
	symbols := slices.DeleteFunc(tinyPopulation(t, 0).Symbols, func(symbol string) bool {
		return strings.Contains(string(summary), "<Symbol>"+symbol+"</Symbol>")
	})
	require.NotEmpty(t, symbols)
	return symbols[0]
}

// Queries have the header of the run's consistency, and nothing else has one. A token is that of the user's last write.
func TestHTTPSession_Consistency(t *testing.T) {
	for name, c := range map[string]struct {
		consistency             Consistency
		before, after, staleFor string // in the headers of a query before and after a write
	}{
		"Primary": {Primary, "", "", ""},
		"Token":   {Token, "", "token-2", ""},
		"Stale":   {"stale=1500ms", "", "", "1500ms"},
	} {
		t.Run(name, func(t *testing.T) {
			var tokens, ages []string
			writes := 0
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				tokens = append(tokens, r.Header.Get("Consistency-Token"))
				ages = append(ages, r.Header.Get("Max-Staleness"))
				if r.Method == http.MethodGet {
					_, _ = io.WriteString(w, `<Order ID="7"></Order>`)
					return
				}
				writes++
				w.Header().Set("Consistency-Token", fmt.Sprint("token-", writes))
				w.WriteHeader(http.StatusNoContent)
			}))
			t.Cleanup(server.Close)
			s, err := overHTTP(t, server.URL, "").open(t.Context(), checker{keys: true}, c.consistency)
			require.NoError(t, err)
			defer s.close()
			for _, transaction := range []*Transaction{getOrder, deleteOrder, deleteOrder, getOrder} {
				require.Equal(t, done, s.do(t.Context(), &call{transaction: transaction, id: 7}))
			}
			require.Equal(t, []string{c.before, "", "", c.after}, tokens)
			require.Equal(t, []string{c.staleFor, "", "", c.staleFor}, ages)
		})
	}
}

func TestConsistency_Check(t *testing.T) {
	for _, c := range []Consistency{Primary, Token, "stale=2s", "stale=0s", "stale=500ms"} {
		require.NoError(t, c.Check(), c)
	}
	for _, c := range []Consistency{"none", "stale", "stale=", "stale=2", "stale=2m", "stale=2s\r\nX: y", "stale=-1s"} {
		require.ErrorContains(t, c.Check(), ConsistencyForm, c)
	}
}

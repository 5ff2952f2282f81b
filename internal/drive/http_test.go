package drive

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/probe"
	"brokerage/internal/result"
	"brokerage/internal/store/sqlite/sqlitetest"
	"brokerage/internal/tpox"
	"brokerage/internal/workload"
)

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
	r := readMetrics([]byte("# HELP x y\nbrokerage_process_user_seconds_total 12.5\n" +
		"process_resident_memory_bytes 4.2e+07\nbrokerage_store_commits_total 7\n" +
		"brokerage_transactions_total{transaction=\"a\"} 3\ngo_info{version=\"x\"} 1\nodd\n"))
	require.Equal(t, probe.Figures{probe.UserSeconds: 12.5, probe.Memory: 42e6}, r.process)
	require.Equal(t, probe.Figures{"brokerage_store_commits_total": 7}, r.store)
	require.Contains(t, r.missing, "systemSeconds is not among its metrics")
	r = readMetrics([]byte("brokerage_store_commits_total 7\n")) // of a system that does not count for a process
	require.Equal(t, reading{store: probe.Figures{"brokerage_store_commits_total": 7},
		missing: []string{"it serves no metrics of its process at its address"}}, r)
}

// A lease is as many ids as were asked for, of 15 digits at most: others would give documents ids below 0, or the ids
// of others, or end no loop.
func TestHTTP_Lease(t *testing.T) {
	const form = `<Lease xmlns="urn:brokerage:service" first="%d" count="%d"/>`
	for lease, good := range map[[2]int64]bool{
		{1, 10}: true, {999_999_999_999_990, 10}: true, {1, 0}: false, {1, -1}: false, {1, 11}: false, {0, 10}: false,
		{-5, 10}: false, {999_999_999_999_991, 10}: false, {math.MaxInt64, 10}: false, {1, math.MaxInt64}: false,
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			_, _ = fmt.Fprintf(w, form, lease[0], lease[1])
		}))
		r, err := overHTTP(t, server.URL).lease(t.Context(), "order", 10)
		server.Close()
		if good {
			require.NoError(t, err, lease)
			require.Equal(t, tpox.Range{First: tpox.ID(lease[0]), Count: lease[1]}, r)
			continue
		}
		require.EqualError(t, err, fmt.Sprintf("the service at %s leased %d ids from %d on when asked for 10: "+
			"not a lease of a brokerage service", server.URL, lease[1], lease[0]))
	}
}

// openedAt returns a session with the service at a URL.
func openedAt(t testing.TB, url string) session {
	t.Helper()
	s, err := overHTTP(t, url).open(t.Context(), Primary)
	require.NoError(t, err)
	t.Cleanup(s.close)
	return s
}

// greeted answers the first request of a connection, and reads the second.
func greeted(conn net.Conn) {
	in := bufio.NewReader(conn)
	if _, err := http.ReadRequest(in); err == nil {
		_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
		_, _ = http.ReadRequest(in)
	}
}

// A session connects again when the service has closed the connection, or announces it.
func TestHTTPSession_Reconnects(t *testing.T) {
	s := openedAt(t, listen(t, func(conn net.Conn) {
		_, _ = http.ReadRequest(bufio.NewReader(conn))
		_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 14\r\n\r\n<Order ID=\"7\">")
	}))
	for range 3 {
		require.Equal(t, result.Done, s.do(t.Context(), &workload.Call{Transaction: named(t, "get_order"), ID: 7}))
	}
}

// Nothing that a service sends takes more memory than an answer may have.
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
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { endless(w) }))
	t.Cleanup(server.Close)
	h := overHTTP(t, server.URL)
	_, _, err := h.describe(t.Context())
	require.ErrorContains(t, err, "/version: the answer has more than 1 MiB")
	_, err = h.reading(t.Context())
	require.ErrorContains(t, err, "/metrics: the answer has more than 16 MiB")
	packed := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		packing := gzip.NewWriter(w)
		_, _ = packing.Write(make([]byte, 64<<20))
		_ = packing.Close()
	}))
	t.Cleanup(packed.Close)
	_, _, err = overHTTP(t, packed.URL).describe(t.Context())
	require.ErrorContains(t, err, "not a brokerage service", "it is not unpacked")
	ok := "HTTP/1.1 200 OK\r\n"
	for name, start := range map[string]string{
		"Body": ok + "\r\n", "Chunk": ok + "Transfer-Encoding: chunked\r\n\r\n7fffffff\r\n", "Headers": ok,
	} {
		t.Run("Session/"+name, func(t *testing.T) {
			s := openedAt(t, listen(t, func(conn net.Conn) {
				greeted(conn)
				_, _ = io.WriteString(conn, start)
				line := []byte("ETag: <Order ID=\"7\">\r\n")
				for n := 0; n < 256<<20; n += len(line) * 1000 {
					if _, err := conn.Write(bytes.Repeat(line, 1000)); err != nil {
						return
					}
				}
				t.Error("256 MiB were read")
			}))
			require.Equal(t, workload.Unanswered, s.do(t.Context(), &workload.Call{Transaction: named(t, "get_order"), ID: 7}))
		})
	}
}

// A call that is in progress at the end of the run does not outlive it.
func TestHTTPSession_Cancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	url := listen(t, func(conn net.Conn) { greeted(conn); <-ctx.Done() })
	s, err := overHTTP(t, url).open(ctx, Primary)
	require.NoError(t, err)
	defer s.close()
	time.AfterFunc(20*time.Millisecond, cancel)
	require.Equal(t, result.Unanswered, s.do(ctx, &workload.Call{Transaction: named(t, "get_order"), ID: 7}).Class)
}

// Sessions of both kinds return the same refusals.
func TestSessions_SameRefusals(t *testing.T) {
	s := sqlitetest.Store(t)
	unexpected := func(reason string) result.Outcome { return result.Outcome{Class: result.Unexpected, Reason: reason} }
	expected := func(reason string) result.Outcome { return result.Outcome{Class: result.Expected, Reason: reason} }
	calls := map[string]struct {
		transaction string
		call        workload.Call
		want        result.Outcome
	}{
		"NotFound": {"get_order", workload.Call{ID: 7}, unexpected("404 not-found")},
		"NotHeld": {"sell_security", workload.Call{ID: 104_000_000, Symbol: heldByNobody(t, s), Quantity: 1},
			expected("not-held")},
		"LastAccount": {"close_account", workload.Call{ID: 1002, Account: 104_000_000}, expected("last-account")},
		"Invalid":     {"update_order_status", workload.Call{ID: 103_282, Status: "nonsense"}, unexpected("422 invalid")},
	}
	for way, backend := range bothWays(t, s) {
		for name, c := range calls {
			t.Run(way+"/"+name, func(t *testing.T) {
				session, err := backend.open(t.Context(), Primary)
				require.NoError(t, err)
				defer session.close()
				c.call.Transaction = named(t, c.transaction)
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
	symbols := slices.DeleteFunc(populationOf(t, s).Symbols, func(symbol string) bool {
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
				if r.URL.Path == "/version" {
					return // before a user begins
				}
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
			s, err := overHTTP(t, server.URL).open(t.Context(), c.consistency)
			require.NoError(t, err)
			defer s.close()
			for _, transaction := range []string{"get_order", "delete_order", "delete_order", "get_order"} {
				require.Equal(t, result.Done, s.do(t.Context(), &workload.Call{Transaction: named(t, transaction), ID: 7}))
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

// A service and a store describe the same population.
func TestPopulation_HTTPAndDirect(t *testing.T) {
	ways := bothWays(t, sqlitetest.Store(t))
	_, over, err := ways["HTTP"].describe(t.Context())
	require.NoError(t, err)
	_, in, err := ways["Direct"].describe(t.Context())
	require.NoError(t, err)
	over.XMLName = in.XMLName
	require.Equal(t, in, over)
	require.NoError(t, over.Check(200))
	require.ErrorContains(t, over.Check(201), "too small for 201 users: it has 200 customers")

	url, _ := serve(t, openSQLite(t, t.TempDir()+"/empty.db"))
	_, _, err = overHTTP(t, url).describe(t.Context())
	require.ErrorIs(t, err, workload.ErrNoDataset)
}

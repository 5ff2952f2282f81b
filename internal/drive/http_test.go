package drive

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

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
	_, _, err := overHTTP(t, service.URL).describe(t.Context())
	require.ErrorContains(t, err, "answered 307")
	require.Zero(t, asked)
}

func TestReadMetrics(t *testing.T) {
	r := readMetrics([]byte("# HELP x y\nbrokerage_process_user_seconds_total 12.5\n" +
		"process_resident_memory_bytes 4.2e+07\nbrokerage_store_commits_total 7\n" +
		"brokerage_transactions_total{transaction=\"a\"} 3\ngo_info{version=\"x\"} 1\nodd\n"))
	require.Equal(t, probe.Figures{probe.UserSeconds: 12.5, probe.Memory: 42e6}, r.process)
	require.Equal(t, probe.Figures{"brokerage_store_commits_total": 7}, r.store)
	require.Contains(t, r.missing, "systemSeconds is not among its metrics")
	r = readMetrics([]byte("brokerage_store_commits_total 7\n")) // on a system that has no figures of a process
	require.Nil(t, r.process)
	require.Equal(t, []string{"it serves no process metrics at its address"}, r.missing)
}

// A lease has at least one id and no more than were asked for, of 15 digits at most. Any other would give documents
// negative ids or the ids of other clients, or cause an endless loop.
func TestHTTP_Lease(t *testing.T) {
	var lease [2]int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = fmt.Fprintf(w, `<Lease xmlns="urn:brokerage:service" first="%d" count="%d"/>`, lease[0], lease[1])
	}))
	defer server.Close()
	for _, lease = range [][2]int64{{1, 10}, {999_999_999_999_990, 10}} {
		r, err := overHTTP(t, server.URL).lease(t.Context(), "order", 10)
		require.NoError(t, err, lease)
		require.Equal(t, tpox.Range{First: tpox.ID(lease[0]), Count: lease[1]}, r)
	}
	for _, lease = range [][2]int64{{1, 0}, {1, -1}, {1, 11}, {0, 10}, {-5, 10}, {999_999_999_999_991, 10}} {
		_, err := overHTTP(t, server.URL).lease(t.Context(), "order", 10)
		require.ErrorContains(t, err, "not a brokerage service", lease)
	}
}

// Of an endless response, no more than the limit is read into memory.
func TestHTTP_Bounds(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		junk := bytes.Repeat([]byte("<a b='0123456789'/>\n"), 4096)
		for n := 0; n < 256<<20; n += len(junk) {
			if _, err := w.Write(junk); err != nil {
				return
			}
		}
		t.Error("256 MiB were read")
	}))
	t.Cleanup(server.Close)
	_, _, err := overHTTP(t, server.URL).describe(t.Context())
	require.ErrorContains(t, err, "an answer has more than 16.8 MB: not a brokerage service")
}

// Sessions of both kinds return the same refusals.
func TestSessions_SameRefusals(t *testing.T) {
	s := sqlitetest.Store(t)
	for way, backend := range bothWays(t, s) {
		session, err := backend.open(t.Context(), Primary)
		require.NoError(t, err)
		t.Cleanup(session.close)
		for transaction, c := range map[string]struct {
			call workload.Call
			want result.Outcome
		}{
			"get_order": {workload.Call{ID: 7}, result.Outcome{Class: result.Unexpected, Reason: result.NotFound}},
			"close_account": {workload.Call{ID: 1002, Account: 104_000_000},
				result.Outcome{Class: result.Expected, Reason: "last-account"}},
			"update_order_status": {workload.Call{ID: 103_282, Status: "nonsense"},
				result.Outcome{Class: result.Unexpected, Reason: "422 invalid"}},
		} {
			c.call.Transaction = named(t, transaction)
			require.Equal(t, c.want, session.do(t.Context(), &c.call), "%s %s", way, transaction)
		}
	}
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
	require.ErrorContains(t, Consistency("stale=2s\r\nX: y").Check(), ConsistencyForm)
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

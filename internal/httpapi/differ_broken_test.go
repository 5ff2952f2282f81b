package httpapi

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/dataset"
	"brokerage/internal/tpox"
)

// searchChanged takes the upper bound of a search for included.
type searchChanged struct{ tpox.Store }

func (s searchChanged) SearchSecurities(ctx context.Context, q tpox.Search) ([]byte, error) {
	q.PEMax++
	return s.Store.SearchSecurities(ctx, q)
}

// A store that is broken is found within the requests of CI, and one that is not broken passes.
func TestDiffer_Broken(t *testing.T) {
	open := func(broken bool) func(testing.TB) twins {
		return func(t testing.TB) twins {
			s := freshStore(t, tpox.Rules{})
			if broken {
				s = searchChanged{s}
			}
			return twins{one: fresh(t, Options{}), two: serverOf(t, s, Options{}), d: generator}
		}
	}
	_, difference := compared(t, open(false), 1, perPair)
	require.Empty(t, difference)
	for seed := uint64(1); seed <= 10; seed++ {
		sequence, difference := compared(t, open(true), seed, perPair)
		if difference != "" {
			require.NotEmpty(t, repeated(t, open(true), sequence), "the same requests show it again: %s", difference)
			return
		}
	}
	t.Fatal("nothing was found")
}

// Documents that move from one store to another keep their ETags: a condition with the tag from one store holds in the
// other, before and after updates.
func requireMoves(t *testing.T, w twins) {
	t.Helper()
	id, account, order := int64(800_000_000_001), int64(800_000_000_002), int64(800_000_000_003)
	customer := string(generator.AppendNewCustomer(nil, 3, dataset.NewCustomer{ID: id, Accounts: []int64{account}}))
	ordered := string(generator.AppendNewOrder(nil, 3,
		dataset.NewOrder{ID: order, Account: account, Symbol: "SDP", Time: clock}))
	prefixed := strings.NewReplacer("</", "</p:", "<", "<p:", "xmlns=", "xmlns:p=").Replace
	for _, form := range []func(string) string{func(doc string) string { return doc }, prefixed} {
		from, to := w.one, w.two
		for range 2 {
			for _, s := range []*Server{from, to} {
				ask(s, "DELETE", "/v1/customers/800000000001", "")
				ask(s, "DELETE", "/v1/orders/800000000003", "")
			}
			require.Equal(t, 201, ask(from, "POST", "/v1/customers", form(customer)).StatusCode)
			require.Equal(t, 201, ask(from, "POST", "/v1/orders", form(ordered)).StatusCode)
			require.Equal(t, 204,
				ask(from, "PUT", "/v1/securities/SDP?validate=no", form(example(t, "replace_security.request.xml"))).StatusCode)
			move := func(what string) {
				t.Helper()
				for path, put := range map[string]bool{
					"/v1/customers/800000000001": true, "/v1/securities/SDP": true, "/v1/orders/800000000003": false,
				} {
					exported := ask(from, "GET", path, "")
					require.Equal(t, 200, exported.StatusCode, path)
					switch {
					case strings.Contains(path, "orders"):
						ask(to, "DELETE", path, "")
						message := `<f:FIXML xmlns:f="` + tpox.FIXMLNS + `" v="4.4" r="20030618" s="20040109">` + exported.body +
							`</f:FIXML>`
						require.Equal(t, 201, ask(to, "POST", "/v1/orders", message).StatusCode, what)
					case ask(to, "GET", path, "").StatusCode == http.StatusNotFound:
						require.Equal(t, 201, ask(to, "POST", "/v1/customers", exported.body).StatusCode, what)
					default:
						require.Equal(t, 204, ask(to, "PUT", path, exported.body).StatusCode, what)
					}
					tag := exported.Header.Get("Etag")
					require.Equal(t, tag, ask(to, "GET", path, "").Header.Get("Etag"), "%s %s", what, path)
					require.Equal(t, 304, ask(to, "GET", path, "", "If-None-Match: "+tag).StatusCode, "%s %s", what, path)
					if put {
						require.Equal(t, 204, ask(to, "PUT", path, exported.body, "If-Match: "+tag).StatusCode, "%s %s", what, path)
						require.Equal(t, 412, ask(to, "PUT", path, exported.body, `If-Match: "x"`).StatusCode)
					}
				}
			}
			move("as inserted")
			require.Equal(t, 200, ask(from, "POST", "/v1/accounts/800000000002/buy", tradeOf("SDP", "2.5")).StatusCode)
			require.Equal(t, 200, ask(from, "PUT", "/v1/securities/SDP/price",
				`<Price xmlns="`+tpox.SecurityNS+`"><LastTrade>68.50</LastTrade></Price>`).StatusCode)
			require.Equal(t, 200, ask(from, "PUT", "/v1/orders/800000000003/status",
				`<OrderStatus xmlns="`+tpox.FIXMLNS+`" Stat="4"/>`).StatusCode)
			move("after updates")
			from, to = to, from
		}
	}
}

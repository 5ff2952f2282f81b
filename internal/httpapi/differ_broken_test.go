package httpapi

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/dataset"
	"brokerage/internal/tpox"
)

// Stores in which one transaction behaves differently.
type (
	orderChanged struct {
		tpox.Store

		change func(doc []byte, err error) ([]byte, error)
	}
	summaryChanged  struct{ tpox.Store }
	searchChanged   struct{ tpox.Store }
	conflictChanged struct{ tpox.Store }
	matchIgnored    struct{ tpox.Store }
	keysIgnored     struct{ tpox.Store }
	sellsMore       struct{ tpox.Store }
)

func (s orderChanged) GetOrder(ctx context.Context, id tpox.ID) ([]byte, error) {
	return s.change(s.Store.GetOrder(ctx, id))
}

var creditMovement = regexp.MustCompile(`<CreditMovement>[^<]*</CreditMovement>`)

func (s summaryChanged) AccountSummary(ctx context.Context, id tpox.ID) ([]byte, error) {
	doc, err := s.Store.AccountSummary(ctx, id)
	return creditMovement.ReplaceAll(doc, nil), err
}

func (s searchChanged) SearchSecurities(ctx context.Context, q tpox.Search) ([]byte, error) {
	q.PEMax++
	return s.Store.SearchSecurities(ctx, q)
}

func (s conflictChanged) InsertCustomer(
	ctx context.Context, w tpox.Write, doc []byte, validate bool,
) (tpox.ID, error) {
	id, err := s.Store.InsertCustomer(ctx, w, doc, validate)
	if c, ok := errors.AsType[*tpox.Conflict](err); ok {
		err = &tpox.Conflict{Reason: c.Reason, Detail: strings.Replace(c.Detail, "account", "an account", 1)}
	}
	return id, err
}

func (s matchIgnored) ReplaceSecurity(
	ctx context.Context, w tpox.Write, symbol string, doc []byte, validate bool, _ tpox.Match,
) error {
	return s.Store.ReplaceSecurity(ctx, w, symbol, doc, validate, nil)
}

func (s keysIgnored) Trade(
	ctx context.Context, w tpox.Write, account tpox.ID, t tpox.Trade,
) ([]byte, error) {
	w.Once = nil
	return s.Store.Trade(ctx, w, account, t)
}

func (s sellsMore) Trade(
	ctx context.Context, w tpox.Write, account tpox.ID, t tpox.Trade,
) ([]byte, error) {
	if t.Quantity == "0.001" {
		t.Quantity = "0.002"
	}
	return s.Store.Trade(ctx, w, account, t)
}

// Stores that are broken on purpose are found, each within the requests of CI, and one that is not broken passes.
func TestDiffer_Broken(t *testing.T) {
	order := func(change func([]byte, error) ([]byte, error)) func(tpox.Store) tpox.Store {
		return func(s tpox.Store) tpox.Store { return orderChanged{s, change} }
	}
	for name, change := range map[string]func(tpox.Store) tpox.Store{
		"Intact": func(s tpox.Store) tpox.Store { return s },
		"OrderLosesAttribute": order(func(doc []byte, err error) ([]byte, error) {
			return bytes.Replace(doc, []byte(" OrignDt="), []byte(" Lost="), 1), err
		}),
		"OrderTagOfBytes": order(func(doc []byte, err error) ([]byte, error) { // canonically the same
			return bytes.ReplaceAll(doc, []byte("></OrdQty>"), []byte("/>")), err
		}),
		"MissingIsUnavailable": order(func(doc []byte, err error) ([]byte, error) {
			if err != nil {
				err = &tpox.Unavailable{Cause: err}
			}
			return doc, err
		}),
		"SummaryDropsMovements": func(s tpox.Store) tpox.Store { return summaryChanged{s} },
		"SearchTakesPEMax":      func(s tpox.Store) tpox.Store { return searchChanged{s} },
		"OtherDetail":           func(s tpox.Store) tpox.Store { return conflictChanged{s} },
		"MatchIgnored":          func(s tpox.Store) tpox.Store { return matchIgnored{s} },
		"KeysIgnored":           func(s tpox.Store) tpox.Store { return keysIgnored{s} },
		"SellsMore":             func(s tpox.Store) tpox.Store { return sellsMore{s} },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			open := func(t testing.TB) twins {
				s := change(freshStore(t, tpox.Rules{}))
				return twins{one: fresh(t, Options{}), two: serverOf(t, s, Options{}), d: generator}
			}
			for seed := uint64(1); seed <= 10; seed++ {
				sequence, difference := compared(t, open, seed, perPair)
				if name == "Intact" {
					require.Empty(t, difference)
					return
				}
				if difference != "" {
					again := repeated(t, open, sequence)
					require.NotEmpty(t, again, "the same requests show it again: %s", difference)
					first, _, _ := strings.Cut(difference, "\n")
					t.Log(first)
					return
				}
			}
			t.Fatal("nothing was found")
		})
	}
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

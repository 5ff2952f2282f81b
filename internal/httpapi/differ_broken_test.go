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

	"brokerage/internal/brokerage"
	"brokerage/internal/dataset"
)

// broken is a store with some transactions in another way.
type broken struct {
	brokerage.Store
	order   func(doc []byte, err error) ([]byte, error)
	summary func(doc []byte) []byte
	search  func(q brokerage.Search) brokerage.Search
	insert  func(err error) error
	match   func(m brokerage.Match) brokerage.Match
	once    func(w brokerage.Write) brokerage.Write
	trade   func(t brokerage.Trade) brokerage.Trade
}

func (s broken) GetOrder(ctx context.Context, id brokerage.ID) ([]byte, error) {
	doc, err := s.Store.GetOrder(ctx, id)
	if s.order != nil {
		return s.order(doc, err)
	}
	return doc, err
}

func (s broken) AccountSummary(ctx context.Context, id brokerage.ID) ([]byte, error) {
	doc, err := s.Store.AccountSummary(ctx, id)
	if s.summary != nil && err == nil {
		doc = s.summary(doc)
	}
	return doc, err
}

func (s broken) SearchSecurities(ctx context.Context, q brokerage.Search) ([]byte, error) {
	if s.search != nil {
		q = s.search(q)
	}
	return s.Store.SearchSecurities(ctx, q)
}

func (s broken) InsertCustomer(
	ctx context.Context, w brokerage.Write, doc []byte, validate bool,
) (brokerage.ID, error) {
	id, err := s.Store.InsertCustomer(ctx, w, doc, validate)
	if s.insert != nil {
		err = s.insert(err)
	}
	return id, err
}

func (s broken) ReplaceSecurity(
	ctx context.Context, w brokerage.Write, symbol string, doc []byte, validate bool, m brokerage.Match,
) error {
	if s.match != nil {
		m = s.match(m)
	}
	return s.Store.ReplaceSecurity(ctx, w, symbol, doc, validate, m)
}

func (s broken) Trade(ctx context.Context, w brokerage.Write, account brokerage.ID, t brokerage.Trade) ([]byte, error) {
	if s.once != nil {
		w = s.once(w)
	}
	if s.trade != nil {
		t = s.trade(t)
	}
	return s.Store.Trade(ctx, w, account, t)
}

// Stores that are broken on purpose are found, each within the requests of CI, and one that is not broken passes.
func TestDiffer_Broken(t *testing.T) {
	for name, change := range map[string]broken{
		"Intact": {},
		"OrderLosesAttribute": {order: func(doc []byte, err error) ([]byte, error) {
			return bytes.Replace(doc, []byte(" OrignDt="), []byte(" Lost="), 1), err
		}},
		"OrderTagOfBytes": {order: func(doc []byte, err error) ([]byte, error) { // canonically the same
			return bytes.ReplaceAll(doc, []byte("></OrdQty>"), []byte("/>")), err
		}},
		"MissingIsUnavailable": {order: func(doc []byte, err error) ([]byte, error) {
			if err != nil {
				err = &brokerage.Unavailable{Cause: err}
			}
			return doc, err
		}},
		"SummaryDropsAttributes": {summary: func(doc []byte) []byte {
			return regexp.MustCompile(`<(Name|Symbol|Quantity|mValueDate) [^>]*>`).ReplaceAll(doc, []byte("<$1>"))
		}},
		"SearchTakesPEMax": {search: func(q brokerage.Search) brokerage.Search { q.PEMax++; return q }},
		"OtherDetail": {insert: func(err error) error {
			if conflict, ok := errors.AsType[*brokerage.Conflict](err); ok {
				return &brokerage.Conflict{Reason: conflict.Reason,
					Detail: strings.Replace(conflict.Detail, "account", "an account", 1)}
			}
			return err
		}},
		"MatchIgnored": {match: func(brokerage.Match) brokerage.Match { return nil }},
		"KeysIgnored":  {once: func(w brokerage.Write) brokerage.Write { w.Once = nil; return w }},
		"SellsMore": {trade: func(t brokerage.Trade) brokerage.Trade {
			if t.Quantity == "0.001" {
				t.Quantity = "0.002"
			}
			return t
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			open := func(t testing.TB) twins {
				s := change
				s.Store = freshStore(t, brokerage.Rules{})
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

// Documents that move from one store to another keep their ETags: a condition with the tag of the one holds at the
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
						message := `<f:FIXML xmlns:f="` + brokerage.FIXMLNS + `" v="4.4" r="20030618" s="20040109">` + exported.body +
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
				`<Price xmlns="`+brokerage.SecurityNS+`"><LastTrade>68.50</LastTrade></Price>`).StatusCode)
			require.Equal(t, 200, ask(from, "PUT", "/v1/orders/800000000003/status",
				`<OrderStatus xmlns="`+brokerage.FIXMLNS+`" Stat="4"/>`).StatusCode)
			move("after updates")
			from, to = to, from
		}
	}
}

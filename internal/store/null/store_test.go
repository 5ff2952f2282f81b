package null

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/dataset"
	"brokerage/internal/tpox"
	"brokerage/internal/xmldoc"
)

func opened(t testing.TB) *Store {
	t.Helper()
	s := Open()
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

// generator returns the dataset that the store claims to hold.
func generator(t testing.TB) *dataset.Dataset {
	t.Helper()
	scale, err := dataset.ParseScale("XXXS")
	require.NoError(t, err)
	return dataset.New(dataset.Spec{Scale: scale, Seed: 1})
}

// queries returns calls that return a document, with an argument that depends on n.
func queries(s *Store) map[string]func(context.Context, int64) ([]byte, error) {
	id := func(n int64) tpox.ID { return tpox.ID(n) }
	symbols := [...]string{dataset.Symbol(1), dataset.Symbol(2)}
	return map[string]func(context.Context, int64) ([]byte, error){
		"get_order": func(ctx context.Context, n int64) ([]byte, error) { return s.GetOrder(ctx, id(n)) },
		"get_security": func(ctx context.Context, n int64) ([]byte, error) {
			return s.GetSecurity(ctx, symbols[n%2])
		},
		"customer_profile": func(ctx context.Context, n int64) ([]byte, error) { return s.CustomerProfile(ctx, id(n)) },
		"search_securities": func(ctx context.Context, n int64) ([]byte, error) {
			return s.SearchSecurities(ctx, tpox.Search{PEMin: n})
		},
		"account_summary": func(ctx context.Context, n int64) ([]byte, error) { return s.AccountSummary(ctx, id(n)) },
		"get_security_price": func(ctx context.Context, n int64) ([]byte, error) {
			return s.SecurityPrice(ctx, symbols[n%2])
		},
		"customer_max_order": func(ctx context.Context, n int64) ([]byte, error) { return s.CustomerMaxOrder(ctx, id(n)) },
		"get_customer":       func(ctx context.Context, n int64) ([]byte, error) { return s.GetCustomer(ctx, id(n)) },
	}
}

func TestStore_Queries(t *testing.T) {
	s := opened(t)
	for name, query := range queries(s) {
		t.Run(name, func(t *testing.T) {
			answer, err := query(t.Context(), 1)
			require.NoError(t, err)
			_, err = xmldoc.Admit(answer, xmldoc.Limits{})
			require.NoError(t, err)
			require.Equal(t, len(answer), cap(answer), "an append would reach the bytes of others")
			other, err := query(t.Context(), 12345)
			require.NoError(t, err)
			require.Equal(t, string(answer), string(other))
		})
	}
	account, err := s.GetAccount(t.Context(), 5)
	require.NoError(t, err)
	customer, err := s.GetCustomer(t.Context(), account.Customer)
	require.NoError(t, err)
	keys, err := tpox.CustomerKeysOf(customer)
	require.NoError(t, err)
	require.Equal(t, keys.ID, account.Customer)
	id, err := tpox.AccountKeyOf(account.Document)
	require.NoError(t, err)
	require.Equal(t, keys.Accounts[0], id)
}

// Responses are about as large as with a real store.
func TestStore_Sizes(t *testing.T) {
	s, d := opened(t), generator(t)
	mean := func(kind dataset.Kind, answer func([]byte) []byte) (size float64) {
		const documents = 500
		for i := range int64(documents) {
			size += float64(len(answer(d.Append(nil, kind, 1000+i)))) / documents
		}
		return size
	}
	whole := func(doc []byte) []byte { return doc }
	largest := func(doc []byte) []byte { return tpox.MaxOrder(1002, doc) }
	for name, c := range map[string]struct {
		answer []byte
		want   float64
	}{
		"get_order":          {s.answers["get_order"], mean(dataset.Order, tpox.Order)},
		"customer_max_order": {s.answers["customer_max_order"], mean(dataset.Order, largest)},
		"get_customer":       {s.answers["get_customer"], mean(dataset.Customer, whole)},
		"customer_profile":   {s.answers["customer_profile"], mean(dataset.Customer, tpox.CustomerProfile)},
		"account_summary":    {s.answers["account_summary"], mean(dataset.Customer, tpox.AccountSummary)},
		"get_security":       {s.answers["get_security"], mean(dataset.Security, whole)},
		"get_security_price": {s.answers["get_security_price"], mean(dataset.Security, tpox.SecurityPrice)},
	} {
		t.Logf("%s: %d bytes, where the mean is %.0f", name, len(c.answer), c.want)
		require.InEpsilon(t, c.want, len(c.answer), 0.1, name)
	}
	require.NoError(t, tpox.ValidateCustomer(s.answers["get_customer"]))
	require.NoError(t, tpox.ValidateSecurity(s.answers["get_security"]))
	require.Contains(t, string(s.answers["search_securities"]), ` count="12">`)
	require.Contains(t, string(s.answers["customer_max_order"]), " ORDER_ID=")
}

// writes returns the calls that change something in a real store.
func writes(s *Store, d *dataset.Dataset) map[string]func(context.Context) error {
	w := tpox.Write{}
	order := d.AppendNewOrder(nil, 5, dataset.NewOrder{ID: 999})
	customer := d.AppendNewCustomer(nil, 5, dataset.NewCustomer{ID: 888, Accounts: []int64{777}})
	account := d.AppendNewAccount(nil, 5, dataset.NewAccount{ID: 666})
	is := func(want tpox.ID) func(tpox.ID, error) error {
		return func(got tpox.ID, err error) error {
			if err == nil && got != want {
				err = errors.New("the id is " + got.String())
			}
			return err
		}
	}
	given := func(answer []byte, err error) error {
		if err == nil {
			_, err = xmldoc.Admit(answer, xmldoc.Limits{})
		}
		return err
	}
	trade := func(ctx context.Context, side tpox.Side) error {
		return given(s.Trade(ctx, w, 5, tpox.Trade{Side: side, Symbol: "A", Quantity: "1"}))
	}
	return map[string]func(context.Context) error{
		"insert_order":        func(ctx context.Context) error { return is(999)(s.InsertOrder(ctx, w, order)) },
		"update_order_status": func(ctx context.Context) error { return given(s.UpdateOrderStatus(ctx, w, 5, "2")) },
		"delete_order":        func(ctx context.Context) error { return s.DeleteOrder(ctx, w, 5) },
		"insert_customer":     func(ctx context.Context) error { return is(888)(s.InsertCustomer(ctx, w, customer, true)) },
		"replace_customer": func(ctx context.Context) error {
			return s.ReplaceCustomer(ctx, w, 5, s.answers["get_customer"], true, nil)
		},
		"delete_customer": func(ctx context.Context) error { return s.DeleteCustomer(ctx, w, 5) },
		"open_account":    func(ctx context.Context) error { return is(666)(s.OpenAccount(ctx, w, 5, account)) },
		"close_account":   func(ctx context.Context) error { return s.CloseAccount(ctx, w, 5, 6) },
		"buy_security":    func(ctx context.Context) error { return trade(ctx, tpox.Buy) },
		"sell_security":   func(ctx context.Context) error { return trade(ctx, tpox.Sell) },
		"update_security_price": func(ctx context.Context) error {
			return given(s.UpdateSecurityPrice(ctx, w, "A", tpox.Price{LastTrade: "5"}))
		},
		"replace_security": func(ctx context.Context) error {
			return s.ReplaceSecurity(ctx, w, "A", s.answers["get_security"], true, nil)
		},
	}
}

func TestStore_Writes(t *testing.T) {
	s := opened(t)
	for _, tx := range tpox.Transactions {
		if tx.Kind != tpox.Query {
			require.Contains(t, writes(s, generator(t)), tx.Name)
		}
	}
	for name, write := range writes(s, generator(t)) {
		require.NoError(t, write(t.Context()), name)
	}
}

func TestStore_Cancelled(t *testing.T) {
	s := opened(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	calls := writes(s, generator(t))
	for name, query := range queries(s) {
		calls[name] = func(ctx context.Context) error { _, err := query(ctx, 1); return err }
	}
	calls["get_account"] = func(ctx context.Context) error { _, err := s.GetAccount(ctx, 1); return err }
	calls["contents"] = func(ctx context.Context) error { _, err := s.Contents(ctx); return err }
	calls["lease"] = func(ctx context.Context) error { _, err := s.Lease(ctx, "order", 1); return err }
	calls["ready"] = s.Ready
	for name, call := range calls {
		require.ErrorIs(t, call(ctx), context.Canceled, name)
	}
}

func TestStore_Refusals(t *testing.T) {
	s, ctx, w := opened(t), t.Context(), tpox.Write{}
	only := func(_ any, err error) error { return err }
	for name, call := range map[string]func([]byte) error{
		"InsertOrder":     func(doc []byte) error { return only(s.InsertOrder(ctx, w, doc)) },
		"InsertCustomer":  func(doc []byte) error { return only(s.InsertCustomer(ctx, w, doc, false)) },
		"OpenAccount":     func(doc []byte) error { return only(s.OpenAccount(ctx, w, 5, doc)) },
		"ReplaceCustomer": func(doc []byte) error { return s.ReplaceCustomer(ctx, w, 5, doc, false, nil) },
		"ReplaceSecurity": func(doc []byte) error { return s.ReplaceSecurity(ctx, w, "A", doc, false, nil) },
	} {
		for _, doc := range []string{
			`<a></a>`,
			`<FIXML xmlns="` + tpox.FIXMLNS + `"><Order ID="x" Acct="1"></Order></FIXML>`,
			`<Customer xmlns="` + tpox.CustAccNS + `" id="01"></Customer>`,
			`<Account xmlns="` + tpox.CustAccNS + `"></Account>`,
			`<Security xmlns="` + tpox.SecurityNS + `"><Symbol>A B</Symbol></Security>`,
		} {
			requireInvalid(t, call([]byte(doc)), name+" "+doc)
		}
	}
	requireInvalid(t, only(s.Trade(ctx, w, 5, tpox.Trade{Side: tpox.Buy, Symbol: "A", Quantity: "-1"})), "Trade")
	s.quote.LastTrade = "4.99"
	requireInvalid(t, only(s.Trade(ctx, w, 5, tpox.Trade{Side: tpox.Buy, Symbol: "A", Quantity: "0.001"})), "Trade")
	requireInvalid(t, only(s.UpdateSecurityPrice(ctx, w, "A", tpox.Price{LastTrade: "dear"})), "UpdateSecurityPrice")
}

func requireInvalid(t testing.TB, err error, what string) {
	t.Helper()
	require.True(t, tpox.Is[*tpox.Invalid](err), "%s: %v", what, err)
}

func TestStore_Lease(t *testing.T) {
	s, d := opened(t), generator(t)
	for kind, first := range map[string]int64{
		"order": d.ID(dataset.Order, 50_000), "customer": d.ID(dataset.Customer, 5000), "account": d.FirstAccount(5000),
	} {
		r, err := s.Lease(t.Context(), kind, 3)
		require.NoError(t, err)
		require.Equal(t, tpox.Range{First: tpox.ID(first), Count: 3}, r)
	}
	var group sync.WaitGroup
	var taken sync.Map
	for range 8 {
		group.Go(func() {
			for range 100 {
				r, err := s.Lease(t.Context(), "order", 5)
				_, twice := taken.LoadOrStore(r.First, true)
				if err != nil || twice || (int64(r.First)-d.ID(dataset.Order, 50_000)-3)%5 != 0 {
					t.Errorf("lease %+v, twice %v, %v", r, twice, err)
				}
			}
		})
	}
	group.Wait()
	for _, count := range []int64{0, -1, 10_000_001} {
		_, err := s.Lease(t.Context(), "order", count)
		requireInvalid(t, err, "count")
	}
	_, err := s.Lease(t.Context(), "security", 1)
	require.True(t, tpox.Is[*tpox.NotFound](err), "%v", err)
}

func TestStore_Ready(t *testing.T) {
	s := Open()
	require.NoError(t, s.Ready(t.Context()))
	require.NoError(t, s.Close())
	require.True(t, tpox.Is[*tpox.Unavailable](s.Ready(t.Context())))
}

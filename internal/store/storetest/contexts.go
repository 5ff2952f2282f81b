package storetest

import (
	"context"
	"errors"

	"brokerage/internal/brokerage"
	"brokerage/internal/dataset"
)

var contextCases = []testCase{
	{name: "Context/Cancelled", run: func(e *env) {
		ctx, cancel := context.WithCancel(e.Context())
		cancel()
		customer, accounts, doc := e.insertCustomer(2)
		symbol, replaced := e.listed()
		opened, account := e.newAccount(1)
		order, o := e.newOrder(accounts[0], "5")
		stored := brokerage.ID(e.d.ID(dataset.Order, 1))
		_, _, fresh := e.newCustomer(1)
		freshID := brokerage.ID(idOf(e.tree([]byte(fresh)).attrs["id"]))
		only := func(_ any, err error) error { return err }
		for name, call := range map[string]func() error{
			"GetOrder":         func() error { return only(e.s.GetOrder(ctx, stored)) },
			"GetCustomer":      func() error { return only(e.s.GetCustomer(ctx, customer)) },
			"GetSecurity":      func() error { return only(e.s.GetSecurity(ctx, symbol)) },
			"SecurityPrice":    func() error { return only(e.s.SecurityPrice(ctx, symbol)) },
			"CustomerProfile":  func() error { return only(e.s.CustomerProfile(ctx, customer)) },
			"AccountSummary":   func() error { return only(e.s.AccountSummary(ctx, customer)) },
			"CustomerMaxOrder": func() error { return only(e.s.CustomerMaxOrder(ctx, customer)) },
			"CustomerOf":       func() error { return only(e.s.CustomerOf(ctx, accounts[0])) },
			"SearchSecurities": func() error {
				return only(e.s.SearchSecurities(ctx, brokerage.Search{Sector: e.sectors()[0], PEMax: 1e12}))
			},
			"InsertOrder":       func() error { return only(e.s.InsertOrder(ctx, plain(), []byte(o))) },
			"UpdateOrderStatus": func() error { return only(e.s.UpdateOrderStatus(ctx, plain(), stored, "4")) },
			"DeleteOrder":       func() error { return e.s.DeleteOrder(ctx, plain(), stored) },
			"InsertCustomer":    func() error { return only(e.s.InsertCustomer(ctx, plain(), []byte(fresh), true)) },
			"ReplaceCustomer": func() error {
				return e.s.ReplaceCustomer(ctx, plain(), customer, []byte(e.put(doc, "LastName", "X")), true, nil)
			},
			"DeleteCustomer": func() error { return e.s.DeleteCustomer(ctx, plain(), customer) },
			"OpenAccount":    func() error { return only(e.s.OpenAccount(ctx, plain(), customer, []byte(account))) },
			"CloseAccount":   func() error { return e.s.CloseAccount(ctx, plain(), customer, accounts[0]) },
			"Trade": func() error {
				return only(e.s.Trade(ctx, plain(), accounts[0], brokerage.Trade{Side: brokerage.Buy, Symbol: symbol, Quantity: "1", Now: now}))
			},
			"TradeOnce": func() error {
				return only(e.s.Trade(ctx, once("key", "x"), accounts[0], brokerage.Trade{Side: brokerage.Buy, Symbol: symbol, Quantity: "1", Now: now}))
			},
			"UpdateSecurityPrice": func() error {
				return only(e.s.UpdateSecurityPrice(ctx, plain(), symbol, brokerage.Price{LastTrade: "1"}))
			},
			"ReplaceSecurity": func() error {
				return e.s.ReplaceSecurity(ctx, plain(), symbol, []byte(e.put(replaced, "PE", "7")), true, nil)
			},
			"Lease": func() error { return only(e.s.Lease(ctx, "order", 1)) },
		} {
			e.unchanged(watch{
				orders: []brokerage.ID{stored, order}, customers: []brokerage.ID{customer, freshID},
				accounts: append(accounts, opened), symbols: []string{symbol},
			}, func() {
				for range 4 { // a store that chooses by lot must lose every time
					if err := call(); !errors.Is(err, context.Canceled) {
						e.Fatalf("%s with a cancelled context: %v (%T), want context.Canceled", name, err, err)
					}
				}
			})
		}
	}},
}

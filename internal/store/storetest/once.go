package storetest

import (
	"errors"
	"sync"
	"time"

	"brokerage/internal/brokerage"
	"brokerage/internal/dataset"
)

var onceCases = []testCase{
	// Each write, done twice with one key: the second gets the first's answer, even
	// where it would be refused by now, and changes nothing.
	{name: "Once/DoneOnce", run: func(e *env) {
		ctx := e.Context()
		customer, accounts, doc := e.newCustomer(2)
		opened, account := e.newAccount(1)
		orderID, order := e.newOrder(accounts[0], "5")
		statusID := brokerage.ID(e.d.ID(dataset.Order, 1))
		symbol, replaced := e.listed()
		id := func(n brokerage.ID, err error) (string, error) { return n.String(), err }
		text := func(b []byte, err error) (string, error) { return string(b), err }
		none := func(err error) (string, error) { return "", err }
		all := watch{
			orders: []brokerage.ID{orderID, statusID}, customers: []brokerage.ID{customer}, accounts: append(accounts, opened),
			symbols: []string{symbol},
		}
		for _, step := range []struct {
			name string
			do   func(brokerage.Write) (string, error)
		}{
			{"InsertCustomer", func(w brokerage.Write) (string, error) { return id(e.s.InsertCustomer(ctx, w, []byte(doc), true)) }},
			{"InsertOrder", func(w brokerage.Write) (string, error) { return id(e.s.InsertOrder(ctx, w, []byte(order))) }},
			{"UpdateOrderStatus", func(w brokerage.Write) (string, error) { return text(e.s.UpdateOrderStatus(ctx, w, statusID, "4")) }},
			{"OpenAccount", func(w brokerage.Write) (string, error) { return id(e.s.OpenAccount(ctx, w, customer, []byte(account))) }},
			{"Buy", func(w brokerage.Write) (string, error) { return text(e.buy(w, accounts[0], symbol, "5")) }},
			{"Sell", func(w brokerage.Write) (string, error) {
				return text(e.s.Trade(ctx, w, accounts[0], brokerage.Trade{Side: brokerage.Sell, Symbol: symbol, Quantity: "5", Now: w.Now}))
			}},
			{"CloseAccount", func(w brokerage.Write) (string, error) { return none(e.s.CloseAccount(ctx, w, customer, opened)) }},
			{"UpdateSecurityPrice", func(w brokerage.Write) (string, error) {
				return text(e.s.UpdateSecurityPrice(ctx, w, symbol, brokerage.Price{LastTrade: "5.5"}))
			}},
			{"ReplaceSecurity", func(w brokerage.Write) (string, error) {
				return none(e.s.ReplaceSecurity(ctx, w, symbol, []byte(replaced), true, nil))
			}},
			{"ReplaceCustomer", func(w brokerage.Write) (string, error) {
				return none(e.s.ReplaceCustomer(ctx, w, customer, []byte(doc), true, nil))
			}},
			{"DeleteOrder", func(w brokerage.Write) (string, error) { return none(e.s.DeleteOrder(ctx, w, orderID)) }},
			{"DeleteCustomer", func(w brokerage.Write) (string, error) { return none(e.s.DeleteCustomer(ctx, w, customer)) }},
		} {
			first, err := step.do(once(step.name, "request"))
			e.must(err)
			e.unchanged(all, func() {
				for range 2 {
					w := once(step.name, "request")
					w.Now = w.Now.Add(time.Minute)
					again, err := step.do(w)
					e.must(err)
					e.equal("the second answer of "+step.name, first, again)
				}
				_, err := step.do(once(step.name, "another request"))
				reused := refusal[*brokerage.KeyReused](e, err)
				e.equal("the key", step.name, reused.Key)
			})
		}
	}},
	{name: "Once/OtherRequest", run: func(e *env) {
		symbol := e.held(0)
		_, err := e.buy(once("key", "a"), e.accountID(0), symbol, "1")
		e.must(err)
		e.unchanged(watch{customers: []brokerage.ID{e.customerID(0)}}, func() {
			_, err := e.buy(once("key", "b"), e.accountID(0), symbol, "2")
			refused[*brokerage.KeyReused](e, err)
			// Another kind of request, too.
			refused[*brokerage.KeyReused](e, e.s.DeleteCustomer(e.Context(), once("key", "c"), e.customerID(0)))
		})
	}},
	{name: "Once/RefusalsNotKept", run: func(e *env) {
		id, order := e.newOrder(1, "5")
		e.notFound(e.s.DeleteOrder(e.Context(), once("key", "delete"), id), "order")
		e.notFound(e.s.DeleteOrder(e.Context(), once("key", "delete"), id), "order")
		e.insertOrder(order)
		e.must(e.s.DeleteOrder(e.Context(), once("key", "delete"), id)) // the same key, done now
		e.must(e.s.DeleteOrder(e.Context(), once("key", "delete"), id)) // and kept
		// A refusal does not bind its key to a request.
		_, err := e.buy(once("free", "sell"), e.id(), e.held(0), "1")
		e.notFound(err, "account")
		_, err = e.buy(once("free", "buy"), e.accountID(0), e.held(0), "1")
		e.must(err)
	}},
	{name: "Once/Expired", run: func(e *env) {
		buy := func(w brokerage.Write) string { return e.raw(e.buy(w, e.accountID(0), e.held(0), "1")) }
		w := once("key", "request")
		first := buy(w)
		w.Now = w.Once.Expires.Add(-time.Second)
		e.equal("the answer before it expires", first, buy(w))
		w.Now = w.Once.Expires.Add(time.Second)
		later := *w.Once
		later.Expires = w.Now.Add(time.Hour)
		w.Once = &later
		second := buy(w)
		if second == first {
			e.Fatalf("an expired key was answered from what was kept")
		}
		e.equal("the answer that is kept then", second, buy(w))
		// Expired, it is free for another request.
		w.Now = w.Now.Add(2 * time.Hour)
		other := *once("key", "another").Once
		other.Expires = w.Now.Add(time.Hour)
		w.Once = &other
		buy(w)
	}},
	{name: "Once/OtherClient", run: func(e *env) {
		var answers []string
		for _, client := range []string{"a", "b", "A", ""} {
			w := once("key", client)
			w.Once.Client = client
			answers = append(answers, e.raw(e.buy(w, e.accountID(0), e.held(0), "1")))
		}
		for i := range answers[1:] {
			if answers[i] == answers[i+1] {
				e.Fatalf("clients share a key")
			}
		}
	}},
	{name: "Once/AtOnce", run: func(e *env) {
		id, account := e.rich("0.00", "0.00", e.d.Symbol(0), "1")
		var mu sync.Mutex
		answers := map[string]int{}
		e.together(16, func(int) error {
			answer, err := e.buy(once("key", "request"), account, e.d.Symbol(0), "1")
			var conflict *brokerage.Conflict
			if errors.As(err, &conflict) && conflict.Reason == brokerage.KeyInUse {
				return nil
			}
			mu.Lock()
			defer mu.Unlock()
			answers[string(answer)]++
			return err
		})
		e.equal("different answers", 1, len(answers))
		e.equal("the position", "2.000", refAccount(e.customer(id), account).child("Holdings", "Position", "Quantity").text())
	}},
	{name: "Once/Durable", run: func(e *env) {
		first := e.raw(e.buy(once("key", "request"), e.accountID(0), e.held(0), "1"))
		e.reopened()
		e.equal("the answer", first, e.raw(e.buy(once("key", "request"), e.accountID(0), e.held(0), "1")))
	}},
}

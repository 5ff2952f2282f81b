package storetest

import (
	"sync"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/tpox"
)

var onceCases = []testCase{
	// Each write is repeated with its key: later calls get the answer of the first, even if they would be refused by now,
	// and change nothing.
	{name: "Once/DoneOnce", run: func(e *env) {
		for _, t := range all() {
			key, c := t.cases[0].name, t.call(e)
			if !c.writes {
				continue
			}
			first, err := c.do(e.Context(), once(key, "request"))
			e.must(err)
			e.unchanged(c.uses, func() {
				for range 2 {
					w := once(key, "request")
					w.Now = w.Now.Add(time.Minute)
					again, err := c.do(e.Context(), w)
					e.must(err)
					e.equal("the second answer of "+key, first, again)
				}
				_, err := c.do(e.Context(), once(key, "another request"))
				e.equal("the key", key, refused[*tpox.KeyReused](e, err).Key)
			})
		}
	}},
	{name: "Once/RefusalsNotKept", run: func(e *env) {
		id, order := e.newOrder(1, "5")
		e.notFound(e.s.DeleteOrder(e.Context(), once("key", "delete"), id), "order")
		e.notFound(e.s.DeleteOrder(e.Context(), once("key", "delete"), id), "order")
		e.insertOrder(order)
		e.must(e.s.DeleteOrder(e.Context(), once("key", "delete"), id)) // the same key, and now it succeeds
		e.must(e.s.DeleteOrder(e.Context(), once("key", "delete"), id)) // with the kept answer
		// A refused request leaves its key free for another request.
		e.notFound(errOf(e.buy(once("free", "sell"), e.id(), e.held(0))), "account")
		e.must(errOf(e.buy(once("free", "buy"), e.accountID(0), e.held(0))))
	}},
	{name: "Once/Expired", run: func(e *env) {
		buy := func(w tpox.Write) string { return e.raw(e.buy(w, e.accountID(0), e.held(0))) }
		w := once("key", "request")
		first := buy(w)
		w.Now = w.Once.Expires.Add(-time.Second)
		e.equal("the answer before it expires", first, buy(w))
		after := func(w tpox.Write, request string) tpox.Write {
			later := once("key", request)
			later.Now = w.Once.Expires.Add(time.Second)
			later.Once.Expires = later.Now.Add(time.Hour)
			return later
		}
		w = after(w, "request")
		second := buy(w)
		require.NotEqual(e, first, second, "an expired key was answered from what was kept")
		e.equal("the answer that is kept then", second, buy(w))
		buy(after(w, "another request"))
	}},
	{name: "Once/OtherClient", run: func(e *env) {
		var answers []string
		for _, client := range []string{"a", "b", "A", ""} {
			w := once("key", client)
			w.Once.Client = client
			answers = append(answers, e.raw(e.buy(w, e.accountID(0), e.held(0))))
		}
		for i := range answers[1:] {
			require.NotEqual(e, answers[i], answers[i+1], "clients share a key")
		}
	}},
	{name: "Once/AtOnce", run: func(e *env) {
		id, account := e.rich("0.00", "0.00", e.d.Symbol(0), "1")
		var mu sync.Mutex
		answers := map[string]int{}
		e.together(16, func(int) error {
			answer, err := e.buy(once("key", "request"), account, e.d.Symbol(0))
			if conflictBy(tpox.KeyInUse)(err) {
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
		first := e.raw(e.buy(once("key", "request"), e.accountID(0), e.held(0)))
		e.reopened()
		e.equal("the answer", first, e.raw(e.buy(once("key", "request"), e.accountID(0), e.held(0))))
	}},
}

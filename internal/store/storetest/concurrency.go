package storetest

import (
	"cmp"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"sync"
	"sync/atomic"

	"brokerage/internal/dataset"
	"brokerage/internal/tpox"
)

var concurrencyCases = []testCase{
	// No share and no cent is lost.
	{name: "Concurrency/Trades", run: func(e *env) {
		symbol := e.d.Symbol(0)
		e.setPrice(symbol, tpox.Price{LastTrade: "3.07"})
		id, accounts, doc := e.newCustomer(3)
		e.insert(doc, true)
		id2, account2 := e.rich("0.00", "0.00", symbol, "1000")
		owners := ids{id, id, id, id2}
		accounts = append(accounts, account2)
		for i, a := range accounts { // enough to sell from
			e.trade(owners[i], a, tpox.Buy, symbol, "1000")
		}
		before := []*element{e.customer(id), e.customer(id2)}

		const traders, each = 32, 8
		var bought [4]atomic.Int64
		e.together(traders, func(i int) error {
			for n := range each {
				at, change := (i+n)%4, int64(1+i%5)
				t := buying(symbol, fmt.Sprint(change))
				if (i+n)%3 == 0 {
					t.Side, change = tpox.Sell, -change
				}
				if _, err := e.s.Trade(e.Context(), plain(), accounts[at], t); err != nil {
					return err
				}
				bought[at].Add(change)
			}
			return nil
		})
		for at, account := range accounts {
			total := bought[at].Load()
			was, is := refAccount(before[at/3], account), refAccount(e.customer(owners[at]), account)
			for _, name := range []string{"OnlineActualBal", "WorkingBalance"} {
				want := new(big.Rat).Sub(decimal(was.child("Balance", name).text()), big.NewRat(307*total, 100))
				e.equal(name, fixed(want, 2), is.child("Balance", name).text())
			}
			want := new(big.Rat).Add(heldOf(was, symbol), new(big.Rat).SetInt64(total))
			e.equal("shares", fixed(want, 3), fixed(heldOf(is, symbol), 3))
		}
	}},
	// A reader sees the state before a trade or after it: money and shares together always have the same value.
	{name: "Concurrency/Readers", run: func(e *env) {
		symbol := e.d.Symbol(0)
		e.setPrice(symbol, tpox.Price{LastTrade: "2.50"})
		id, account := e.rich("1000.00", "500.00", symbol, "1000")
		worth := func() (string, error) {
			doc, err := e.s.GetCustomer(e.Context(), id)
			if err != nil {
				return "", err
			}
			tree, err := parse(doc)
			if err != nil {
				return "", err
			}
			a := refAccount(tree, account)
			shares := new(big.Rat).Mul(heldOf(a, symbol), big.NewRat(250, 100))
			with := func(balance string) string {
				return fixed(new(big.Rat).Add(decimal(a.child("Balance", balance).text()), shares), 3)
			}
			return with("OnlineActualBal") + " and " + with("WorkingBalance"), nil
		}
		want, err := worth()
		e.must(err)
		var done atomic.Bool
		e.together(8, func(i int) error {
			if i == 0 {
				defer done.Store(true)
				for range 30 {
					for _, t := range []tpox.Trade{buying(symbol, "3"), selling(symbol, "3")} {
						if _, err := e.s.Trade(e.Context(), plain(), account, t); err != nil {
							return err
						}
					}
				}
				return nil
			}
			for !done.Load() {
				if got, err := worth(); err != nil {
					return err
				} else if got != want {
					return fmt.Errorf("a reader saw %s, not %s: half a trade", got, want)
				}
			}
			return nil
		})
	}},
	{name: "Concurrency/OneOrder", run: func(e *env) {
		id := e.id()
		doc := func(i int) []byte { return []byte(orderXML(id, tpox.ID(i+1), "")) }
		winner := e.oneWins(64, conflictBy(tpox.OrderExists), func(i int) error {
			return errOf(e.s.InsertOrder(e.Context(), plain(), doc(i)))
		})
		e.same("the order", e.tree(doc(winner)).child("Order"), e.order(id))
	}},
	{name: "Concurrency/OneAccount", run: func(e *env) {
		id, account := e.newAccount(1)
		n := min(len(e.customers), 64)
		winner := e.oneWins(n, conflictBy(tpox.AccountExists), func(i int) error {
			return errOf(e.s.OpenAccount(e.Context(), plain(), e.customerID(int64(i)), []byte(account)))
		})
		e.belongs(id, e.customerID(int64(winner)))
		for k := range n {
			e.equal("whether the customer has it", k == winner, refAccount(e.customer(e.customerID(int64(k))), id) != nil)
		}
	}},
	{name: "Concurrency/OneCustomer", run: func(e *env) {
		id, accounts, _ := e.newCustomer(2)
		doc := func(i int) []byte {
			return e.d.AppendNewCustomer(nil, int64(i), dataset.NewCustomer{
				ID: int64(id), Accounts: []int64{int64(accounts[0]), int64(accounts[1])},
			})
		}
		winner := e.oneWins(16, conflictBy(tpox.CustomerExists), func(i int) error {
			return errOf(e.s.InsertCustomer(e.Context(), plain(), doc(i), true))
		})
		e.same("the customer", e.tree(doc(winner)), e.customer(id))
	}},
	{name: "Concurrency/OneDelete", run: func(e *env) {
		id := tpox.ID(e.d.ID(dataset.Order, 9))
		e.oneWins(16, tpox.Is[*tpox.NotFound], func(int) error { return e.s.DeleteOrder(e.Context(), plain(), id) })
	}},
	// Inserts, reads and deletes of one order at once.
	{name: "Concurrency/OrderComesAndGoes", run: func(e *env) {
		customer, accounts, _ := e.insertCustomer(3)
		id := e.id()
		const clients, rounds = 64, 3
		for existed, round := false, 0; round < rounds; round++ {
			var h history
			e.together(clients, func(i int) error {
				doc := orderXML(id, accounts[i/3%3], fmt.Sprintf(`<OrdQty Cash="%d"></OrdQty>`, i))
				calls := [3]func() error{
					func() error {
						return h.record(step{name: fmt.Sprint(i), after: true}, conflictBy(tpox.OrderExists), func() error {
							return errOf(e.s.InsertOrder(e.Context(), plain(), []byte(doc)))
						})
					},
					func() error {
						return h.record(step{name: "read", before: true, after: true}, tpox.Is[*tpox.NotFound], func() error {
							return errOf(e.s.GetOrder(e.Context(), id))
						})
					},
					func() error {
						return h.record(step{name: "delete", before: true}, tpox.Is[*tpox.NotFound], func() error {
							return e.s.DeleteOrder(e.Context(), plain(), id)
						})
					},
				}
				return errors.Join(calls[i%3](), calls[(i+1)%3](), calls[(i+2)%3]())
			})
			existed = e.explained(&h, existed, customer, id)
		}
	}},
	// A customer's three accounts, closed at once: one stays.
	{name: "Concurrency/LastAccount", run: func(e *env) {
		for range 5 {
			id, accounts, _ := e.insertCustomer(3)
			var refusals atomic.Int64
			e.together(3, func(i int) error {
				err := e.s.CloseAccount(e.Context(), plain(), id, accounts[i])
				if conflictBy(tpox.LastAccount)(err) {
					refusals.Add(1)
					return nil
				}
				return err
			})
			e.equal("refusals", int64(1), refusals.Load())
			e.equal("accounts", 1, len(e.customer(id).child("Accounts").children("Account")))
		}
	}},
	// A request that is refused while others write is refused for its own reason and changes nothing, and does not affect
	// the others. A store that checks accounts as it writes them refuses the replacement only after it has changed other
	// accounts.
	{name: "Concurrency/Refusals", run: func(e *env) {
		id, account := e.rich("0.00", "0.00", e.d.Symbol(0), "100")
		taken, takenAccounts, doc := e.newCustomer(2)
		e.insert(doc, true)
		foreign := e.edit(doc, fmt.Sprintf(`<Account id="%d"`, takenAccounts[1]), fmt.Sprintf(`<Account id="%d"`, account))
		const rounds, each = 4, 40
		var orders []tpox.ID
		docs := make([]string, rounds*each)
		for i := range docs {
			var order tpox.ID
			order, docs[i] = e.newOrder(account, "5")
			if i%4 == 0 {
				orders = append(orders, order)
			}
		}
		left := watch{customers: ids{taken}, accounts: takenAccounts}
		e.unchanged(left, func() {
			for round := range rounds {
				e.together(each, func(i int) error {
					switch i % 4 {
					case 0:
						return errOf(e.s.InsertOrder(e.Context(), plain(), []byte(docs[round*each+i])))
					case 1:
						return errOf(e.buy(plain(), account, e.d.Symbol(0)))
					case 2:
						err := e.s.ReplaceCustomer(e.Context(), plain(), taken, []byte(foreign), true, nil)
						return requireConflict(err, tpox.AccountExists)
					default:
						_, err := e.s.Trade(e.Context(), plain(), account, selling(e.d.Symbol(1), "1"))
						return requireConflict(err, tpox.NotHeld)
					}
				})
			}
		})
		e.equal("the position", fmt.Sprintf("%d.000", 100+rounds*each/4),
			refAccount(e.customer(id), account).child("Holdings", "Position", "Quantity").text())
		e.belongs(account, id)
		for _, order := range orders {
			e.order(order)
		}
	}},
}

// explained requires that the answers to calls on an order agree with each other and with what is stored in the end. It
// returns whether the order exists. Inserts are named by the cash of their order.
func (e *env) explained(h *history, existed bool, customer, id tpox.ID) (exists bool) {
	doc, err := e.s.GetOrder(e.Context(), id)
	if exists = err == nil; !exists {
		e.notFound(err, "order")
	}
	e.must(h.explain(existed, exists))
	if !exists {
		e.largestIs(customer, 0)
		return false
	}
	inserts := slices.DeleteFunc(h.steps, func(s step) bool { return s.before || !s.after })
	stored := e.tree(doc)
	at := slices.IndexFunc(inserts, func(s step) bool { return s.name == cashOf(stored) })
	if at < 0 || slices.ContainsFunc(inserts, func(s step) bool { return s.began > inserts[at].ended }) {
		e.Fatalf("what is stored is not the last of the orders that were inserted: %v", stored)
	}
	e.same("the largest order", stored, e.got(e.s.CustomerMaxOrder(e.Context(), customer)).child("Order"))
	return true
}

// conflictBy returns a function that reports whether an error is a conflict with the given reason.
func conflictBy(reason tpox.Reason) func(error) bool {
	return func(err error) bool {
		conflict, ok := errors.AsType[*tpox.Conflict](err)
		return ok && conflict.Reason == reason
	}
}

// requireConflict returns an error unless err is a conflict with the given reason.
func requireConflict(err error, reason tpox.Reason) error {
	if conflictBy(reason)(err) {
		return nil
	}
	return fmt.Errorf("want a conflict by %s, got %w", reason, cmp.Or(err, errors.New("none")))
}

// Together runs f n times at once and returns the errors.
func Together(n int, f func(i int) error) error {
	errs := make([]error, n)
	start := make(chan struct{})
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() { <-start; errs[i] = f(i) })
	}
	close(start)
	all.Wait()
	return errors.Join(errs...)
}

func (e *env) together(n int, f func(i int) error) { e.must(Together(n, f)) }

func heldOf(account *element, symbol string) *big.Rat {
	for _, p := range account.child("Holdings").children("Position") {
		if p.child("Symbol").text() == symbol {
			return decimal(p.child("Quantity").text())
		}
	}
	return new(big.Rat)
}

// oneWins runs f n times at once: one must succeed, and the others must be refused. It returns which one succeeded.
func (e *env) oneWins(n int, refused func(error) bool, f func(i int) error) (winner int) {
	var won, which atomic.Int64
	e.together(n, func(i int) error {
		err := f(i)
		if refused(err) {
			return nil
		}
		won.Add(1)
		which.Store(int64(i))
		return err
	})
	e.equal("winners", int64(1), won.Load())
	return int(which.Load())
}

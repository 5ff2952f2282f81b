package storetest

import (
	"fmt"
	"sync"

	"brokerage/internal/brokerage"
	"brokerage/internal/dataset"
)

var leaseCases = []testCase{
	{name: "Lease/Disjoint", run: leaseDisjoint},
	{name: "Lease/Fresh", run: leaseFresh},
	{name: "Lease/Durable", run: leaseDurable},
	{name: "Lease/Refused", run: leaseRefused},
	{name: "Contents/Loaded", run: contentsLoaded},
	{name: "Describe", run: describes},
	{name: "Durable/Writes", run: durableWrites},
}

var leaseKinds = []string{"order", "customer", "account"}

func leaseDisjoint(e *env) {
	for _, kind := range leaseKinds {
		var mu sync.Mutex
		owner := map[brokerage.ID]int{}
		e.together(16, func(i int) error {
			for n := range int64(4) {
				r, err := e.s.Lease(e.Context(), kind, 1+n*3)
				if err != nil {
					return err
				}
				if r.Count != 1+n*3 {
					return fmt.Errorf("a lease of %d has %d", 1+n*3, r.Count)
				}
				mu.Lock()
				for id := r.First; id < r.First+brokerage.ID(r.Count); id++ {
					if other, taken := owner[id]; taken {
						err = fmt.Errorf("%s %d was leased twice, by %d and %d", kind, id, other, i)
					}
					owner[id] = i
				}
				mu.Unlock()
				if err != nil {
					return err
				}
			}
			return nil
		})
	}
}

func leaseFresh(e *env) {
	first := map[string]int64{
		"order": e.d.ID(dataset.Order, e.d.Count(dataset.Order)), "customer": e.d.ID(dataset.Customer, e.d.Count(dataset.Customer)),
		"account": e.d.FirstAccount(e.d.Count(dataset.Customer)),
	}
	for _, kind := range leaseKinds {
		r, err := e.s.Lease(e.Context(), kind, 100000)
		e.must(err)
		if int64(r.First) < first[kind] {
			e.Fatalf("the lease of %s begins at %d, within the dataset (to %d)", kind, r.First, first[kind])
		}
	}
}

func leaseDurable(e *env) {
	for _, kind := range leaseKinds {
		before, err := e.s.Lease(e.Context(), kind, 1000)
		e.must(err)
		e.reopened()
		after, err := e.s.Lease(e.Context(), kind, 1000)
		e.must(err)
		if after.First < before.First+1000 {
			e.Fatalf("%s: %+v was leased, and %+v after the store was opened again", kind, before, after)
		}
	}
}

func leaseRefused(e *env) {
	for _, count := range []int64{0, -1, -1 << 63, 1 << 62} {
		_, err := e.s.Lease(e.Context(), "order", count)
		e.invalid(err)
	}
	for _, kind := range []string{"", "security", "orders", "Order"} {
		_, err := e.s.Lease(e.Context(), kind, 1)
		refused[*brokerage.NotFound](e, err)
	}
}

func contentsLoaded(e *env) {
	got, err := e.s.Contents(e.Context())
	e.must(err)
	e.equal("the contents", brokerage.Contents{
		Fingerprint: e.d.Fingerprint(), Scale: e.d.Spec().Scale.String(), Profile: e.d.Spec().Profile.String(), Seed: e.d.Spec().Seed,
		Securities: e.d.Count(dataset.Security), Customers: e.d.Count(dataset.Customer), Orders: e.d.Count(dataset.Order),
	}, got)
	e.must(e.s.Ready(e.Context()))
}

// Figures are compared by what the store says of its durability. (A server for
// tests may be set to promise less.)
func describes(e *env) {
	is := e.s.Describe()
	if is.Durability != brokerage.Durable && is.Durability != brokerage.NotDurable || is.Name == "" || is.Version == "" || len(is.Settings) == 0 {
		e.Errorf("the engine is %+v", is)
	}
}

func durableWrites(e *env) {
	id, accounts, _ := e.insertCustomer(2)
	order, doc := e.newOrder(accounts[0], "5")
	e.insertOrder(doc)
	e.trade(id, accounts[0], brokerage.Buy, e.held(0), "5")
	e.must(e.s.CloseAccount(e.Context(), plain(), id, accounts[1]))
	e.must(e.s.DeleteCustomer(e.Context(), plain(), e.customerID(3)))
	e.setPrice(e.held(0), brokerage.Price{LastTrade: "7.77"})
	w := watch{
		orders: []brokerage.ID{order}, customers: []brokerage.ID{id, e.customerID(3)},
		accounts: append(accounts, e.accountID(3)), symbols: []string{e.held(0)},
	}
	e.unchanged(w, e.reopened)
}

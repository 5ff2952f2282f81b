package workload

import (
	"context"
	"slices"
	"sync"
	"time"

	"brokerage/internal/tpox"
)

// A Transaction is one transaction that a mix can contain, with all that a load generator needs to run it.
type Transaction struct {
	*tpox.Transaction

	Expected []tpox.Reason // refusals that are part of the workload
	Source   *Transaction  // makes what this one removes; nil for none
	Replaces bool          // a PUT of the document that was read follows: both are one transaction

	// draw fills the user's call. It returns false when there is nothing to call: the user has nothing of its own left
	// to remove, or no ids can be leased.
	draw    func(u *User, c *Call) bool
	request request
	execute execute // the same call on a store
	// key is a text near the beginning of each correct answer, location the end of the Location header of a 201 response;
	// both are templates for Call.fill. key is empty if answers have no body, location if nothing is created.
	key, location string
	keep          func(u *User, c *Call) // remembers what a successful call has made, for the user to remove it later

	// Of a transaction of a workload file, instead of request and execute.
	values     []*Value
	statements map[string][]Statement // by scheme of the engine
}

type execute func(ctx context.Context, s tpox.Store, c *Call) (answer []byte, err error)

// byName has the transactions of the scenario; the file of each adds it.
var byName = make(map[string]*Transaction)

func known(t *Transaction) *Transaction {
	byName[t.Name] = t
	return t
}

// Transactions returns the predefined transactions: the 17, in the order of package tpox, then those of the older mix.
// A workload file can define more.
var Transactions = sync.OnceValue(func() (all []*Transaction) {
	for _, t := range tpox.Transactions {
		if byName[t.Name] == nil {
			panic("brokerage: no workload can draw " + t.Name)
		}
		all = append(all, byName[t.Name])
	}
	return slices.Clip(append(all, updCustacc, updSecurity))
})

// What several transactions share: parameters, and calls on a store.

func drawOrder(u *User, c *Call) bool {
	if c.ID, c.isNew = u.newOrders.pick(u.rand, u.population.Orders.Count); !c.isNew {
		c.ID = u.population.order(u.pickOrder())
	}
	return true
}

func drawCustomer(u *User, c *Call) bool {
	if c.ID, c.isNew = u.newCustomers.pick(u.rand, u.population.Customers.Count); !c.isNew {
		c.ID = u.population.customer(u.pickCustomer())
	}
	return true
}

func drawSymbol(u *User, c *Call) bool {
	c.Symbol = u.symbol()
	return true
}

func queryByID(query func(tpox.Store, context.Context, tpox.ID) ([]byte, error)) execute {
	return func(ctx context.Context, s tpox.Store, c *Call) ([]byte, error) { return query(s, ctx, c.ID) }
}

func queryBySymbol(query func(tpox.Store, context.Context, string) ([]byte, error)) execute {
	return func(ctx context.Context, s tpox.Store, c *Call) ([]byte, error) { return query(s, ctx, c.Symbol) }
}

func deleteByID(remove func(tpox.Store, context.Context, tpox.Write, tpox.ID) error) execute {
	return func(ctx context.Context, s tpox.Store, c *Call) ([]byte, error) {
		return nil, remove(s, ctx, write(), c.ID)
	}
}

// write returns the parameters of a write that starts now.
func write() tpox.Write { return tpox.Write{Now: time.Now()} }

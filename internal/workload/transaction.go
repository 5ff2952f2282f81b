package workload

import (
	"context"
	"slices"
	"time"

	"brokerage/internal/result"
	"brokerage/internal/tpox"
)

// A Transaction is all that a load generator knows of one transaction that a mix can contain.
type Transaction struct {
	*tpox.Transaction

	Expected []tpox.Reason // refusals that are part of the workload
	Source   *Transaction  // makes what this one removes; nil for none
	Replaces bool          // a PUT of the document that was read follows: both are one transaction

	// draw fills the user's call. It returns false when there is nothing to call: the user has nothing of its own left
	// to remove, or no leased ids.
	draw    func(u *User, c *Call) bool
	request request
	// execute makes the same call on a store.
	execute execute
	// key is the template of a text that each correct answer to the call has near its beginning. It is nil for
	// transactions without an answer.
	key *template
	// location is the template of the end of the Location header of a 201 response. It is nil for transactions that create
	// nothing.
	location *template

	// newIDs are the ids that each call takes from the lease.
	newIDs []*idKind
	// keep remembers what a successful call has made, so that the user can remove it later.
	keep func(u *User, c *Call)
	// Of a transaction of a workload file: what it draws, and instead of execute the statements for each engine.
	own     bool
	values  []*Value
	scripts map[string][]statement
}

type execute func(ctx context.Context, s tpox.Store, c *Call) (answer []byte, err error)

// registry lists the transactions of mixes that every workload can contain: the 17, in the order of package tpox, then
// those of the older mix.
var registry = []*Transaction{
	getOrder, getSecurity, customerProfile, searchSecurities, accountSummary, getSecurityPrice, customerMaxOrder,
	closeAccount, openAccount, updateSecurityPrice, updateOrderStatus, buySecurity, sellSecurity, insertOrder,
	insertCustomer, deleteOrder, deleteCustomer,
	updCustacc, updSecurity,
}

// Transactions returns all that a mix can contain, besides those of its own file.
func Transactions() []*Transaction { return registry }

// refused returns the outcome of a call that was refused for a reason that depends on stored data.
func (t *Transaction) refused(reason tpox.Reason) result.Outcome {
	if slices.Contains(t.Expected, reason) {
		return result.Outcome{Class: result.Expected, Reason: string(reason)}
	}
	return result.Outcome{Class: result.Unexpected, Reason: string(reason)}
}

// What several transactions share: parameters, and calls on a store.

func drawOrder(u *User, c *Call) bool {
	if !u.newOrders.pick(u.rand, u.population.Orders.Count, c) {
		c.ID = u.population.order(u.pickOrder())
	}
	return true
}

func drawCustomer(u *User, c *Call) bool {
	if !u.newCustomers.pick(u.rand, u.population.Customers.Count, c) {
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

// An Insertion is a transaction that each user makes before anything counts.
type Insertion struct {
	Transaction *Transaction
	Calls       int
	Done        *int64 // counts those that succeeded
}

// Preparation returns what each user inserts before anything counts, to delete it later.
func (d *Definition) Preparation(done *result.Prepared) []Insertion {
	return []Insertion{
		{insertOrder, d.Prepare.Orders, &done.Orders}, {insertCustomer, d.Prepare.Customers, &done.Customers},
	}
}

// write returns the parameters of a write that starts now.
func write() tpox.Write { return tpox.Write{Now: time.Now()} }

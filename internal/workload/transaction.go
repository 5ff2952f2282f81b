package workload

import (
	"context"
	"slices"
	"time"

	"brokerage/internal/brokerage"
)

//go:generate go run brokerage/internal/brokerage/lists transaction

// transaction is all that a load generator knows of one transaction.
type transaction struct {
	*brokerage.Transaction

	// draw fills the user's call. It returns false when there is nothing to call: the user has nothing of its own left
	// to remove, or no leased ids.
	draw func(u *user, c *call) bool
	// method, path and body make the request; most requests have no body.
	method     string
	path, body *template
	// execute makes the same call on a store and returns the answer, if there is one.
	execute execute
	// key is what an answer of this call has near its beginning. Set where there is an answer.
	key *template
	// location is the end of the Location of a 201 response. Set where something is created.
	location *template
	// expected are the refusals that are part of the workload.
	expected []brokerage.Reason

	// newIDs are the ids that each call takes from the lease.
	newIDs []*idKind
	// keep remembers what a successful call has made, so that the user can remove it later.
	keep func(u *user, c *call)
	// prepare returns how many calls each user makes before anything counts, and their counter.
	prepare func(n Prepare, p *Prepared) (calls int, counter *int64)
	// source makes what this transaction removes.
	source *transaction
	// replaces is set when a PUT of the document that was read follows: both are one transaction.
	replaces bool
}

type execute func(ctx context.Context, s brokerage.Store, c *call) (answer []byte, err error)

// registry lists all transactions of mixes: the 17, then those of the older mix.
var registry = append(transactions[:], updCustacc, updSecurity)

// named returns the transaction with the given name, or nil.
func named(name string) *transaction {
	if i := slices.IndexFunc(registry, func(t *transaction) bool { return t.Name == name }); i >= 0 {
		return registry[i]
	}
	return nil
}

// A Transaction is one that a mix can contain.
type Transaction struct {
	brokerage.Transaction

	Expected []brokerage.Reason // refusals that are part of a workload
	Source   string             // the transaction that makes what this one removes
	Replaces bool               // a PUT of the document that was read follows
}

// Transactions returns all that a mix can contain.
func Transactions() (list []Transaction) {
	for _, t := range registry {
		public := Transaction{Transaction: *t.Transaction, Expected: t.expected, Replaces: t.replaces}
		if t.source != nil {
			public.Source = t.source.Name
		}
		list = append(list, public)
	}
	return list
}

// refused returns the outcome of a call that was refused for a reason that has to do with what is stored.
func (t *transaction) refused(reason brokerage.Reason) outcome {
	if slices.Contains(t.expected, reason) {
		return outcome{expected, string(reason)}
	}
	return outcome{unexpected, string(reason)}
}

// What several transactions share: parameters, and calls on a store.

func drawOrder(u *user, c *call) bool {
	c.id = u.population.order(u.pickOrder())
	return true
}

func drawCustomer(u *user, c *call) bool {
	c.id = u.population.customer(u.pickCustomer())
	return true
}

func drawSymbol(u *user, c *call) bool {
	c.symbol = u.symbol()
	return true
}

func queryByID(query func(brokerage.Store, context.Context, brokerage.ID) ([]byte, error)) execute {
	return func(ctx context.Context, s brokerage.Store, c *call) ([]byte, error) { return query(s, ctx, c.id) }
}

func queryBySymbol(query func(brokerage.Store, context.Context, string) ([]byte, error)) execute {
	return func(ctx context.Context, s brokerage.Store, c *call) ([]byte, error) { return query(s, ctx, c.symbol) }
}

func deleteByID(remove func(brokerage.Store, context.Context, brokerage.Write, brokerage.ID) error) execute {
	return func(ctx context.Context, s brokerage.Store, c *call) ([]byte, error) {
		return nil, remove(s, ctx, write(), c.id)
	}
}

// write returns what a write on a store needs.
func write() brokerage.Write { return brokerage.Write{Now: time.Now()} }

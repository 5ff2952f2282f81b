package workload

import (
	"context"
	"math/rand/v2"
	"strings"
	"time"

	"brokerage/internal/dataset"
	"brokerage/internal/tpox"
)

// Crowd is what all users of a run have in common.
type Crowd struct {
	definition *Definition
	mix        []Mixed
	population *Population
	templates  map[string][]dataset.Template // of what is inserted, by kind
	begun      time.Time
	seed       uint64

	orderIDs, customerIDs, accountIDs leased
	newOrders, newCustomers           *sharedIDs // nil unless all users draw new documents
}

// templateCount is the number of templates of each kind. With few, a database would fill with copies, which compress
// better than real data.
const templateCount = 1000

// NewCrowd returns users that draw from a population. Documents get times on now's day.
func NewCrowd(d *Definition, p *Population, now time.Time, seed uint64) (*Crowd, error) {
	mix, err := d.parts()
	if err != nil {
		return nil, err
	}
	c := &Crowd{
		definition: d, mix: mix, population: p, templates: make(map[string][]dataset.Template), begun: now.UTC(), seed: seed,
		orderIDs: leased{kind: "order"}, customerIDs: leased{kind: "customer"}, accountIDs: leased{kind: "account"},
	}
	if d.NewDocuments == SharedDocuments {
		c.newOrders, c.newCustomers = &sharedIDs{at: make(map[tpox.ID]int)}, &sharedIDs{at: make(map[tpox.ID]int)}
	}
	if d.InsertsDocuments() {
		spec, err := dataset.ParseSpec(p.Scale, p.Profile, p.Seed)
		if err != nil {
			return nil, err
		}
		generator := dataset.New(spec)
		for _, kind := range []string{"order", "customer", "account"} {
			c.templates[kind] = generator.Templates(kind, templateCount)
		}
	}
	return c, nil
}

// Mix returns the transactions that the users draw.
func (c *Crowd) Mix() []Mixed { return c.mix }

// User draws transactions. It is for one goroutine.
type User struct {
	*Crowd

	Call Call // the call that is drawn

	lease    func(kind string, count int64) (tpox.Range, error)
	leaseErr error // of the last draw

	number                                int
	source                                *rand.PCG
	rand                                  *rand.Rand
	pickOrder, pickCustomer, pickSecurity func() int64
	draws                                 map[*Value]func() any

	// What the user has created and may remove.
	ownOrders, ownCustomers []tpox.ID
	ownAccounts             []opened
}

// User returns one of the users.
func (c *Crowd) User(number int) *User {
	source := rand.NewPCG(0, 0)
	u := &User{Crowd: c, number: number, source: source, rand: rand.New(source), draws: make(map[*Value]func() any)}
	u.Seed(c.seed)
	d, held := c.definition.Draws, c.population
	u.pickOrder = d.Order.picker(u.rand, held.Orders.Count)
	u.pickCustomer = d.Customer.picker(u.rand, held.Customers.Count)
	u.pickSecurity = d.Security.picker(u.rand, held.Securities.Count)
	u.Call.validate = c.definition.Validate
	u.Call.anyKey = strings.HasPrefix(held.Fingerprint, "null/") // a store with the same answers to all
	u.Call.values = make(map[*Value]any)
	for _, v := range c.definition.Values {
		u.draws[v] = v.drawer(u)
	}
	return u
}

// Seed begins the user's sequence of random numbers again. The second half of its seed is the hashed number of the
// user, so that users draw unrelated sequences.
func (u *User) Seed(seed uint64) {
	u.source.Seed(seed, uint64(u.number)*0x9E3779B97F4A7C15) //nolint:gosec // not below 0
}

// Rand returns the user's random numbers.
func (u *User) Rand() *rand.Rand { return u.rand }

// Choose draws a transaction by weight and returns its index in the mix.
func (u *User) Choose() int {
	x := u.rand.Float64()
	for i := range u.mix {
		share := u.mix[i].Share
		if x < share {
			return i
		}
		x -= share
	}
	return len(u.mix) - 1 // the shares add up to 1 except for rounding
}

// Draw fills the user's call, and leases more ids if it needs some. It returns false if the user has nothing of
// its own left to remove and, with an error, if no ids can be leased.
func (u *User) Draw(ctx context.Context, t *Transaction, lease Leaser) (bool, error) {
	u.Call.Transaction, u.Call.isNew, u.leaseErr = t, false, nil
	u.lease = func(kind string, count int64) (tpox.Range, error) { return lease(ctx, kind, count) }
	drawn := t.draw(u, &u.Call)
	return drawn, u.leaseErr
}

// Keep remembers what the call has made.
func (u *User) Keep() {
	if c := &u.Call; c.Transaction.keep != nil {
		c.Transaction.keep(u, c)
	}
}

// takeOut removes a random element, if there is one.
func takeOut[T any](r *rand.Rand, list *[]T) (taken T, ok bool) {
	if len(*list) == 0 {
		return taken, false
	}
	i, last := r.IntN(len(*list)), len(*list)-1
	taken = (*list)[i]
	(*list)[i] = (*list)[last]
	*list = (*list)[:last]
	return taken, true
}

func (u *User) between(r Range) int64 { return r[0] + u.rand.Int64N(r[1]-r[0]+1) }

func (u *User) symbol() string { return u.population.Symbols[u.pickSecurity()] }

// accountOf draws an account of a customer.
func (u *User) accountOf(customer int64) tpox.ID {
	first, n := u.population.accounts(customer)
	return tpox.ID(first + u.rand.Int64N(n))
}

// compose writes a new document into the call: a template of the kind, filled in, at a random time of begun's day.
func (u *User) compose(c *Call, kind string) {
	templates := u.templates[kind]
	template := templates[u.rand.IntN(len(templates))]
	c.at = u.begun.Truncate(24 * time.Hour).Add(time.Duration(u.rand.IntN(24*60*60)) * time.Second)
	c.doc = c.doc[:0]
	for i, part := range template.Parts {
		if i%2 == 1 { // the name of a gap
			part = c.value(part)
		}
		c.doc = append(c.doc, part...)
	}
}

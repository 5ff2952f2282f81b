package workload

import (
	"math/rand/v2"
	"net/url"
	"sync/atomic"
	"time"

	"brokerage/internal/tpox"
)

// plan is what all users of a run have in common. Only what it counts in the end changes.
type plan struct {
	definition              *Definition
	mix                     []part
	population              *population
	documents               *documents
	sectors                 []sector
	peMin, peMax, yieldMin  Range
	seed                    uint64
	users                   int // of the whole load, and of these,
	from, to                int // the users of this process: [from, to)
	share                   Share
	begun                   time.Time
	newOrders, newCustomers *sharedIDs     // nil unless all users draw new documents
	sequences               []atomic.Int64 // the next position of each value that is a sequence
}

// part is a transaction of a mix and its share of the draws, of 1.
type part struct {
	*Transaction

	share float64
}

func newPlan(d *Definition, p *population, now time.Time, seed uint64, users int) (*plan, error) {
	mix, err := d.parts()
	if err != nil {
		return nil, err
	}
	docs, err := newDocuments(p, d, now)
	if err != nil {
		return nil, err
	}
	plan := &plan{definition: d, mix: mix, population: p, documents: docs, seed: seed, users: users, to: users,
		begun: now.UTC(), sequences: make([]atomic.Int64, len(d.Values))}
	if d.NewDocuments == SharedDocuments {
		plan.newOrders = &sharedIDs{at: make(map[tpox.ID]int)}
		plan.newCustomers = &sharedIDs{at: make(map[tpox.ID]int)}
	}
	for _, name := range p.Search.Sectors {
		plan.sectors = append(plan.sectors, sector{name, url.QueryEscape(name)})
	}
	or := func(own *Range, ofDataset bounds) Range {
		if own != nil {
			return *own
		}
		return Range{ofDataset.From, ofDataset.To}
	}
	plan.peMin, plan.peMax = or(d.Search.PEMin, p.Search.PEMin), or(d.Search.PEMax, p.Search.PEMax)
	plan.yieldMin = or(d.Search.YieldMin, p.Search.YieldMin)
	return plan, nil
}

// user draws transactions. It belongs to one goroutine.
type user struct {
	*plan

	rand                                  *rand.Rand
	pickOrder, pickCustomer, pickSecurity func() int64
	draws                                 []func(dst []byte) (value []byte, ok bool) // of own transactions

	ids map[*idKind]*ids // for what it creates

	// What the user has created and may remove.
	ownOrders, ownCustomers []tpox.ID
	ownAccounts             []opened

	call call
}

func newUser(p *plan, number int, leases map[*idKind]tpox.Range) *user {
	// PCG takes the hashed number as the second half of its seed, so that users draw unrelated sequences.
	source := rand.NewPCG(p.seed, uint64(number)*0x9E3779B97F4A7C15) //nolint:gosec // not below 0
	u := &user{plan: p, rand: rand.New(source), ids: make(map[*idKind]*ids)}
	d, held := p.definition.Draws, p.population
	u.pickOrder = d.Order.picker(u.rand, held.Orders.Count, number, p.users)
	u.pickCustomer = d.Customer.picker(u.rand, held.Customers.Count, number, p.users)
	u.pickSecurity = d.Security.picker(u.rand, held.Securities.Count, number, p.users)
	for kind, lease := range leases {
		u.ids[kind] = kind.partOf(lease, number-p.from, p.to-p.from)
	}
	u.call.validate = p.definition.Validate
	u.call.values = make([][]byte, len(p.definition.Values))
	u.draws = make([]func(dst []byte) ([]byte, bool), len(p.definition.Values))
	for _, part := range p.mix {
		for _, v := range part.values {
			if u.draws[v.index] == nil {
				u.draws[v.index] = v.drawer(u, number)
			}
		}
	}
	return u
}

// choose draws a transaction by weight and returns its index in the mix.
func (u *user) choose() int {
	x := u.rand.Float64()
	for i := range u.mix {
		share := u.mix[i].share
		if x < share {
			return i
		}
		x -= share
	}
	return len(u.mix) - 1 // the shares add up to 1 except for rounding
}

// draw fills the user's call. It returns false when there is nothing to call: the user has nothing of its own left to
// remove, or no leased ids.
func (u *user) draw(t *Transaction) bool {
	u.call.transaction, u.call.isNew = t, false
	return t.draw(u, &u.call)
}

// keep remembers what the call has made.
func (u *user) keep() {
	if c := &u.call; c.transaction.keep != nil {
		c.transaction.keep(u, c)
	}
}

// takeOut removes a random element, if there is one.
func takeOut[T any](r *rand.Rand, list *[]T, into *T) bool {
	if len(*list) == 0 {
		return false
	}
	i, last := r.IntN(len(*list)), len(*list)-1
	*into = (*list)[i]
	(*list)[i] = (*list)[last]
	*list = (*list)[:last]
	return true
}

func (u *user) between(r Range) int64 { return r[0] + u.rand.Int64N(r[1]-r[0]+1) }

func (u *user) symbol() string { return u.population.Symbols[u.pickSecurity()] }

// anyAccount draws a customer and one of its accounts.
func (u *user) anyAccount() tpox.ID {
	first, n := u.population.accounts(u.pickCustomer())
	return tpox.ID(first + u.rand.Int64N(n))
}

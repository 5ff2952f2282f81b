package workload

import (
	"context"
	"math/rand/v2"
	"net/url"
	"strings"
	"time"

	"brokerage/internal/tpox"
)

// Crowd is what all users of a run have in common. Only what it counts in the end changes.
type Crowd struct {
	definition              *Definition
	mix                     []Mixed
	population              *Population
	documents               *documents
	sectors                 []sector
	peMin, peMax, yieldMin  Range
	seed                    uint64
	from, to                int // the users of this process: [from, to)
	begun                   time.Time
	leases                  map[*idKind]*leased
	newOrders, newCustomers *sharedIDs // nil unless all users draw new documents
}

// Mixed is a transaction of a mix and its share of the draws, of 1.
type Mixed struct {
	*Transaction

	Share float64
}

// NewCrowd returns the users of a share of a load, which draw from a population. Users is the number of users of the
// whole load. Documents get dates of the given time.
func NewCrowd(d *Definition, p *Population, now time.Time, seed uint64, users int, share Share) (*Crowd, error) {
	mix, err := d.parts()
	if err != nil {
		return nil, err
	}
	docs, err := newDocuments(p, d, now)
	if err != nil {
		return nil, err
	}
	of := func(b bounds) Range { return Range{b.From, b.To} }
	c := &Crowd{definition: d, mix: mix, population: p, documents: docs, seed: seed,
		begun: now.UTC(), leases: map[*idKind]*leased{orderIDs: {}, customerIDs: {}, accountIDs: {}},
		peMin: of(p.Search.PEMin), peMax: of(p.Search.PEMax), yieldMin: of(p.Search.YieldMin)}
	c.from, c.to = share.Users(users)
	if d.NewDocuments == SharedDocuments {
		c.newOrders = &sharedIDs{at: make(map[tpox.ID]int)}
		c.newCustomers = &sharedIDs{at: make(map[tpox.ID]int)}
	}
	for _, name := range p.Search.Sectors {
		c.sectors = append(c.sectors, sector{name, url.QueryEscape(name)})
	}
	return c, nil
}

// Mix returns the transactions that the users draw.
func (c *Crowd) Mix() []Mixed { return c.mix }

// Range returns the numbers of the users of this process: [from, to).
func (c *Crowd) Range() (from, to int) { return c.from, c.to }

// Checker returns what checks the answers of a target that holds the population.
func (c *Crowd) Checker() Checker {
	// The null store answers every request with the same documents.
	return Checker{Keys: !strings.HasPrefix(c.population.Fingerprint, "null/")}
}

// User draws transactions. It is for one goroutine.
type User struct {
	*Crowd

	Call Call // the call that is drawn

	outOfIDs bool // no call could be drawn, for lack of leased ids

	number                                int
	source                                *rand.PCG
	rand                                  *rand.Rand
	pickOrder, pickCustomer, pickSecurity func() int64
	draws                                 []func(dst []byte) []byte // of own transactions

	// What the user has created and may remove.
	ownOrders, ownCustomers []tpox.ID
	ownAccounts             []opened
}

// User returns one of the users.
func (c *Crowd) User(number int) *User {
	source := rand.NewPCG(0, 0)
	u := &User{Crowd: c, number: number, source: source, rand: rand.New(source)}
	u.Seed(c.seed)
	d, held := c.definition.Draws, c.population
	u.pickOrder = d.Order.picker(u.rand, held.Orders.Count)
	u.pickCustomer = d.Customer.picker(u.rand, held.Customers.Count)
	u.pickSecurity = d.Security.picker(u.rand, held.Securities.Count)
	u.Call.validate = c.definition.Validate
	u.Call.values = make([][]byte, len(c.definition.Values))
	u.draws = make([]func(dst []byte) []byte, len(c.definition.Values))
	for _, part := range c.mix {
		for _, v := range part.values {
			if u.draws[v.index] == nil {
				u.draws[v.index] = v.drawer(u)
			}
		}
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

// Draw fills the user's call, and leases more ids if it needs some. It returns false when there is nothing to call: the
// user has nothing of its own left to remove.
func (u *User) Draw(ctx context.Context, t *Transaction, lease Leaser) (bool, error) {
	for !u.draw(t) {
		if !u.outOfIDs {
			return false, nil
		}
		if err := u.refill(ctx, lease, t); err != nil {
			return false, err
		}
	}
	return true, nil
}

// draw returns false when there is nothing to call, or there are no leased ids.
func (u *User) draw(t *Transaction) bool {
	u.Call.Transaction, u.Call.isNew, u.outOfIDs = t, false, false
	return t.draw(u, &u.Call)
}

// Keep remembers what the call has made.
func (u *User) Keep() {
	if c := &u.Call; c.Transaction.keep != nil {
		c.Transaction.keep(u, c)
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

func (u *User) between(r Range) int64 { return r[0] + u.rand.Int64N(r[1]-r[0]+1) }

func (u *User) symbol() string { return u.population.Symbols[u.pickSecurity()] }

// anyAccount draws a customer and one of its accounts.
func (u *User) anyAccount() tpox.ID {
	first, n := u.population.accounts(u.pickCustomer())
	return tpox.ID(first + u.rand.Int64N(n))
}

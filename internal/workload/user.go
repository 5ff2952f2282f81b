package workload

import (
	"math/rand/v2"
	"net/url"

	"brokerage/internal/brokerage"
)

// plan is what all users of a run have in common. It does not change.
type plan struct {
	definition *Definition
	mix        []part
	population *population
	documents  *documents
	sectors    []sector
	peMin      Range
	peMax      Range
	yieldMin   Range
	seed       uint64
	users      int
}

// part is a transaction of a mix and its share of the draws, of 1.
type part struct {
	*transaction

	share float64
}

func newPlan(d *Definition, p *population, docs *documents, seed uint64, users int) (*plan, error) {
	mix, err := d.parts()
	if err != nil {
		return nil, err
	}
	var sectors []sector
	for _, name := range p.Search.Sectors {
		sectors = append(sectors, sector{name, url.QueryEscape(name)})
	}
	or := func(own *Range, ofDataset bounds) Range {
		if own != nil {
			return *own
		}
		return Range{ofDataset.From, ofDataset.To}
	}
	return &plan{
		definition: d, mix: mix, population: p, documents: docs, sectors: sectors, seed: seed, users: users,
		peMin:    or(d.Search.PEMin, p.Search.PEMin),
		peMax:    or(d.Search.PEMax, p.Search.PEMax),
		yieldMin: or(d.Search.YieldMin, p.Search.YieldMin),
	}, nil
}

// user draws transactions. It belongs to one goroutine.
type user struct {
	*plan

	rand      *rand.Rand
	orders    picker
	customers picker
	security  picker

	ids map[*idKind]*ids // for what it creates

	// What the user has created and may remove.
	ownOrders    []brokerage.ID
	ownCustomers []brokerage.ID
	ownAccounts  []opened

	call call
}

func newUser(p *plan, number int, leases map[*idKind]leased) *user {
	// PCG hashes the number as the second half of its seed: neighbours have unrelated sequences.
	source := rand.NewPCG(p.seed, uint64(number)*0x9E3779B97F4A7C15) //nolint:gosec // not below 0
	u := &user{plan: p, rand: rand.New(source), ids: make(map[*idKind]*ids)}
	d := p.definition.Draws
	u.orders = d.Order.picker(u.rand, p.population.Orders.Count, number, p.users)
	u.customers = d.Customer.picker(u.rand, p.population.Customers.Count, number, p.users)
	u.security = d.Security.picker(u.rand, p.population.Securities.Count, number, p.users)
	for kind, l := range leases {
		u.ids[kind] = l.of(number)
	}
	u.call.validate = p.definition.Validate
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
	return len(u.mix) - 1 // the shares add up to 1 but for rounding
}

// draw fills the user's call. It returns false when there is nothing to call: the user has nothing of its own left to
// remove, or no leased ids.
func (u *user) draw(t *transaction) bool {
	u.call.transaction = t
	return t.draw(u, &u.call)
}

// keep remembers what the call has made.
func (u *user) keep() {
	if c := &u.call; c.transaction.keep != nil {
		c.transaction.keep(u, c)
	}
}

// newID takes a leased id, or several that follow it.
func (u *user) newID(kind *idKind) (first int64, ok bool) { return u.ids[kind].take(kind.width) }

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

func (u *user) symbol() string { return u.population.Symbols[u.security.pick(u.rand)] }

func (u *user) template(of []filling) *filling { return &of[u.rand.IntN(len(of))] }

// anyAccount draws a customer and one of its accounts.
func (u *user) anyAccount() int64 {
	first, n := u.population.accounts(u.customers.pick(u.rand))
	return first + u.rand.Int64N(n)
}

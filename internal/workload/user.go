package workload

import (
	"math/rand/v2"

	"brokerage/internal/brokerage"
)

// plan is what all users of a run have in common; nobody changes it.
type plan struct {
	definition *Definition
	shares     []float64 // by transaction
	population *population
	documents  *documents
	peMin      Range
	peMax      Range
	yieldMin   Range
	seed       uint64
	users      int
}

func newPlan(d *Definition, p *population, docs *documents, seed uint64, users int) (*plan, error) {
	shares, err := d.weights()
	if err != nil {
		return nil, err
	}
	or := func(own *Range, says bounds) Range {
		if own != nil {
			return *own
		}
		return Range{says.From, says.To}
	}
	return &plan{
		definition: d, shares: shares, population: p, documents: docs, seed: seed, users: users,
		peMin: or(d.Search.PEMin, p.Search.PEMin), peMax: or(d.Search.PEMax, p.Search.PEMax), yieldMin: or(d.Search.YieldMin, p.Search.YieldMin),
	}, nil
}

// user draws transactions. It is one goroutine's.
type user struct {
	*plan

	rand      *rand.Rand
	orders    picker
	customers picker
	security  picker

	newOrders, newCustomers, newAccounts ids

	// What the user has inserted and opened, and may take away.
	ownOrders    []brokerage.ID
	ownCustomers []brokerage.ID
	ownAccounts  []opened

	call call
}

type opened struct{ customer, account brokerage.ID }

func newUser(p *plan, number int) *user {
	// The number is hashed by PCG's second half of the seed: neighbours have nothing in common.
	u := &user{plan: p, rand: rand.New(rand.NewPCG(p.seed, uint64(number)*0x9E3779B97F4A7C15))} //nolint:gosec // not below 0
	d := p.definition.Draws
	u.orders = d.Order.picker(u.rand, p.population.Orders.Count, number, p.users)
	u.customers = d.Customer.picker(u.rand, p.population.Customers.Count, number, p.users)
	u.security = d.Security.picker(u.rand, p.population.Securities.Count, number, p.users)
	u.call.validate = p.definition.Validate
	return u
}

// transaction draws one by weight.
func (u *user) transaction() int {
	x := u.rand.Float64()
	last := 0
	for t, share := range u.shares {
		if share == 0 {
			continue
		}
		if x < share {
			return t
		}
		x, last = x-share, t
	}
	return last // the shares' sum is 1 but for rounding
}

// draw fills the call. It is false where there is nothing of the user's own to
// take away, or no id left: then nothing is to be called.
func (u *user) draw(transaction int) bool {
	c := &u.call
	c.transaction = transaction
	switch transaction {
	case getOrder:
		c.id = u.population.order(u.orders.pick(u.rand))
	case updateOrderStatus:
		c.id = u.population.order(u.orders.pick(u.rand))
		c.status = u.definition.Updates.Status[u.rand.IntN(len(u.definition.Updates.Status))]
	case getSecurity, getSecurityPrice, updSecurity:
		c.symbol = u.symbol()
	case updateSecurityPrice:
		c.symbol = u.symbol()
		c.price = u.in(u.definition.Updates.Price)
	case searchSecurities:
		c.search = searchCall{u.rand.IntN(len(u.population.Search.Sectors)), u.in(u.peMin), u.in(u.peMax), u.in(u.yieldMin)}
	case customerProfile, accountSummary, customerMaxOrder, updCustacc:
		c.id = u.population.customer(u.customers.pick(u.rand))
	case buySecurity, sellSecurity:
		u.drawTrade()
	default:
		return u.drawOwn()
	}
	return true
}

func (u *user) drawTrade() {
	c := &u.call
	account := u.anyAccount()
	c.id, c.symbol = brokerage.ID(account), u.population.held(account)
	if c.transaction == sellSecurity {
		c.quantity = u.in(u.definition.Trades.Sell.Quantity)
		return
	}
	c.quantity = u.in(u.definition.Trades.Buy.Quantity)
	if u.rand.Float64() >= u.definition.Trades.Buy.Held {
		c.symbol = u.symbol()
	}
}

// drawOwn draws what makes something new, or takes it away.
func (u *user) drawOwn() bool {
	c := &u.call
	switch c.transaction {
	case insertOrder:
		id, ok := u.newOrders.take(1)
		if !ok {
			return false
		}
		c.id = brokerage.ID(id)
		v := values{id: id, account: u.anyAccount(), symbol: u.symbol()}
		c.doc = u.documents.fill(c.doc[:0], u.template(u.documents.orders), v, u.rand)
	case insertCustomer:
		id, ok := u.newCustomers.take(1)
		account, enough := u.newAccounts.take(accountsAtOnce)
		if !ok || !enough {
			return false
		}
		c.id = brokerage.ID(id)
		c.doc = u.documents.fill(c.doc[:0], u.template(u.documents.customers), values{id: id, account: account}, u.rand)
	case openAccount:
		account, ok := u.newAccounts.take(accountsAtOnce)
		if !ok {
			return false
		}
		c.id, c.account = u.population.customer(u.customers.pick(u.rand)), brokerage.ID(account)
		c.doc = u.documents.fill(c.doc[:0], u.template(u.documents.accounts), values{account: account}, u.rand)
	case deleteOrder:
		return takeOut(u.rand, &u.ownOrders, &c.id)
	case deleteCustomer:
		return takeOut(u.rand, &u.ownCustomers, &c.id)
	case closeAccount:
		var own opened
		ok := takeOut(u.rand, &u.ownAccounts, &own)
		c.id, c.account = own.customer, own.account
		return ok
	}
	return true
}

// accountsAtOnce is how many account ids are taken together: as many as a new
// customer has at most.
const accountsAtOnce = 3

// did notes what the call has made.
func (u *user) did() {
	switch c := &u.call; c.transaction {
	case insertOrder:
		u.ownOrders = append(u.ownOrders, c.id)
	case insertCustomer:
		u.ownCustomers = append(u.ownCustomers, c.id)
	case openAccount:
		u.ownAccounts = append(u.ownAccounts, opened{c.id, c.account})
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

func (u *user) in(r Range) int64 { return r[0] + u.rand.Int64N(r[1]-r[0]+1) }

func (u *user) symbol() string { return u.population.Symbols[u.security.pick(u.rand)] }

func (u *user) template(of []filling) *filling { return &of[u.rand.IntN(len(of))] }

// anyAccount draws one of a customer's.
func (u *user) anyAccount() int64 {
	first, n := u.population.accounts(u.customers.pick(u.rand))
	return first + u.rand.Int64N(n)
}

package storetest

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"pgregory.net/rapid"

	"brokerage/internal/dataset"
	"brokerage/internal/tpox"
)

var modelCases = []testCase{
	{name: "Model/RandomOperations", run: func(e *env) {
		passed := 0
		generation := tpox.ID(0)
		rapid.Check(e.T, func(t *rapid.T) {
			// The number of checks is a flag of rapid for all tests of a binary, but modelChecks are enough. Shrinking a failure
			// is not limited.
			if passed >= modelChecks {
				return
			}
			generation++
			inner := &env{T: rapidT{t, e.T}, fixture: e.fixture, s: e.s}
			m := &model{
				env: inner, base: 800_000_000_000 + 1000*generation,
				customers: map[int]*element{}, orders: map[int]*element{},
			}
			t.Repeat(map[string]func(*rapid.T){
				"insertCustomer": m.insertCustomer, "replaceCustomer": m.replaceCustomer, "deleteCustomer": m.deleteCustomer,
				"openAccount": m.openAccount, "closeAccount": m.closeAccount, "trade": m.trade, "price": m.price,
				"insertOrder": m.insertOrder, "orderStatus": m.orderStatus, "deleteOrder": m.deleteOrder, "": m.check,
			})
			passed++
		})
	}},
}

// A model is what a store should hold, as trees by slot. Every check uses new ids for the slots, so that all checks can
// share a store and a failure is the same when rapid replays it.
type model struct {
	*env
	base      tpox.ID
	customers map[int]*element
	orders    map[int]*element
}

const (
	modelChecks = 12
	slots       = 4
)

func (m *model) customerID(slot int) tpox.ID { return m.base + tpox.ID(slot) }

func (m *model) orderID(slot int) tpox.ID { return m.base + 100 + tpox.ID(slot) }

// accountID returns the id of an account, which any customer can have.
func (m *model) accountID(slot int) tpox.ID { return m.base + 200 + tpox.ID(slot) }

func (m *model) owner(account tpox.ID) int {
	for slot, c := range m.customers {
		if refAccount(c, account) != nil {
			return slot
		}
	}
	return -1
}

// A rapidT is a T that reports failures to rapid.
type rapidT struct {
	*rapid.T
	outer T // whose context the cases use
}

func (t rapidT) Context() context.Context { return t.outer.Context() }

func slot(t *rapid.T, name string) int { return rapid.IntRange(0, slots-1).Draw(t, name) }

// drawCustomer draws a customer with accounts.
func (m *model) drawCustomer(t *rapid.T) (c int, doc []byte, accounts []tpox.ID) {
	c = slot(t, "customer")
	p := dataset.NewCustomer{ID: int64(m.customerID(c))}
	for _, a := range rapid.SliceOfNDistinct(rapid.IntRange(0, 2*slots-1), 1, 3, rapid.ID[int]).Draw(t, "accounts") {
		accounts = append(accounts, m.accountID(a))
		p.Accounts = append(p.Accounts, int64(m.accountID(a)))
	}
	return c, m.d.AppendNewCustomer(nil, int64(rapid.IntRange(0, 9).Draw(t, "look")), p), accounts
}

func (m *model) drawAccount(t *rapid.T) tpox.ID {
	return m.accountID(rapid.IntRange(0, 2*slots-1).Draw(t, "account"))
}

func (m *model) taken(accounts []tpox.ID, but int) bool {
	return slices.ContainsFunc(accounts, func(a tpox.ID) bool { o := m.owner(a); return o >= 0 && o != but })
}

func (m *model) insertCustomer(t *rapid.T) {
	c, doc, accounts := m.drawCustomer(t)
	_, err := m.s.InsertCustomer(m.Context(), plain(), doc, rapid.Bool().Draw(t, "validate"))
	switch {
	case m.customers[c] != nil && m.taken(accounts, -1):
		_ = refused[*tpox.Conflict](m.env, err) // either reason
	case m.customers[c] != nil:
		m.conflict(err, tpox.CustomerExists)
	case m.taken(accounts, -1):
		m.conflict(err, tpox.AccountExists)
	default:
		m.must(err)
		m.customers[c] = m.tree(doc)
	}
}

func (m *model) replaceCustomer(t *rapid.T) {
	c, doc, accounts := m.drawCustomer(t)
	err := m.s.ReplaceCustomer(m.Context(), plain(), m.customerID(c), doc, rapid.Bool().Draw(t, "validate"), nil)
	switch {
	case m.there(m.customers[c], err, "customer") && m.taken(accounts, c):
		m.conflict(err, tpox.AccountExists)
	case m.customers[c] != nil:
		m.must(err)
		m.customers[c] = m.tree(doc)
	}
}

// there reports whether the model has a document; if not, the error must be *NotFound.
func (m *model) there(doc *element, err error, what string) bool {
	if doc == nil {
		m.notFound(err, what)
	}
	return doc != nil
}

func (m *model) deleteCustomer(t *rapid.T) {
	c := slot(t, "customer")
	err := m.s.DeleteCustomer(m.Context(), plain(), m.customerID(c))
	if m.there(m.customers[c], err, "customer") {
		m.must(err)
		delete(m.customers, c)
	}
}

func (m *model) openAccount(t *rapid.T) {
	c, a := slot(t, "customer"), m.drawAccount(t)
	doc := m.d.AppendNewAccount(nil, int64(rapid.IntRange(0, 9).Draw(t, "look")), dataset.NewAccount{ID: int64(a)})
	_, err := m.s.OpenAccount(m.Context(), plain(), m.customerID(c), doc)
	switch {
	case m.there(m.customers[c], err, "customer") && m.owner(a) >= 0:
		m.conflict(err, tpox.AccountExists)
	case m.customers[c] != nil:
		m.must(err)
		m.customers[c].child("Accounts").add(m.tree(doc))
	}
}

func (m *model) closeAccount(t *rapid.T) {
	c, a := slot(t, "customer"), m.drawAccount(t)
	err := m.s.CloseAccount(m.Context(), plain(), m.customerID(c), a)
	switch {
	case !m.there(m.customers[c], err, "customer"):
	case m.owner(a) != c:
		m.notFound(err, "account")
	case len(m.customers[c].child("Accounts").children("Account")) == 1:
		m.conflict(err, tpox.LastAccount)
	default:
		m.must(err)
		m.customers[c].child("Accounts").remove(refAccount(m.customers[c], a))
	}
}

func (m *model) trade(t *rapid.T) {
	a := m.drawAccount(t)
	side := rapid.SampledFrom([]tpox.Side{tpox.Buy, tpox.Sell}).Draw(t, "side")
	quantity := fmt.Sprintf("%d.%03d", rapid.IntRange(0, 20).Draw(t, "whole"), rapid.IntRange(1, 999).Draw(t, "part"))
	symbol := m.symbol(t)
	c := m.owner(a)
	if c < 0 {
		m.noAccount(a)
		return
	}
	id := m.customerID(c)
	m.same("the customer", m.customers[c], m.customer(id)) // m.env.trade starts from the stored one
	if m.env.trade(id, a, side, symbol, quantity) != nil {
		m.customers[c] = m.customer(id)
	}
}

func (m *model) symbol(t *rapid.T) string { return m.d.Symbol(rapid.IntRange(0, 2).Draw(t, "symbol")) }

func (m *model) insertOrder(t *rapid.T) {
	o := slot(t, "order")
	cash := rapid.SampledFrom([]string{"10.00", "9.99", "10", "-1", "none", "100000000000000000.01"}).Draw(t, "cash")
	doc := orderXML(m.orderID(o), m.drawAccount(t), fmt.Sprintf("<OrdQty Cash=%q></OrdQty>", cash))
	_, err := m.s.InsertOrder(m.Context(), plain(), []byte(doc))
	if m.orders[o] != nil {
		m.conflict(err, tpox.OrderExists)
		return
	}
	m.must(err)
	m.orders[o] = m.tree([]byte(doc))
}

func (m *model) orderStatus(t *rapid.T) {
	o := slot(t, "order")
	_, err := m.s.UpdateOrderStatus(m.Context(), plain(), m.orderID(o), "Q7")
	if m.there(m.orders[o], err, "order") {
		m.invalid(err) // neither the status nor the order is valid
	}
}

func (m *model) deleteOrder(t *rapid.T) {
	o := slot(t, "order")
	err := m.s.DeleteOrder(m.Context(), plain(), m.orderID(o))
	if m.there(m.orders[o], err, "order") {
		m.must(err)
		delete(m.orders, o)
	}
}

func (m *model) price(t *rapid.T) {
	symbol := m.symbol(t)
	whole, part := rapid.IntRange(0, 100).Draw(t, "whole"), rapid.IntRange(0, 9999).Draw(t, "part")
	m.setPrice(symbol, tpox.Price{LastTrade: fmt.Sprintf("%d.%04d", whole, part)})
}

// check compares everything in the model with the store.
func (m *model) check(*rapid.T) {
	all := slices.Collect(maps.Values(m.orders))
	for c := range slots {
		id := m.customerID(c)
		doc, err := m.s.GetCustomer(m.Context(), id)
		if m.there(m.customers[c], err, "customer") {
			m.same("the customer", m.customers[c], m.got(doc, err))
			m.same("the largest order", refMaxOrder(m.customers[c], all), m.got(m.s.CustomerMaxOrder(m.Context(), id)))
		}
	}
	for a := range 2 * slots {
		account, err := m.s.GetAccount(m.Context(), m.accountID(a))
		if c := m.owner(m.accountID(a)); m.there(m.customers[c], err, "account") {
			m.must(err)
			m.equal("the owner", m.customerID(c), account.Customer)
			m.same("the account", refAccount(m.customers[c], m.accountID(a)), m.tree(account.Document))
		}
	}
	for o := range slots {
		doc, err := m.s.GetOrder(m.Context(), m.orderID(o))
		if m.there(m.orders[o], err, "order") {
			m.same("the order", refOrder(m.orders[o]), m.got(doc, err))
		}
	}
}

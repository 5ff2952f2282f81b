package storetest

import (
	"fmt"
	"strings"
	"sync/atomic"

	"github.com/stretchr/testify/require"

	"brokerage/internal/dataset"
	"brokerage/internal/tpox"
	"brokerage/internal/xmldoc"
)

func (e *env) newAccount(i int64) (tpox.ID, string) {
	id := e.id()
	return id, string(e.d.AppendNewAccount(nil, i, dataset.NewAccount{ID: int64(id)}))
}

// unknownSymbols returns symbols that no security has. Symbols are case-sensitive.
func (e *env) unknownSymbols() []string {
	return []string{"", "NOSUCH9", strings.ToLower(e.d.Symbol(1)), e.d.Symbol(1) + " ", "'", "%", "é", "\x00"}
}

// listed returns a stock with a sector.
func (e *env) listed() (symbol, doc string) {
	for i, s := range e.securities {
		if refSector(s) != nil && s.child("SecurityType").text() == "Stock" {
			return s.child("Symbol").text(), string(e.d.Append(nil, dataset.Security, int64(i)))
		}
	}
	panic("no stock has a sector")
}

// A fixture is a dataset and its documents as trees, which are never changed.
type fixture struct {
	d                             *dataset.Dataset
	orders, customers, securities []*element
	fresh                         atomic.Int64 // number of new ids
}

func newFixture(d *dataset.Dataset) *fixture {
	if d == nil {
		d = dataset.New(dataset.Spec{Seed: 1})
	}
	f := &fixture{d: d}
	for k, list := range map[dataset.Kind]*[]*element{
		dataset.Order: &f.orders, dataset.Customer: &f.customers, dataset.Security: &f.securities,
	} {
		for i := range d.Count(k) {
			n, err := parse(d.Append(nil, k, i))
			if err != nil {
				panic(err) // the generator makes well-formed documents
			}
			*list = append(*list, n)
		}
	}
	return f
}

// id returns a new id, for any kind.
func (e *env) id() tpox.ID { return tpox.ID(900_000_000_000 + e.fresh.Add(1)) }

// admit returns a document as the service passes it to a store.
func (e *env) admit(doc string) []byte {
	b, err := xmldoc.Admit([]byte(doc), xmldoc.Limits{})
	e.must(err)
	return b
}

func (e *env) customerID(k int64) tpox.ID { return tpox.ID(e.d.ID(dataset.Customer, k)) }

func (e *env) accountID(k int64) tpox.ID { return tpox.ID(e.d.FirstAccount(k)) }

// held returns the symbol of the first position of customer k's first account.
func (e *env) held(k int64) string {
	return refAccount(e.customers[k], e.accountID(k)).child("Holdings", "Position", "Symbol").text()
}

// notHeld returns a symbol that the first account of customer k does not hold.
func (e *env) notHeld(k int64) string {
	account := refAccount(e.customers[k], e.accountID(k))
	for i := 0; ; i++ {
		if symbol := e.d.Symbol(i); heldOf(account, symbol).Sign() == 0 {
			return symbol
		}
	}
}

// newCustomer returns a customer to insert, with new ids.
func (e *env) newCustomer(accounts int) (id tpox.ID, ids []tpox.ID, doc string) {
	p := dataset.NewCustomer{ID: int64(e.id())}
	for range accounts {
		account := e.id()
		ids = append(ids, account)
		p.Accounts = append(p.Accounts, int64(account))
	}
	return tpox.ID(p.ID), ids, string(e.d.AppendNewCustomer(nil, 3, p))
}

// filled returns a customer with as many more languages as fit into size bytes.
func (e *env) filled(doc string, size int) string {
	const language = "<Language>Portuguese</Language>"
	return e.edit(doc, "<Languages>", "<Languages>"+strings.Repeat(language, (size-len(doc))/len(language)))
}

func (e *env) insertCustomer(accounts int) (id tpox.ID, ids []tpox.ID, doc string) {
	id, ids, doc = e.newCustomer(accounts)
	e.insert(doc, true)
	return id, ids, doc
}

func (e *env) insert(customer string, validate bool) {
	e.must(errOf(e.s.InsertCustomer(e.Context(), plain(), []byte(customer), validate)))
}

// newOrder returns an order to insert, with a new id and the given cash.
func (e *env) newOrder(account tpox.ID, cash string) (tpox.ID, string) {
	id := e.id()
	return id, fmt.Sprintf(`<FIXML xmlns=%q><Order ID="%d" Acct="%d" Side="1">`+
		`<OrdQty Qty="1" Cash=%q></OrdQty></Order></FIXML>`, fixml, id, account, cash)
}

func orderXML(id, account tpox.ID, content string) string {
	return fmt.Sprintf(`<FIXML xmlns=%q><Order ID="%d" Acct="%d">%s</Order></FIXML>`, fixml, id, account, content)
}

func positionXML(symbol, name, quantity string) string {
	return "<Position><Symbol>" + symbol + "</Symbol><Name>" + name + "</Name><Type>Stock</Type><Quantity>" + quantity +
		"</Quantity></Position>"
}

func (e *env) insertOrder(doc string) {
	e.must(errOf(e.s.InsertOrder(e.Context(), plain(), []byte(doc))))
}

// edit replaces the first occurrence of from, which must be there.
func (e *env) edit(doc, from, to string) string {
	require.Contains(e, doc, from, "the test's own edit")
	return strings.Replace(doc, from, to, 1)
}

// put replaces the content of the first element with the given name.
func (e *env) put(doc, name, content string) string {
	before, rest, ok := strings.Cut(doc, "<"+name+">")
	_, after, end := strings.Cut(rest, "</"+name+">")
	require.True(e, ok && end, "the test's own edit: no %s in the document", name)
	return before + "<" + name + ">" + content + "</" + name + ">" + after
}

// sample returns min(n, most) of the indexes below n, evenly spread and with both ends.
func sample(n, most int64) (indexes []int64) {
	most = min(n, most)
	for i := range most {
		indexes = append(indexes, i*(n-1)/max(1, most-1))
	}
	return indexes
}

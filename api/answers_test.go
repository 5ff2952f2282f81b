package api_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/beevik/etree"
	"github.com/stretchr/testify/require"

	"brokerage/internal/dataset"
	"brokerage/internal/tpox"
)

// answer is a kind of response body that the domain constructs: the file of its schema, and its root element.
type answer struct{ file, element string }

var (
	orderAnswer        = answer{"order.xsd", "Order"}
	maxOrderAnswer     = answer{"order-messages.xsd", "Customer_Max_Order"}
	statusAnswer       = answer{"order-messages.xsd", "OrderStatus"}
	profileAnswer      = answer{"custacc-messages.xsd", "Customer_Profile"}
	confirmationAnswer = answer{"custacc-messages.xsd", "Trade_Confirmation"}
	summaryAnswer      = answer{"custacc-summary.xsd", "Customer"}
	priceAnswer        = answer{"security-messages.xsd", "Security_Price"}
	searchAnswer       = answer{"security-messages.xsd", "Securities"}
)

// answers calls visit with the domain's answers for the first n documents of each kind.
func answers(t testing.TB, profile dataset.Profile, n int64, visit func(a answer, doc []byte)) {
	t.Helper()
	d := generator(t, "XXXS", profile)
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	var hits []byte
	for i := range n {
		order := d.Append(nil, dataset.Order, i)
		visit(orderAnswer, tpox.Order(order))
		visit(maxOrderAnswer, tpox.MaxOrder(tpox.ID(d.ID(dataset.Customer, i)), order))
		_, status, err := tpox.SetOrderStatus(order, string("012346789ABCDE"[i%14]))
		require.NoError(t, err)
		visit(statusAnswer, status)

		security := d.Append(nil, dataset.Security, i)
		visit(priceAnswer, tpox.SecurityPrice(security))
		keys, err := tpox.SecurityKeysOf(security)
		require.NoError(t, err)
		if keys.Sector != "" {
			hits = tpox.AppendHit(hits[:0], keys)
			visit(searchAnswer, tpox.SearchAnswer(1, hits))
		}

		customer := d.Append(nil, dataset.Customer, i)
		visit(profileAnswer, tpox.CustomerProfile(customer))
		visit(summaryAnswer, tpox.AccountSummary(customer))
		account := tpox.ID(d.FirstAccount(i))
		for _, trade := range []tpox.Trade{
			{Side: tpox.Buy, Symbol: keys.Symbol, Quantity: fmt.Sprint(1+i, ".125"), Now: now},
			{Side: tpox.Sell, Symbol: keys.Symbol, Quantity: fmt.Sprint(1+i, ".125"), Now: now},
		} {
			changed, confirmation, err := trade.Apply(tpox.Rules{MaxHoldings: 100}.WithDefaults(), customer, account,
				tpox.QuoteOf(security))
			require.NoError(t, err)
			visit(confirmationAnswer, confirmation)
			visit(summaryAnswer, tpox.AccountSummary(changed))
			customer = changed
		}
	}
	visit(maxOrderAnswer, tpox.MaxOrder(1002, nil))
	visit(searchAnswer, tpox.SearchAnswer(0, nil))
}

// damaged is a document with one fault that its schema must find, or with none if fault is empty.
type damaged struct {
	answer

	fault string
	doc   []byte
}

// damage returns damaged forms of a valid document, which no schema accepts: with each element in turn under another
// name, with an attribute that it does not have, or with text where its schema has elements only.
func damage(t testing.TB, a answer, doc []byte) (all []damaged) {
	t.Helper()
	tree := etree.NewDocument()
	require.NoError(t, tree.ReadFromBytes(doc))
	write := func(fault string) {
		b, err := tree.WriteToBytes()
		require.NoError(t, err)
		all = append(all, damaged{a, fault, b})
	}
	for _, e := range tree.FindElements("//*") {
		tag := e.Tag
		e.Tag += "x"
		write(e.GetPath() + " under another name")
		e.Tag = tag
		e.CreateAttr("unknown", "1")
		write(e.GetPath() + " with an unknown attribute")
		e.RemoveAttr("unknown")
		if len(e.ChildElements()) > 0 && !mixed(e) {
			text := e.CreateText("x")
			write(e.GetPath() + " with text")
			e.RemoveChild(text)
		}
	}
	return all
}

// mixed reports whether an element contains text beside elements.
func mixed(e *etree.Element) bool {
	return slices.ContainsFunc(e.Child, func(c etree.Token) bool {
		text, ok := c.(*etree.CharData)
		return ok && !text.IsWhitespace()
	})
}

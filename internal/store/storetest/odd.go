package storetest

import (
	"fmt"
	"regexp"
	"strings"

	"brokerage/internal/tpox"
)

var oddCases = []testCase{
	{name: "Odd/Customer", run: func(e *env) {
		for _, form := range []func(string) string{
			func(s string) string { return s },
			func(s string) string { return prefixed(s, custacc) },
			spaced,
			func(s string) string { return "<?xml version='1.0'?><!-- c -->" + s + "<?end?>" },
		} {
			id, accounts, doc := e.newCustomer(2)
			doc = form(e.put(e.put(doc, "LastName", strange), "AccountTitle", "  <![CDATA[<in> CDATA]]>\t&#13;\n "))
			admitted := e.admit(doc)
			want := e.tree(admitted)
			e.insert(string(admitted), true)
			e.same("the customer", want, e.customer(id))
			e.same("the profile", refProfile(want), e.got(e.s.CustomerProfile(e.Context(), id)))
			e.same("the summary", refSummary(want), e.got(e.s.AccountSummary(e.Context(), id)))
			for _, side := range []tpox.Side{tpox.Buy, tpox.Sell} {
				e.trade(id, accounts[0], side, e.held(0), "1.5")
			}
			e.must(e.s.CloseAccount(e.Context(), plain(), id, accounts[1]))
			opened, account := e.newAccount(1)
			e.must(errOf(e.s.OpenAccount(e.Context(), plain(), id, []byte(account))))
			e.belongs(opened, id)
			e.trade(id, opened, tpox.Buy, e.notHeld(0), "2")
		}
	}},
	{name: "Odd/Order", run: func(e *env) {
		customer, accounts, _ := e.insertCustomer(1)
		for i, form := range []string{
			`<f:FIXML xmlns:f="%[1]s"><f:Order ID="%[2]d" Acct="%[3]d" Txt="%[4]s">` +
				`<f:OrdQty Cash=" 1%[5]d.5 "/><plain>x</plain></f:Order></f:FIXML>`,
			`<FIXML xmlns="%[1]s" xmlns:x="urn:x" xmlns:y="urn:y">` +
				`<Order x:ID="1" ID="%[2]d" y:Acct="2" Acct="%[3]d" Txt="%[4]s"><x:OrdQty Cash="99999"/>` +
				`<OrdQty Cash="1%[5]d.5"/> mixed <x:a y:b="&#9;&#10;&#13;"/> text </Order></FIXML>`,
			"<a:FIXML xmlns:a='%[1]s'>\n <b:Order xmlns:b='%[1]s' ID='%[2]d' Acct='%[3]d' Txt=\"%[4]s\">\n" +
				"  <c:OrdQty xmlns:c='%[1]s' Cash='1%[5]d.5'/>\n </b:Order>\n</a:FIXML>",
			`<FIXML xmlns="%[1]s"><Hdr xmlns="">x</Hdr><Order ID="%[2]d" Acct="%[3]d" Txt="%[4]s">` +
				`<none xmlns=""><OrdQty Cash="7777"/></none><OrdQty Cash="1%[5]d.5"/></Order>` +
				`<Order ID="1" Acct="1"/></FIXML>`,
		} {
			id := e.id()
			doc := e.admit(fmt.Sprintf(form, fixml, id, accounts[0], strange, i))
			e.insertOrder(string(doc))
			e.same("the order", e.tree(doc).child("Order"), e.order(id))
			e.same("the largest order", refMaxOrder(e.customer(customer), []*element{e.tree(doc)}),
				e.got(e.s.CustomerMaxOrder(e.Context(), customer)))
		}
	}},
	{name: "Odd/Security", run: func(e *env) {
		symbol, doc := e.listed()
		text := " \t" + strange + "<Risk> a </Risk> <Risk>b</Risk>\n<CEO></CEO> \U0001F680<Product>  </Product>"
		for _, form := range []func(string) string{
			func(s string) string { return s },
			func(s string) string { return prefixed(s, security) },
		} {
			admitted := e.admit(form(e.put(e.put(doc, "BusinessSummary", text), "Name", "株 &amp; \U0001F600")))
			e.must(e.s.ReplaceSecurity(e.Context(), plain(), symbol, admitted, true, nil))
			want := e.tree(admitted)
			e.same("the security", want, e.security(symbol))
			e.equal("its prose", want.child("SecurityInformation", "Description", "BusinessSummary").String(),
				e.security(symbol).child("SecurityInformation", "Description", "BusinessSummary").String())
			e.setPrice(symbol, tpox.Price{LastTrade: "12.3456"})
			pe := tenThousandths(e, want.child("PE").text())
			e.search([]*element{want}, tpox.Search{Sector: refSector(want).text(), PEMin: pe, PEMax: pe, YieldMin: -1})
			id, account := e.rich("0.00", "0.00", "NONE", "1")
			e.trade(id, account, tpox.Buy, symbol, "1") // the name is copied into the position
		}
	}},
	{name: "Odd/Account", run: func(e *env) {
		_, account := e.newAccount(2)
		doc := e.admit(prefixed(e.put(account, "AccountTitle", strange), custacc))
		want := e.customers[0].clone()
		want.child("Accounts").add(e.tree(doc))
		e.must(errOf(e.s.OpenAccount(e.Context(), plain(), e.customerID(0), doc)))
		e.same("the customer", want, e.customer(e.customerID(0)))
		e.same("the summary", refSummary(want), e.got(e.s.AccountSummary(e.Context(), e.customerID(0))))
	}},
}

var empty = regexp.MustCompile(`(<[^/>][^>]*>)</`)

// spaced returns a document with white space between all tags, but not within an empty element, where it depends on
// the schema whether white space is content.
func spaced(doc string) string {
	doc = strings.ReplaceAll(empty.ReplaceAllString(doc, "$1\x00</"), "><", ">\r\n\t <")
	return strings.ReplaceAll(doc, "\x00", "")
}

// prefixed returns a document with a prefix in place of its default namespace.
func prefixed(doc, namespace string) string {
	doc = strings.ReplaceAll(doc, "</", "\x00")
	doc = strings.ReplaceAll(strings.ReplaceAll(doc, "<", "<odd:"), "<odd:!", "<!")
	doc = strings.ReplaceAll(doc, "\x00", "</odd:")
	return strings.Replace(doc, `xmlns="`+namespace+`"`, `xmlns:odd="`+namespace+`"`, 1)
}

const strange = "\U0001F600 \u00e9e\u0301 \u682a &lt;&amp;&gt;&quot;' \u00a0\u2028  two  blanks \U0010FFFF]]&gt; "

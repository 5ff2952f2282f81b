package brokerage

import (
	"fmt"

	"brokerage/internal/xmldoc"
)

// CustomerKeys are what a customer is found by.
type CustomerKeys struct {
	ID       ID
	Accounts []ID
}

var (
	customerRoot = path("c:Customer")
	accounts     = path("c:Customer/c:Accounts/c:Account")
	accountList  = path("c:Customer/c:Accounts")
	accountRoot  = path("c:Account")
)

// CustomerKeysOf reads the keys; a document without proper ones is *Invalid.
func CustomerKeysOf(doc []byte) (keys CustomerKeys, err error) {
	customer := customerRoot.Find(in(doc))
	if !customer.Exists() {
		return keys, invalidf("", "the root element is not Customer in namespace %s", CustAccNS)
	}
	invalid := &Invalid{}
	var ok bool
	if keys.ID, ok = ParseID(customer.Attr("id").Text()); !ok {
		invalid.add("/Customer/@id", notAnID)
	}
	seen := make(map[ID]bool, 4) // what a client sends may have tens of thousands
	for account := range accounts.All(in(doc)) {
		switch id, ok := ParseID(account.Attr("id").Text()); {
		case !ok:
			invalid.add("/Customer/Accounts/Account/@id", notAnID)
		case seen[id]:
			invalid.add("/Customer/Accounts/Account/@id", "account %d stands twice", id)
		default:
			seen[id] = true
			keys.Accounts = append(keys.Accounts, id)
		}
	}
	return keys, invalid.orNil()
}

// AccountKeyOf reads the id of an Account that is to be opened.
func AccountKeyOf(account []byte) (ID, error) {
	n := accountRoot.Find(in(account))
	if !n.Exists() {
		return 0, invalidf("", "the root element is not Account in namespace %s", CustAccNS)
	}
	id, ok := ParseID(n.Attr("id").Text())
	if !ok {
		return 0, invalidf("/Account/@id", notAnID)
	}
	return id, nil
}

var profileParts = paths(
	"c:Customer/@id",
	"c:Customer/c:Name",
	"c:Customer/c:DateOfBirth",
	"c:Customer/c:Gender",
	"c:Customer/c:CountryOfResidence",
	"c:Customer/c:Languages",
	"c:Customer/c:Addresses",
	"c:Customer/c:Addresses[1]/c:EmailAddresses",
)

var addresses = path("c:Address")

// CustomerProfile constructs the answer of customer_profile.
func CustomerProfile(doc []byte) []byte {
	var part [8]xmldoc.Node
	profileParts.Find(in(doc), part[:])
	dst := root(make([]byte, 0, 2048), "Customer_Profile", CustAccNS)
	dst = append(attribute(dst, "CUSTOMERID", text(part[0])), '>')
	for _, n := range part[1:6] {
		dst = n.AppendWithin(dst, CustAccNS)
	}
	dst = open(dst, "Addresses")
	for address := range addresses.All(part[6]) {
		dst = address.AppendWithin(dst, CustAccNS)
	}
	dst = closed(dst, "Addresses")
	dst = part[7].AppendWithin(dst, CustAccNS)
	return closed(dst, "Customer_Profile")
}

var (
	summaryParts  = paths("c:Customer/@id", "c:Customer/c:Name")
	accountParts  = paths("@id", "c:Balance[1]/c:OnlineActualBal", "c:Currency", "c:Holdings", "c:gValueDate")
	positions     = path("c:Position")
	positionParts = paths("c:Symbol", "c:Name", "c:Quantity")
	valueDates    = path("c:mValueDate")
)

// AccountSummary constructs the answer of account_summary.
func AccountSummary(doc []byte) []byte {
	var head [2]xmldoc.Node
	summaryParts.Find(in(doc), head[:])
	dst := root(make([]byte, 0, len(doc)), "Customer", CustAccNS)
	dst = append(attribute(dst, "id", text(head[0])), '>')
	dst = head[1].AppendWithin(dst, CustAccNS)
	dst = open(dst, "Customer_Securities")
	for account := range accounts.All(in(doc)) {
		var part [5]xmldoc.Node
		accountParts.Find(account, part[:])
		dst = append(dst, "<Account"...)
		dst = attribute(dst, "ACCOUNT_ID", text(part[0]))
		dst = attribute(dst, "BALANCE", text(part[1]))
		dst = attribute(dst, "CURRENCY", text(part[2]))
		dst = append(dst, "><Securities>"...)
		for position := range positions.All(part[3]) {
			var field [3]xmldoc.Node
			positionParts.Find(position, field[:])
			dst = open(dst, "Position")
			for _, n := range field {
				dst = n.AppendWithin(dst, CustAccNS)
			}
			dst = closed(dst, "Position")
		}
		dst = append(dst, "</Securities><Statement>"...)
		for date := range valueDates.All(part[4]) {
			dst = date.AppendWithin(dst, CustAccNS)
		}
		dst = append(dst, "</Statement></Account>"...)
	}
	return append(dst, "</Customer_Securities></Customer>"...)
}

// findAccount gives the account of that id in a customer.
func findAccount(doc []byte, id ID) (account xmldoc.Node, count int) {
	key := id.String()
	for n := range accounts.All(in(doc)) {
		count++
		if !account.Exists() && n.Attr("id").Is(key) {
			account = n
		}
	}
	return account, count
}

// CloseAccount takes an account out of its customer.
func CloseAccount(doc []byte, id ID) ([]byte, error) {
	account, count := findAccount(doc, id)
	switch {
	case !account.Exists():
		return nil, NoAccount(id)
	case count == 1:
		return nil, &Conflict{LastAccount, fmt.Sprintf("account %d is the customer's last", id)}
	}
	e := xmldoc.Edit(doc)
	e.Delete(account)
	return e.Apply(nil)
}

// MaxCustomer is how many bytes a customer may have to be given one more account. A request has a bound, but a customer
// that grows by each would have none: all that is done with it costs in proportion.
const MaxCustomer = 4 << 20

// OpenAccount puts an account, as the last, into a customer. Whether its id is
// new, and the result valid, is for the caller to see.
func OpenAccount(doc, account []byte) ([]byte, error) {
	list := accountList.Find(in(doc))
	if !list.Exists() {
		return nil, invalidf("/Customer", "the customer has no Accounts")
	}
	if len(doc)+len(account) > MaxCustomer {
		return nil, invalidf("/Customer/Accounts", "with the account, the customer would have more than %d bytes", MaxCustomer)
	}
	e := xmldoc.Edit(doc)
	e.Append(list, xmldoc.Root(account))
	return e.Apply(nil)
}

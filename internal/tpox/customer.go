package tpox

import "brokerage/internal/xmldoc"

// CustomerKeys are the keys of a customer in a store.
type CustomerKeys struct {
	ID       ID
	Accounts []ID
}

var (
	customerRoot = path("c:Customer")
	accounts     = path("c:Customer/c:Accounts/c:Account")

	positions     = path("c:Position") // below an account's Holdings
	positionParts = paths("c:Symbol", "c:Name", "c:Quantity")
)

// CustomerKeysOf reads the keys of a customer, or returns *Invalid for a document without proper ones.
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
	seen := make(map[ID]bool, 4) // a client may send tens of thousands of accounts
	for account := range accounts.All(in(doc)) {
		switch id, ok := ParseID(account.Attr("id").Text()); {
		case !ok:
			invalid.add("/Customer/Accounts/Account/@id", notAnID)
		case seen[id]:
			invalid.add("/Customer/Accounts/Account/@id", "account %d appears twice", id)
		default:
			seen[id] = true
			keys.Accounts = append(keys.Accounts, id)
		}
	}
	return keys, invalid.orNil()
}

// findAccount returns the account with the given id in a customer, and the number of the customer's accounts.
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

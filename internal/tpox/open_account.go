package tpox

import (
	"brokerage/internal/schema"
	"brokerage/internal/xmldoc"
)

var (
	accountBody = schema.Body("custacc-messages.xsd", "Account")
	accountRoot = path("c:Account")
	accountList = path("c:Customer/c:Accounts")
)

// CheckAccount validates an Account to be opened, except for its key. The error is *Invalid.
func CheckAccount(body []byte) error { return validate(accountBody(), body) }

// AccountKeyOf returns the id of an Account to be opened. The error is *Invalid.
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

// MaxCustomerBytes is the size beyond which a customer gets no further account. A request has a limit, but a customer
// that grows by each would have none, and every operation on it costs in proportion to its size.
const MaxCustomerBytes = 4 << 20

// OpenAccount adds an account after the other accounts of a customer. The caller checks that its id is new, and
// validates the result.
func OpenAccount(doc, account []byte) ([]byte, error) {
	list := accountList.Find(in(doc))
	if !list.Exists() {
		return nil, invalidf("/Customer", "the customer has no Accounts")
	}
	if len(doc)+len(account) > MaxCustomerBytes {
		return nil, invalidf("/Customer/Accounts",
			"with the account, the customer would have more than %d bytes", MaxCustomerBytes)
	}
	e := xmldoc.Edit(doc)
	e.Append(list, xmldoc.Root(account))
	return e.Apply(nil)
}

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
	n := accountRoot.Find(xmldoc.Document(account))
	if !n.Exists() {
		return 0, invalidf("", "the root element is not Account in namespace %s", CustAccNS)
	}
	id, ok := ParseID(n.Attr("id").Text())
	if !ok {
		return 0, invalidf("/Account/@id", notAnID)
	}
	return id, nil
}

// OpenAccount adds an account after the other accounts of a customer, or returns *Conflict if the customer would be too
// large. The caller checks that the account's id is new, and validates the result.
func OpenAccount(rules Rules, doc, account []byte) ([]byte, error) {
	list := accountList.Find(xmldoc.Document(doc))
	if !list.Exists() {
		return nil, invalidf("/Customer", "the customer has no Accounts")
	}
	e := xmldoc.Edit(doc)
	e.Append(list, xmldoc.Root(account))
	changed, err := e.Apply(nil)
	if err == nil {
		err = rules.CheckGrowth(len(doc), len(changed))
	}
	return changed, err
}

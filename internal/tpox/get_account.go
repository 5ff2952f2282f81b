package tpox

import (
	"fmt"

	"brokerage/internal/xmldoc"
)

// Account is an account as it is stored, with its owner.
type Account struct {
	Customer ID
	Document []byte // the Account element, complete in itself
}

// HasAccount reports whether a customer has the account with the given id.
func HasAccount(customer []byte, id ID) bool {
	account, _ := findAccount(customer, id)
	return account.Exists()
}

// AccountOf returns the account with the given id from its customer, or *NotFound or *Damaged.
func AccountOf(customer []byte, id ID) (Account, error) {
	account, _ := findAccount(customer, id)
	if !account.Exists() {
		return Account{}, NoAccount(id)
	}
	owner, ok := ParseID(customerRoot.Find(xmldoc.Document(customer)).Attr("id").Text())
	if !ok {
		return Account{}, &Damaged{Cause: fmt.Errorf("the customer of account %d has no valid id", id)}
	}
	return Account{owner, account.AppendStandalone(nil)}, nil
}

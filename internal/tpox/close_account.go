package tpox

import (
	"fmt"

	"brokerage/internal/xmldoc"
)

// CloseAccount returns a customer without the account with the given id. The error is *NotFound if the customer has
// none of that id, and *Conflict if it is the last.
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

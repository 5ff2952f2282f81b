package db2

import (
	"cmp"

	"brokerage/internal/brokerage"
)

// errNoReason is the error of a refused request in which nothing is found wrong: what it was refused for has changed
// since, and another attempt may succeed.
var errNoReason error = &ServerError{
	Code: codeRolledBack, Message: "the document was changed after the statement was refused",
}

// explain returns why a statement has not changed a document: none where that does not exist, else what judge finds in
// it by the service's own rules, or otherwise where that is nothing.
func (t *tx) explain(name, key string, none, otherwise error, judge func(doc []byte) error) error {
	doc, err := t.document(name, key)
	switch {
	case err != nil:
		return err
	case doc == nil:
		return none
	}
	return cmp.Or(judge(doc), otherwise)
}

// withFindings returns what the service's own validator finds in a document where the database has refused it: the
// database reports one finding without its place, the validator lists all. Any other error is returned unchanged.
func withFindings(err error, validate func(doc []byte) error, doc []byte) error {
	if refused := refusal(err); refused != nil {
		return cmp.Or(validate(doc), refused)
	}
	return err
}

// duplicateAccount returns the *Conflict that names the first account of a customer that another customer has.
func (t *tx) duplicateAccount(keys brokerage.CustomerKeys) error {
	for _, account := range keys.Accounts {
		owner, err := customerOf(t.ctx, t, account)
		if err != nil {
			return err
		}
		if owner != nil && *owner != keys.ID {
			return brokerage.DuplicateAccount(account)
		}
	}
	return brokerage.DuplicateAccount(keys.Accounts[0]) // the other customer has closed it since
}

package brokerage

// CustomerToReplace is CustomerToStore for a customer that must have the given id.
func CustomerToReplace(id ID, doc []byte, validate bool) (CustomerKeys, error) {
	keys, err := CustomerKeysOf(doc)
	switch {
	case err != nil:
		return keys, err
	case keys.ID != id:
		return keys, WrongKey("/Customer/@id", id.String())
	case validate:
		err = ValidateCustomer(doc)
	}
	return keys, err
}

// SecurityToReplace reads the keys of a security, which must have the given symbol, and validates the security if
// validate is set.
func SecurityToReplace(symbol string, doc []byte, validate bool) (SecurityKeys, error) {
	keys, err := SecurityKeysOf(doc)
	switch {
	case err != nil:
		return keys, err
	case keys.Symbol != symbol:
		return keys, WrongKey("/Security/Symbol", symbol)
	case validate:
		err = ValidateSecurity(doc)
	}
	return keys, err
}

package brokerage

// CustomerToStore reads the keys of a customer that is to be stored, and
// validates it if that is wanted.
func CustomerToStore(doc []byte, validate bool) (CustomerKeys, error) {
	keys, err := CustomerKeysOf(doc)
	if err == nil && validate {
		err = ValidateCustomer(doc)
	}
	return keys, err
}

// CustomerToReplace is CustomerToStore of one that takes the place of id.
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

// SecurityToReplace reads the keys of a security that takes the place of symbol,
// and validates it if that is wanted.
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

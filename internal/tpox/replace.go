package tpox

// CustomerToReplace is CustomerToStore for a customer that must have the given id.
func CustomerToReplace(id ID, doc []byte, validate bool) (CustomerKeys, error) {
	keys, err := CustomerKeysOf(doc)
	if err == nil && keys.ID != id {
		err = WrongKey("/Customer/@id", id.String())
	}
	if err == nil && validate {
		err = ValidateCustomer(doc)
	}
	return keys, err
}

// SecurityToReplace reads the keys of a security, which must have the given symbol, and validates the security if
// validate is set.
func SecurityToReplace(symbol string, doc []byte, validate bool) (SecurityKeys, error) {
	keys, err := SecurityKeysOf(doc)
	if err == nil && keys.Symbol != symbol {
		err = WrongKey("/Security/Symbol", symbol)
	}
	if err == nil && validate {
		err = ValidateSecurity(doc)
	}
	return keys, err
}

package tpox

// CustomerToStore reads the keys of a customer to be stored, and validates the customer if validate is set.
func CustomerToStore(doc []byte, validate bool) (CustomerKeys, error) {
	keys, err := CustomerKeysOf(doc)
	if err == nil && validate {
		err = ValidateCustomer(doc)
	}
	return keys, err
}

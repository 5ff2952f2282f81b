package guard

import "brokerage/internal/brokerage"

// An operation describes a method of a store.
type operation struct {
	name     string               // of the transaction, or of the operation beside them
	declared brokerage.ErrorKinds // that the method may return
	writes   bool
}

// transaction returns the operation of the transaction with the given name, as the registry declares it.
func transaction(name string) *operation {
	t := brokerage.Named(name)
	if t.Kind == brokerage.Query {
		return query(name, t.Errors)
	}
	return write(name, t.Errors)
}

func query(name string, declared brokerage.ErrorKinds) *operation {
	return &operation{name: name, declared: declared | brokerage.IsUnavailable}
}

func write(name string, declared brokerage.ErrorKinds) *operation {
	return &operation{name: name, declared: declared | brokerage.IsKeyError | brokerage.IsUnavailable, writes: true}
}

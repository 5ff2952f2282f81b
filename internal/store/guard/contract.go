package guard

import "brokerage/internal/brokerage"

// operation is a method of a store: its name for observers, and the kinds of errors that it may return.
type operation struct {
	name     string
	declared brokerage.ErrorKinds
	writes   bool
}

// transaction returns one of the 17 as the registry declares it.
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

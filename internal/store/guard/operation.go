package guard

import "brokerage/internal/brokerage"

// An operation describes a method of a store.
type operation struct {
	name     string               // of the transaction, or of the operation beside them
	declared brokerage.ErrorKinds // that the method may return
	writes   bool
}

// The operations of methods that are not one transaction of the registry. Lease takes no idempotency key.
var (
	opGetCustomer     = query("get_customer", brokerage.IsNotFound)
	opGetAccount      = query("get_account", brokerage.IsNotFound)
	opReplaceCustomer = write("replace_customer",
		brokerage.IsNotFound|brokerage.IsConflict|brokerage.IsInvalid|brokerage.IsStale)
	opReplaceSecurity = write("replace_security", brokerage.IsNotFound|brokerage.IsInvalid|brokerage.IsStale)
	opBuySecurity     = transaction("buy_security")
	opSellSecurity    = transaction("sell_security")
	opContents        = query("contents", 0)
	opLease           = &operation{
		name: "lease", declared: brokerage.IsNotFound | brokerage.IsInvalid | brokerage.IsUnavailable, writes: true,
	}
	opReady = query("ready", 0)
)

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

package guard

import "brokerage/internal/tpox"

// An operation describes a method of a store.
type operation struct {
	name     string          // of the transaction, or of the operation beside them
	declared tpox.ErrorKinds // that the method may return
	writes   bool
}

// The operations of methods that are not one transaction of the registry. Lease takes no idempotency key.
var (
	opGetCustomer     = query("get_customer", tpox.IsNotFound)
	opGetAccount      = query("get_account", tpox.IsNotFound)
	opReplaceCustomer = write("replace_customer",
		tpox.IsNotFound|tpox.IsConflict|tpox.IsInvalid|tpox.IsStale)
	opReplaceSecurity = write("replace_security", tpox.IsNotFound|tpox.IsInvalid|tpox.IsStale)
	opBuySecurity     = transaction("buy_security")
	opSellSecurity    = transaction("sell_security")
	opContents        = query("contents", 0)
	opLease           = &operation{
		name: "lease", declared: tpox.IsNotFound | tpox.IsConflict | tpox.IsInvalid | tpox.IsUnavailable, writes: true,
	}
	opReady = query("ready", 0)
)

// transaction returns the operation of the transaction with the given name, as the registry declares it.
func transaction(name string) *operation {
	t := tpox.Named(name)
	if t.Kind == tpox.Query {
		return query(name, t.Errors)
	}
	return write(name, t.Errors)
}

func query(name string, declared tpox.ErrorKinds) *operation {
	return &operation{name: name, declared: declared | tpox.IsUnavailable}
}

func write(name string, declared tpox.ErrorKinds) *operation {
	return &operation{name: name, declared: declared | tpox.IsKeyError | tpox.IsUnavailable, writes: true}
}

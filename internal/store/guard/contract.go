package guard

import (
	"context"
	"errors"

	"brokerage/internal/brokerage"
)

// operation is a method of a store: its name for others, and which errors it
// may give beside those that all may.
type operation struct {
	name     string
	declared kinds
	writes   bool
}

// kinds is a set of kinds of errors.
type kinds uint8

const (
	notFound kinds = 1 << iota
	conflict
	invalid
	stale
	keyed  // the idempotency key's: *KeyReused, and *Conflict because of KeyInUse
	always // *Unavailable, *Damaged and the context's
)

func query(name string, declared kinds) *operation {
	return &operation{name: name, declared: declared | always}
}

func write(name string, declared kinds) *operation {
	return &operation{name: name, declared: declared | keyed | always, writes: true}
}

// The contract: the 17 in their order, and what is beside them.
var (
	getOrder         = query("get_order", notFound)
	getSecurity      = query("get_security", notFound)
	customerProfile  = query("customer_profile", notFound)
	searchSecurities = query("search_securities", 0)
	accountSummary   = query("account_summary", notFound)
	securityPrice    = query("get_security_price", notFound)
	customerMaxOrder = query("customer_max_order", notFound)

	closeAccount        = write("close_account", notFound|conflict)
	openAccount         = write("open_account", notFound|conflict|invalid)
	updateSecurityPrice = write("update_security_price", notFound|invalid)
	updateOrderStatus   = write("update_order_status", notFound|invalid)
	buySecurity         = write("buy_security", notFound|conflict|invalid)
	sellSecurity        = write("sell_security", notFound|conflict|invalid)
	insertOrder         = write("insert_order", conflict|invalid)
	insertCustomer      = write("insert_customer", conflict|invalid)
	deleteOrder         = write("delete_order", notFound)
	deleteCustomer      = write("delete_customer", notFound)

	getCustomer     = query("get_customer", notFound)
	customerOf      = query("customer_of", notFound)
	replaceCustomer = write("replace_customer", notFound|conflict|invalid|stale)
	replaceSecurity = write("replace_security", notFound|invalid|stale)
	contents        = query("contents", 0)
	lease           = &operation{"lease", notFound | invalid | always, true} // without a key
	ready           = query("ready", 0)
)

// kindOf gives the kind of an error, or none. Unavailable and Damaged come first,
// because their cause may be anything.
func kindOf(err error) kinds {
	switch {
	case is[*brokerage.Unavailable](err), is[*brokerage.Damaged](err), errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return always
	case is[*brokerage.NotFound](err):
		return notFound
	case is[*brokerage.Conflict](err):
		if c, _ := errors.AsType[*brokerage.Conflict](err); c.Reason == brokerage.KeyInUse {
			return keyed
		}
		return conflict
	case is[*brokerage.Invalid](err):
		return invalid
	case is[*brokerage.Stale](err):
		return stale
	case is[*brokerage.KeyReused](err):
		return keyed
	}
	return 0
}

func is[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}

package workload

import (
	"fmt"
	"slices"

	"brokerage/internal/brokerage"
)

// Transactions of a mix are known by their place here: first the 17 in the
// registry's order, which init holds them to, then those of the older mix that
// are a GET and a PUT together.
const (
	getOrder = iota
	getSecurity
	customerProfile
	searchSecurities
	accountSummary
	getSecurityPrice
	customerMaxOrder
	closeAccount
	openAccount
	updateSecurityPrice
	updateOrderStatus
	buySecurity
	sellSecurity
	insertOrder
	insertCustomer
	deleteOrder
	deleteCustomer
	updCustacc
	updSecurity
)

var registry = append(slices.Clone(brokerage.Transactions[:]),
	brokerage.Transaction{Name: "upd_custacc", Kind: brokerage.Update},
	brokerage.Transaction{Name: "upd_security", Kind: brokerage.Update},
)

func init() {
	for i, name := range map[int]string{
		getOrder: "get_order", closeAccount: "close_account", sellSecurity: "sell_security", deleteCustomer: "delete_customer", updSecurity: "upd_security",
	} {
		if registry[i].Name != name {
			panic(fmt.Sprintf("workload: transaction %d is %s, not %s", i, registry[i].Name, name))
		}
	}
}

// Transactions are all that a mix may hold.
func Transactions() []brokerage.Transaction { return slices.Clone(registry) }

// find gives the place of a transaction, -1 if there is none of that name.
func find(name string) int {
	return slices.IndexFunc(registry, func(t brokerage.Transaction) bool { return t.Name == name })
}

var kinds = [...]brokerage.Kind{brokerage.Query, brokerage.Update, brokerage.Insert, brokerage.Delete}

// source is the transaction that makes what another takes away.
var source = map[int]int{deleteOrder: insertOrder, deleteCustomer: insertCustomer, closeAccount: openAccount}

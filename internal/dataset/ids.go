package dataset

// The first ids. Clients may rely on them.
const (
	FirstCustomer = 1002
	FirstOrder    = 103282
	FirstAccount  = 104_000_000
)

// ID returns the id in document i of kind k. Like all functions on ids it also works beyond the end of the dataset,
// where the ids of new documents come from.
func (*Dataset) ID(k Kind, i int64) int64 {
	return [...]int64{Security: 1, Customer: FirstCustomer, Order: FirstOrder}[k] + i
}

// Accounts returns how many accounts customer k has.
func (d *Dataset) Accounts(k int64) int {
	return int(accountsBefore(d.spec.Profile, k+1) - accountsBefore(d.spec.Profile, k))
}

// FirstAccount returns the id of the first account of customer k. The ids of the others follow without a gap.
func (d *Dataset) FirstAccount(k int64) int64 {
	if d.spec.Profile == TPoX1 {
		return FirstAccount + 7*k
	}
	return FirstAccount + accountsBefore(TPoX2, k)
}

// TotalAccounts returns how many accounts all customers together have.
func (d *Dataset) TotalAccounts() int64 { return accountsBefore(d.spec.Profile, d.customers) }

// AccountAt returns the id of the n-th account, from 0, counted over all customers in order.
func (d *Dataset) AccountAt(n int64) int64 {
	if d.spec.Profile == TPoX2 {
		return FirstAccount + n // dense
	}
	// Pairs of customers have three accounts: one the even, two the odd customer.
	pair, r := n/3, n%3
	if r == 0 {
		return FirstAccount + 7*(2*pair)
	}
	return FirstAccount + 7*(2*pair+1) + r - 1
}

// accountsBefore counts the accounts of the customers 0 to k-1.
func accountsBefore(p Profile, k int64) int64 {
	if p == TPoX1 {
		return 3*(k/2) + k%2
	}
	return 6*(k/3) + [...]int64{0, 1, 3}[k%3]
}

package storetest

import "brokerage/internal/tpox"

// transactions are the 17, in the order of tpox.Transactions.
var transactions = [len(tpox.Transactions)]*transaction{
	getOrder,
	getSecurity,
	customerProfile,
	searchSecurities,
	accountSummary,
	getSecurityPrice,
	customerMaxOrder,
	closeAccount,
	openAccount,
	updateSecurityPrice,
	updateOrderStatus,
	buySecurity,
	sellSecurity,
	insertOrder,
	insertCustomer,
	deleteOrder,
	deleteCustomer,
}

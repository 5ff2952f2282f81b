package brokerage

// Kind says what a transaction does to the database.
type Kind uint8

const (
	Query Kind = iota
	Update
	Insert
	Delete
)

func (k Kind) String() string {
	return [...]string{"query", "update", "insert", "delete"}[k]
}

// Transaction describes one transaction. Its name is its name everywhere: in files, routes, SQL, metrics and reports.
type Transaction struct {
	Code   string // as the TPoX papers number them
	Name   string
	Kind   Kind
	Weight int        // percent of the mixed workload
	Errors ErrorKinds // that a store may return, beside those that every operation may
	// Answer is the name of the root element of the answer; empty where the answer has no body.
	Answer string
	// NewID is the kind of ids that each request needs one of, and Store.Lease hands out; empty for none.
	NewID string
	// Validated says that the whole resulting document is checked against its schema, and nothing is changed where it
	// does not conform.
	Validated bool
}

// Transactions are the 17 of the scenario, in its order. What else lists them is generated from here, or reads this.
var Transactions = [...]Transaction{
	{Code: "Q1", Name: "get_order", Kind: Query, Weight: 10, Errors: IsNotFound, Answer: "Order"},
	{Code: "Q2", Name: "get_security", Kind: Query, Weight: 10, Errors: IsNotFound, Answer: "Security"},
	{Code: "Q3", Name: "customer_profile", Kind: Query, Weight: 10, Errors: IsNotFound, Answer: "Customer_Profile"},
	{Code: "Q4", Name: "search_securities", Kind: Query, Weight: 10, Answer: "Securities"},
	{Code: "Q5", Name: "account_summary", Kind: Query, Weight: 10, Errors: IsNotFound, Answer: "Customer"},
	{Code: "Q6", Name: "get_security_price", Kind: Query, Weight: 10, Errors: IsNotFound, Answer: "Security_Price"},
	{Code: "Q7", Name: "customer_max_order", Kind: Query, Weight: 10, Errors: IsNotFound, Answer: "Customer_Max_Order"},
	{Code: "U1", Name: "close_account", Kind: Update, Weight: 1, Errors: IsNotFound | IsConflict},
	{Code: "U2", Name: "open_account", Kind: Update, Weight: 1, Errors: IsNotFound | IsConflict | IsInvalid,
		NewID: "account", Validated: true},
	{Code: "U3", Name: "update_security_price", Kind: Update, Weight: 3, Errors: IsNotFound | IsInvalid,
		Answer: "Security_Price"},
	{Code: "U4", Name: "update_order_status", Kind: Update, Weight: 3, Errors: IsNotFound | IsInvalid,
		Answer: "OrderStatus", Validated: true},
	{Code: "U5", Name: "buy_security", Kind: Update, Weight: 3, Errors: IsNotFound | IsConflict | IsInvalid,
		Answer: "Trade_Confirmation"},
	{Code: "U6", Name: "sell_security", Kind: Update, Weight: 3, Errors: IsNotFound | IsConflict | IsInvalid,
		Answer: "Trade_Confirmation"},
	{Code: "I1", Name: "insert_order", Kind: Insert, Weight: 7, Errors: IsConflict | IsInvalid, NewID: "order"},
	{Code: "I2", Name: "insert_customer", Kind: Insert, Weight: 1, Errors: IsConflict | IsInvalid,
		NewID: "customer", Validated: true},
	{Code: "D1", Name: "delete_order", Kind: Delete, Weight: 7, Errors: IsNotFound},
	{Code: "D2", Name: "delete_customer", Kind: Delete, Weight: 1, Errors: IsNotFound},
}

// Named returns the transaction with the given name, one of the 17, and panics when there is none: it is for
// initializing variables.
func Named(name string) *Transaction {
	for i := range Transactions {
		if Transactions[i].Name == name {
			return &Transactions[i]
		}
	}
	panic("brokerage: no transaction is named " + name)
}

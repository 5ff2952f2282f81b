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

// Transaction is one of the 17. Its name is its name everywhere: in routes,
// methods, SQL files, metrics and reports.
type Transaction struct {
	Code   string // as the TPoX papers number them
	Name   string
	Kind   Kind
	Weight int // percent of the mixed workload
	// Validated: the whole resulting document is valid by its schema, or
	// nothing is changed.
	Validated bool
}

// Transactions are the 17 of the scenario, in its order.
var Transactions = [...]Transaction{
	{Code: "Q1", Name: "get_order", Kind: Query, Weight: 10},
	{Code: "Q2", Name: "get_security", Kind: Query, Weight: 10},
	{Code: "Q3", Name: "customer_profile", Kind: Query, Weight: 10},
	{Code: "Q4", Name: "search_securities", Kind: Query, Weight: 10},
	{Code: "Q5", Name: "account_summary", Kind: Query, Weight: 10},
	{Code: "Q6", Name: "get_security_price", Kind: Query, Weight: 10},
	{Code: "Q7", Name: "customer_max_order", Kind: Query, Weight: 10},
	{Code: "U1", Name: "close_account", Kind: Update, Weight: 1},
	{Code: "U2", Name: "open_account", Kind: Update, Weight: 1, Validated: true},
	{Code: "U3", Name: "update_security_price", Kind: Update, Weight: 3},
	{Code: "U4", Name: "update_order_status", Kind: Update, Weight: 3, Validated: true},
	{Code: "U5", Name: "buy_security", Kind: Update, Weight: 3},
	{Code: "U6", Name: "sell_security", Kind: Update, Weight: 3},
	{Code: "I1", Name: "insert_order", Kind: Insert, Weight: 7},
	{Code: "I2", Name: "insert_customer", Kind: Insert, Weight: 1, Validated: true},
	{Code: "D1", Name: "delete_order", Kind: Delete, Weight: 7},
	{Code: "D2", Name: "delete_customer", Kind: Delete, Weight: 1},
}

package tpox

import "context"

// Kind is what a transaction does to the database.
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

// Transaction describes a transaction. Its name is the same in files, operation ids, SQL, metrics and reports.
type Transaction struct {
	Code   string // in the papers on TPoX
	Name   string
	Kind   Kind
	Weight int // in the mixed workload, in percent; 0 for a transaction that is not in it
	// Answer is the root element of the response; empty for a response without a body.
	Answer string
	// NewID is the kind of the new id that each request needs, from Store.Lease; empty for none.
	NewID string
	// Validated means that the resulting document is validated as a whole, and nothing is changed if it is not valid.
	Validated bool
}

// Transactions are the 17 of the scenario, in its order.
var Transactions = [...]Transaction{
	{Code: "Q1", Name: "get_order", Kind: Query, Weight: 10, Answer: "Order"},
	{Code: "Q2", Name: "get_security", Kind: Query, Weight: 10, Answer: "Security"},
	{Code: "Q3", Name: "customer_profile", Kind: Query, Weight: 10, Answer: "Customer_Profile"},
	{Code: "Q4", Name: "search_securities", Kind: Query, Weight: 10, Answer: "Securities"},
	{Code: "Q5", Name: "account_summary", Kind: Query, Weight: 10, Answer: "Customer"},
	{Code: "Q6", Name: "get_security_price", Kind: Query, Weight: 10, Answer: "Security_Price"},
	{Code: "Q7", Name: "customer_max_order", Kind: Query, Weight: 10, Answer: "Customer_Max_Order"},
	{Code: "U1", Name: "close_account", Kind: Update, Weight: 1},
	{Code: "U2", Name: "open_account", Kind: Update, Weight: 1, NewID: "account", Validated: true},
	{Code: "U3", Name: "update_security_price", Kind: Update, Weight: 3, Answer: "Security_Price"},
	{Code: "U4", Name: "update_order_status", Kind: Update, Weight: 3, Answer: "OrderStatus", Validated: true},
	{Code: "U5", Name: "buy_security", Kind: Update, Weight: 3, Answer: "Trade_Confirmation"},
	{Code: "U6", Name: "sell_security", Kind: Update, Weight: 3, Answer: "Trade_Confirmation"},
	{Code: "I1", Name: "insert_order", Kind: Insert, Weight: 7, NewID: "order"},
	{Code: "I2", Name: "insert_customer", Kind: Insert, Weight: 1, NewID: "customer", Validated: true},
	{Code: "D1", Name: "delete_order", Kind: Delete, Weight: 7},
	{Code: "D2", Name: "delete_customer", Kind: Delete, Weight: 1},
}

// Named returns the transaction with the given name. It is for initializing variables, and panics for an unknown name.
func Named(name string) *Transaction {
	for i := range Transactions {
		if Transactions[i].Name == name {
			return &Transactions[i]
		}
	}
	panic("brokerage: no transaction is named " + name)
}

// Orders are the transactions on orders. Documents are in the normal form, with the same ETag from every store; but see
// EngineInfo.StripsSpace. A missing order is *NotFound. Of several elements where the schema allows one, the first
// counts.
type Orders interface {
	// GetOrder returns the Order element, complete in itself.
	GetOrder(ctx context.Context, id ID) ([]byte, error)
	// CustomerMaxOrder returns the order with the greatest cash over all accounts of a customer, the lowest id among
	// equals; for a customer without orders, the answer has none. The cash of an order is that of its first OrdQty; an
	// order without it does not count. A missing customer is *NotFound.
	CustomerMaxOrder(ctx context.Context, customer ID) ([]byte, error)
	// InsertOrder takes any well-formed order with an id and an account; the account need not exist. An order without them
	// is *Invalid. An id that exists is a *Conflict.
	InsertOrder(ctx context.Context, w Write, doc []byte) (ID, error)
	// UpdateOrderStatus returns the OrderStatus. The whole order is validated, and is *Invalid if it would not be valid.
	UpdateOrderStatus(ctx context.Context, w Write, id ID, stat string) ([]byte, error)
	DeleteOrder(ctx context.Context, w Write, id ID) error
}

// Customers are the transactions on customers and their accounts. A missing customer or account is *NotFound. A
// document that fails validation is *Invalid, and so is, even without validation, one without proper ids.
type Customers interface {
	// GetCustomer returns the whole document.
	GetCustomer(ctx context.Context, id ID) ([]byte, error)
	CustomerProfile(ctx context.Context, id ID) ([]byte, error)
	AccountSummary(ctx context.Context, id ID) ([]byte, error)
	// GetAccount returns the account with its owner.
	GetAccount(ctx context.Context, account ID) (Account, error)
	// InsertCustomer returns a *Conflict for a customer or account id that exists; it names the first such account.
	InsertCustomer(ctx context.Context, w Write, doc []byte, validate bool) (ID, error)
	// ReplaceCustomer replaces a customer by doc, which must have the same id. It opens and closes accounts as doc says;
	// an account of another customer is a *Conflict. A stored document that fails the Match is *Stale.
	ReplaceCustomer(ctx context.Context, w Write, id ID, doc []byte, validate bool, match Match) error
	// DeleteCustomer deletes a customer with all accounts, and keeps the orders.
	DeleteCustomer(ctx context.Context, w Write, id ID) error
	// OpenAccount adds an account to a customer, which is validated as a whole. An id that exists is a *Conflict.
	OpenAccount(ctx context.Context, w Write, customer ID, account []byte) (ID, error)
	// CloseAccount returns a *Conflict for a customer's last account.
	CloseAccount(ctx context.Context, w Write, customer, account ID) error
	// Trade buys or sells, and returns the Trade_Confirmation. A missing security is *NotFound too, but a missing account
	// comes first; what Trade.Apply refuses is *Invalid or a *Conflict.
	Trade(ctx context.Context, w Write, account ID, t Trade) ([]byte, error)
}

// Securities are the transactions on securities. A missing security is *NotFound; a search may find nothing.
type Securities interface {
	GetSecurity(ctx context.Context, symbol string) ([]byte, error)
	SecurityPrice(ctx context.Context, symbol string) ([]byte, error)
	// SearchSecurities returns the matching securities in order of symbols by code point: of each the text of six
	// elements, empty where the security lacks one. A Limit and After restrict the answer to a part of them.
	SearchSecurities(ctx context.Context, s Search) ([]byte, error)
	// UpdateSecurityPrice returns the new Security_Price. What Price.Validate refuses is *Invalid.
	UpdateSecurityPrice(ctx context.Context, w Write, symbol string, p Price) ([]byte, error)
	// ReplaceSecurity replaces a security by doc, which must have the same symbol. A document without proper keys, or a
	// validated one that is not valid by its schema, is *Invalid. A stored document that fails the Match is *Stale.
	ReplaceSecurity(ctx context.Context, w Write, symbol string, doc []byte, validate bool, match Match) error
}

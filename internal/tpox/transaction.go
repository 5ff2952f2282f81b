package tpox

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

// Transaction describes a transaction. Its name is the same everywhere: in files, routes, SQL, metrics and reports.
type Transaction struct {
	Code   string // in the papers on TPoX
	Name   string
	Kind   Kind
	Weight int // in the mixed workload, in percent; 0 for a transaction that is not in it
	// Answer is the root element of the answer; empty for an answer without a body.
	Answer string
	// NewID is the kind of id that each request needs a new one of, by Store.Lease; empty for none.
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

// Fidelity says how a store runs a transaction, compared with what TPoX measures: a database that stores XML documents
// and works on them.
type Fidelity string

// Values of Fidelity, from the most faithful to the least. Any index may find a document by its id.
const (
	// InDatabase: the database parses, searches, changes or cuts the document.
	InDatabase Fidelity = "XML in the database"
	// FromColumns: the transaction uses values that were extracted when the document was written, beside its id or in
	// place of the document.
	FromColumns Fidelity = "keys extracted, answered from columns"
	// InService: the database stores bytes; the service parses the document, and extracts its keys or cuts the answer.
	InService Fidelity = "XML in the service"
	// EditedInService: the service reads the document, changes it and writes it back.
	EditedInService Fidelity = "edited in the service"
	// StoredReady: the answer was made when the document was written, and is stored beside it.
	StoredReady Fidelity = "answer stored ready"
	// NothingStored: there is no database.
	NothingStored Fidelity = "nothing stored, a fixed answer"
)

// Fidelities are the values of Fidelity in their order.
var Fidelities = [...]Fidelity{InDatabase, FromColumns, InService, EditedInService, StoredReady, NothingStored}

// FidelityBy returns the value of each transaction by its name.
func FidelityBy(of func(*Transaction) Fidelity) map[string]Fidelity {
	all := make(map[string]Fidelity, len(Transactions))
	for i := range Transactions {
		all[Transactions[i].Name] = of(&Transactions[i])
	}
	return all
}

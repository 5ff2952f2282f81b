package brokerage

// Faithful says how a store runs a transaction, compared with what TPoX measures: a database that stores XML documents
// and works on them.
type Faithful string

// Values of Faithful, from the most faithful to the least. A document may be found by its id through any index.
const (
	// InDatabase: the database parses, searches, changes or cuts the document.
	InDatabase Faithful = "XML in the database"
	// FromColumns: the transaction uses values that were extracted when the document was written, beside its id or in
	// place of the document.
	FromColumns Faithful = "keys extracted, answered from columns"
	// InService: the database stores bytes; the service parses the document, and extracts its keys or cuts the answer.
	InService Faithful = "XML in the service"
	// EditedInService: the service reads the document, changes it and writes it back.
	EditedInService Faithful = "edited in the service"
	// StoredReady: the answer was made when the document was written, and is stored beside it.
	StoredReady Faithful = "answer stored ready"
	// NothingStored: there is no database.
	NothingStored Faithful = "nothing stored, a fixed answer"
)

// Faithfuls are the values of Faithful in their order.
var Faithfuls = [...]Faithful{InDatabase, FromColumns, InService, EditedInService, StoredReady, NothingStored}

// FaithfulBy returns the value of each transaction by its name.
func FaithfulBy(of func(*Transaction) Faithful) map[string]Faithful {
	all := make(map[string]Faithful, len(Transactions))
	for i := range Transactions {
		all[Transactions[i].Name] = of(&Transactions[i])
	}
	return all
}

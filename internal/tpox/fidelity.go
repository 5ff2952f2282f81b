package tpox

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

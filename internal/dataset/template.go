package dataset

// Template is a document with gaps, for clients that make documents to insert without this package: Parts is literal,
// slot, literal, slot, and so on up to the last literal. Even elements are XML, odd ones the name of what goes between,
// without escaping:
//
//	order     the order's id
//	account   an account id; account2 and account3 are further accounts of a customer
//	customer  the customer's id
//	security  the id attribute of a security
//	symbol    a ticker symbol
//	date      the trade date, as 2010-06-30
//	datetime  the time of a transaction or of the last update, as 2010-06-30T09:41:00
//
// A template leaves a few hundred of several thousand bytes open. Inserts from too few templates fill a database with
// copies, which compress better than real data: use a thousand.
type Template struct {
	Kind  string   `json:"kind"`
	Parts []string `json:"parts"`
}

// Templates returns n templates of a kind (order, customer, account or security), or nil for any other kind. They are
// generated like documents, and those of all kinds but securities from beyond the end of the dataset, so that they
// repeat nothing that is stored. Customers have one, two and three accounts alternately.
func (d *Dataset) Templates(kind string, n int) []Template {
	var templates []Template
	var doc []byte
	var slots []slot
	for j := range int64(n) {
		doc, slots = doc[:0], slots[:0]
		switch kind {
		case "order":
			doc = d.appendOrder(doc, d.orders+j, NewOrder{}, &slots)
		case "customer":
			doc = d.appendCustomer(doc, d.customers+j, NewCustomer{}, &slots)
		case "account":
			doc = d.appendAccount(doc, d.customers+j, NewAccount{}, &slots)
		case "security":
			// No securities are generated beyond the dataset; these are spread over all.
			i := j * int64(d.securities) / int64(n)
			doc = d.appendSecurity(doc, int(i), &slots)
		default:
			return nil
		}
		templates = append(templates, newTemplate(kind, doc, slots))
	}
	return templates
}

func newTemplate(kind string, doc []byte, slots []slot) Template {
	t := Template{Kind: kind, Parts: make([]string, 0, 2*len(slots)+1)}
	at := 0
	for _, s := range slots {
		t.Parts = append(t.Parts, string(doc[at:s.start]), s.name)
		at = s.end
	}
	t.Parts = append(t.Parts, string(doc[at:]))
	return t
}

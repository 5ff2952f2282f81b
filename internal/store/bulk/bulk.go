// Package bulk is what stores have in common that can be loaded, checked and
// measured as a whole: the types that commands pass to them, and the work on
// documents that does not depend on where they are kept.
package bulk

import (
	"bytes"
	"fmt"
	"iter"

	"brokerage/internal/brokerage"
	"brokerage/internal/dataset"
	"brokerage/internal/xmldoc"
)

// Progress is told how many documents and bytes have been loaded.
type Progress func(documents int, bytes int64)

// RawDocument is a document as it came.
type RawDocument struct {
	Bytes  []byte
	Line   int
	Broken error // it cannot be one
}

// RawBatch is documents that are committed together.
type RawBatch struct {
	File      string
	Documents []RawDocument
	Position  string // behind the batch: where Source.Batches goes on
	Bytes     int64  // read for it, as the progress counts them
}

// Source is where a load takes documents from.
type Source struct {
	Name string // the same for the same documents
	// Contents is what is held once all documents are loaded, if none was
	// refused and as many came as it says. It may be zero.
	Contents brokerage.Contents
	Sample   func(k dataset.Kind, n int) [][]byte
	// Batches begins at a position, which is empty at first.
	Batches  func(position string) iter.Seq2[RawBatch, error]
	Validate bool // each document against its schema as well
	// Refused is told of each document that is not taken, at least once even if
	// the load is killed. An error ends the load before the batch.
	Refused func(file string, line int, err error) error
}

// Loaded is how far a load from a source has come.
type Loaded struct {
	Source    string                    `json:"source"`
	Position  string                    `json:"position"`
	Documents [len(dataset.Kinds)]int64 `json:"documents"`
	Raw       [len(dataset.Kinds)]int64 `json:"raw"` // bytes of the documents, in the normal form
	Refused   int64                     `json:"refused"`
	Done      bool                      `json:"done"`
}

// Contents is what a store holds after a load from a source: the dataset that is
// expected, as if it had been loaded as such, if all of it came and nothing else.
func (l Loaded) Contents(expected brokerage.Contents) (c brokerage.Contents, whole bool) {
	c = brokerage.Contents{
		Fingerprint: fmt.Sprintf("%s/%d-%d-%d", l.Source, l.Documents[dataset.Security], l.Documents[dataset.Customer], l.Documents[dataset.Order]),
		Securities:  l.Documents[dataset.Security], Customers: l.Documents[dataset.Customer], Orders: l.Documents[dataset.Order],
	}
	if l.Refused == 0 && c.Securities == expected.Securities && c.Customers == expected.Customers && c.Orders == expected.Orders {
		return expected, true
	}
	return c, false
}

// Finished gives the settings that a load leaves behind: what the store holds now.
func (l Loaded) Finished(expected brokerage.Contents) map[string]any {
	contents, whole := l.Contents(expected)
	settings := map[string]any{SettingContents: contents, SettingLoaded: l}
	for _, k := range dataset.Kinds {
		settings[SettingRaw+k.String()] = l.Raw[k]
		if whole {
			settings[SettingLoadedOf+k.String()] = l.Documents[k]
		}
	}
	return settings
}

// ContentsOf is what a store holds that a dataset was loaded into.
func ContentsOf(d *dataset.Dataset) brokerage.Contents {
	return brokerage.Contents{
		Fingerprint: d.Fingerprint(), Scale: d.Spec().Scale.String(), Profile: d.Spec().Profile.String(), Seed: d.Spec().Seed,
		Securities: d.Count(dataset.Security), Customers: d.Count(dataset.Customer), Orders: d.Count(dataset.Order),
	}
}

// Space is where the bytes of a database are.
type Space struct {
	Documents [len(dataset.Kinds)]int64 // that are there now
	// Raw is the size of the documents that loads have brought, in the normal
	// form, as a client gets them: without white space between elements,
	// comments and XML declaration, and without those that were refused. What
	// clients have written or removed since is in Stored only.
	Raw [len(dataset.Kinds)]int64
	// Stored is what the tables take, with their primary key: documents as they
	// are packed, the columns beside them, and what is free in their pages.
	Stored  [len(dataset.Kinds)]int64
	Indexes []IndexSpace // by name
	Rest    int64        // dictionaries, settings, kept answers, free pages
	File    int64        // all of the above but Raw
	Journal int64        // the write-ahead log, beside the file
}

// IndexSpace is what an index takes.
type IndexSpace struct {
	Name  string
	Bytes int64
}

// KindOf tells the kind of a document by its root element.
func KindOf(doc []byte) (dataset.Kind, error) {
	root := xmldoc.Root(doc)
	name := string(root.Local())
	switch space := root.Space(); {
	case space == brokerage.FIXMLNS && name == "FIXML":
		return dataset.Order, nil
	case space == brokerage.CustAccNS && name == "Customer":
		return dataset.Customer, nil
	case space == brokerage.SecurityNS && name == "Security":
		return dataset.Security, nil
	default:
		return 0, fmt.Errorf("element %s of namespace %q is neither a customer nor a security nor an order", name, space)
	}
}

// Validate checks a document of a kind against its schema.
func Validate(k dataset.Kind, doc []byte) error {
	switch k {
	case dataset.Security:
		return brokerage.ValidateSecurity(doc)
	case dataset.Customer:
		return brokerage.ValidateCustomer(doc)
	default:
		return brokerage.ValidateOrder(doc)
	}
}

var quantities = xmldoc.MustPath(xmldoc.Namespaces{"c": brokerage.CustAccNS}, "c:Customer/c:Accounts/c:Account/c:Holdings/c:Position/c:Quantity")

// Overdrawn tells whether a position of a customer is below zero.
func Overdrawn(customer []byte) bool {
	for quantity := range quantities.All(xmldoc.Document(customer)) {
		q := bytes.TrimSpace(quantity.Text())
		if len(q) > 0 && q[0] == '-' && bytes.ContainsAny(q, "123456789") {
			return true
		}
	}
	return false
}

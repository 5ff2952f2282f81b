package bulk

import (
	"brokerage/internal/dataset"
	"brokerage/internal/xmldoc"
)

// A prepared is a batch on its way from a processor to the database.
type prepared struct {
	raw       RawBatch
	documents []PreparedDocument // one for each of raw
}

// A PreparedDocument is a document that was admitted, or why it was refused.
type PreparedDocument struct {
	Kind    dataset.Kind
	Size    int    // in the normal form
	Doc     []byte // as it is stored
	Keys    any    // by Packing.Keys
	Refused error
}

// A Packing says in which form a store needs documents.
type Packing struct {
	// Keys reads the keys of a document. Its errors refuse the document.
	Keys func(k dataset.Kind, doc []byte) (any, error)
	// Pack returns what is stored, in memory of its own. If Pack is nil, the normal form is stored.
	Pack func(k dataset.Kind, doc []byte) []byte
}

// prepare admits the documents of a batch, and validates them on request.
func (p *Packing) prepare(raw RawBatch, validate bool) prepared {
	b := prepared{raw: raw, documents: make([]PreparedDocument, len(raw.Documents))}
	var doc []byte
	for i, document := range raw.Documents {
		if p.Pack == nil {
			doc = nil // its memory belongs to the document before
		}
		doc = p.document(&b.documents[i], doc[:0], document, validate)
	}
	return b
}

// document prepares a document in the given memory, and returns it to be used again.
func (p *Packing) document(d *PreparedDocument, memory []byte, raw RawDocument, validate bool) []byte {
	doc, err := xmldoc.AppendAdmitted(memory, raw.Bytes, xmldoc.Limits{})
	if err == nil {
		err = raw.Broken
	}
	if err == nil {
		d.Kind, err = KindOf(doc)
	}
	if err == nil {
		d.Keys, err = p.Keys(d.Kind, doc)
	}
	if err == nil && validate {
		err = Validate(d.Kind, doc)
	}
	if d.Refused = err; err != nil {
		return doc
	}
	if d.Size, d.Doc = len(doc), doc; p.Pack != nil {
		d.Doc = p.Pack(d.Kind, doc)
	}
	return doc
}

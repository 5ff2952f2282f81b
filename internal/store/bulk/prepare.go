package bulk

import (
	"brokerage/internal/brokerage"
	"brokerage/internal/dataset"
	"brokerage/internal/xmldoc"
)

// Prepared is a batch on its way from a processor to the database.
type Prepared struct {
	Raw       RawBatch
	Documents []PreparedDocument // one for each of Raw
}

// PreparedDocument is a document that was admitted, or why not.
type PreparedDocument struct {
	Kind    dataset.Kind
	Doc     []byte
	Keys    any // brokerage.SecurityKeys, CustomerKeys or OrderKeys
	Refused error
}

// Prepare admits the documents of a batch, and validates them if that is wanted.
func Prepare(raw RawBatch, validate bool) Prepared {
	b := Prepared{Raw: raw, Documents: make([]PreparedDocument, len(raw.Documents))}
	for i, document := range raw.Documents {
		b.Documents[i] = prepareDocument(document, validate)
	}
	return b
}

func prepareDocument(raw RawDocument, validate bool) (d PreparedDocument) {
	if d.Doc, d.Refused = xmldoc.AppendAdmitted(nil, raw.Bytes, xmldoc.Limits{}); d.Refused != nil {
		return d
	}
	if d.Refused = raw.Broken; d.Refused != nil {
		return d
	}
	if d.Kind, d.Refused = KindOf(d.Doc); d.Refused != nil {
		return d
	}
	switch d.Kind {
	case dataset.Security:
		d.Keys, d.Refused = keysOf(brokerage.SecurityKeysOf, d.Doc)
	case dataset.Customer:
		d.Keys, d.Refused = keysOf(brokerage.CustomerKeysOf, d.Doc)
	default:
		d.Keys, d.Refused = keysOf(brokerage.OrderKeysOf, d.Doc)
	}
	if d.Refused == nil && validate {
		d.Refused = Validate(d.Kind, d.Doc)
	}
	return d
}

func keysOf[K any](read func([]byte) (K, error), doc []byte) (any, error) { return read(doc) }

// Count notes a batch that is in the database, and tells of what was refused.
func (l *Loaded) Count(b Prepared, refused func(file string, line int, err error) error) error {
	for i := range b.Documents {
		d := &b.Documents[i]
		if d.Refused == nil {
			l.Documents[d.Kind]++
			l.Raw[d.Kind] += int64(len(d.Doc))
			continue
		}
		l.Refused++
		if err := refused(b.Raw.File, b.Raw.Documents[i].Line, d.Refused); err != nil {
			return err
		}
	}
	l.Position = b.Raw.Position
	return nil
}

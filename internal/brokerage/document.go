package brokerage

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"

	"brokerage/internal/schema"
	"brokerage/internal/xmldoc"
)

// Namespaces of the documents, and the prefixes by which paths name them.
const (
	CustAccNS  = "http://tpox-benchmark.com/custacc"
	SecurityNS = "http://tpox-benchmark.com/security"
	FIXMLNS    = "http://www.fixprotocol.org/FIXML-4-4"
)

var namespaces = xmldoc.Namespaces{"c": CustAccNS, "s": SecurityNS, "f": FIXMLNS}

func path(expression string) *xmldoc.Path     { return xmldoc.MustPath(namespaces, expression) }
func paths(expressions ...string) *xmldoc.Set { return xmldoc.MustSet(namespaces, expressions...) }
func text(n xmldoc.Node) string               { return string(n.Text()) }
func in(doc []byte) xmldoc.Node               { return xmldoc.Document(doc) }
func child(dst []byte, name, value string) []byte {
	return closed(xmldoc.AppendText(open(dst, name), value), name)
}
func open(dst []byte, name string) []byte { return append(append(append(dst, '<'), name...), '>') }
func closed(dst []byte, name string) []byte {
	return append(append(append(dst, "</"...), name...), '>')
}

func attribute(dst []byte, name, value string) []byte {
	dst = append(append(append(dst, ' '), name...), `="`...)
	return append(xmldoc.AppendValue(dst, value), '"')
}

// root begins an answer: a start tag in a namespace, still open for attributes.
func root(dst []byte, name, namespace string) []byte {
	return attribute(append(append(dst, '<'), name...), "xmlns", namespace)
}

// ETag names a version of a document, which is in the normal form. It depends on
// what the document says alone, not on where a store declares namespaces, nor on
// where among its attributes a database puts the status that it gives an order, so
// that every store and every process gives the same.
func ETag(doc []byte) string {
	sum := sha256.Sum256(xmldoc.AttrLast(xmldoc.Canonical(doc), "Stat"))
	return hex.EncodeToString(sum[:16])
}

// storedLimits are above those of what is taken in, which a database may write
// longer.
var storedLimits = xmldoc.Limits{Bytes: 16 << 20, Nodes: 1 << 20, Attributes: 1 << 20}

// Normal returns the normal form of a document as a database writes it, with an
// empty element as one tag for example: it is what clients get from every store,
// and what the service's own code reads and edits.
func Normal(stored []byte) ([]byte, error) {
	doc, err := xmldoc.Admit(stored, storedLimits)
	if err != nil {
		return nil, fmt.Errorf("a document as the database gives it: %w", err)
	}
	return doc, nil
}

// ValidateCustomer checks a customer against its schema; the error is *Invalid.
func ValidateCustomer(doc []byte) error { return validate(schema.Customer(), doc) }

// ValidateSecurity checks a security against its schema; the error is *Invalid.
func ValidateSecurity(doc []byte) error { return validate(schema.Security(), doc) }

// ValidateOrder checks an order against its schema; the error is *Invalid.
func ValidateOrder(doc []byte) error { return validate(schema.Order(), doc) }

func validate(v *schema.Validator, doc []byte) error {
	err := v.Validate(doc)
	if err == nil {
		return nil
	}
	invalid := &Invalid{}
	var found *schema.Error
	if !errors.As(err, &found) {
		invalid.Findings = []Finding{{Message: err.Error()}}
		return invalid
	}
	for _, f := range found.Findings {
		invalid.Findings = append(invalid.Findings, Finding{Line: f.Line, Column: f.Column, Path: f.Path, Message: f.Message})
	}
	return invalid
}

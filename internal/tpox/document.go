package tpox

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"

	"brokerage/internal/schema"
	"brokerage/internal/xmldoc"
)

// Namespaces of the documents.
const (
	CustAccNS  = "http://tpox-benchmark.com/custacc"
	SecurityNS = "http://tpox-benchmark.com/security"
	FIXMLNS    = "http://www.fixprotocol.org/FIXML-4-4"
)

// namespaces declares the prefixes that paths use.
var namespaces = xmldoc.Namespaces{"c": CustAccNS, "s": SecurityNS, "f": FIXMLNS}

func path(expression string) *xmldoc.Path     { return xmldoc.MustPath(namespaces, expression) }
func paths(expressions ...string) *xmldoc.Set { return xmldoc.MustSet(namespaces, expressions...) }
func text(n xmldoc.Node) string               { return string(n.Text()) }

// field is an element that has only text.
type field struct{ name, value string }

// fields appends elements, one after the other.
func fields(dst []byte, all ...field) []byte {
	for _, f := range all {
		dst = xmldoc.AppendElement(dst, f.name, f.value)
	}
	return dst
}

// ETag returns an identifier of this version of a document in the normal form. It is the same for every store and every
// process, unless a store strips white space (EngineInfo.StripsSpace): it depends neither on where a store declares
// namespaces, nor on where among the attributes of an order a database puts the status.
func ETag(doc []byte) string {
	sum := sha256.Sum256(xmldoc.AttrLast(xmldoc.Canonical(doc), "Stat"))
	return hex.EncodeToString(sum[:16])
}

// storedLimits exceed those of requests, because a database may write the same document longer.
var storedLimits = xmldoc.Limits{Bytes: 16 << 20, Nodes: 1 << 20}

// Normal returns the normal form of a document that a database may have written otherwise, such as <a/> for <a></a>.
func Normal(stored []byte) ([]byte, error) {
	doc, err := xmldoc.Admit(stored, storedLimits)
	if err != nil {
		return nil, fmt.Errorf("read a document of the database: %w", err)
	}
	return doc, nil
}

// ValidateCustomer validates a customer by its schema. The error is *Invalid.
func ValidateCustomer(doc []byte) error { return validate(schema.Customer(), doc) }

// ValidateSecurity validates a security by its schema. The error is *Invalid.
func ValidateSecurity(doc []byte) error { return validate(schema.Security(), doc) }

// ValidateOrder validates an order by its schema. The error is *Invalid.
func ValidateOrder(doc []byte) error { return validate(schema.Order(), doc) }

func validate(v *schema.Validator, doc []byte) error {
	err := v.Validate(doc)
	if err == nil {
		return nil
	}
	found, ok := errors.AsType[*schema.Error](err)
	if !ok {
		return NotStorable(err.Error())
	}
	invalid := &Invalid{}
	for _, f := range found.Findings {
		invalid.Findings = append(invalid.Findings, Finding(f))
	}
	return invalid
}

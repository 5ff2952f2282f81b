package tpox

import "brokerage/internal/xmldoc"

// Order constructs the answer of get_order: the Order element of the message, complete in itself.
func Order(doc []byte) []byte {
	return orderElement.Find(xmldoc.Document(doc)).AppendStandalone(make([]byte, 0, len(doc)))
}

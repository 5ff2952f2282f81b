package xmldoc

// CanonicalDocument is Canonical with all namespaces written out: a document.
func CanonicalDocument(doc []byte) []byte { return canonical(doc, nil) }

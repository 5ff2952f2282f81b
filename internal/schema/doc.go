// Package schema validates documents by the XML Schemas of package api, and says in plain words why one is refused.
//
// A schema is compiled on first use. A Validator may be used by any number of goroutines. Documents must be in the
// normal form of package xmldoc, so that this package need not know other ways to write them.
//
// A document is read by up to three readers:
//
//   - An automaton compiled from the schema (accept.go) recognises valid documents whose values are written in the
//     usual way, in a thirtieth of the engine's time. It leaves everything else to the engine.
//   - The engine, github.com/jacoelho/xsd, validates whatever the automaton does not recognise.
//   - For a document that the engine refuses, the states of the same automaton say which elements were expected
//     (structure.go). The rest of the explanation is the engine's.
//
// A document that the engine refuses is refused, even if there is no explanation. In two cases this package is stricter
// than the engine, which accepts any global element as the document element, and overlooks white space in elements that
// must be empty. XML Schema forbids the latter, and other processors, a database among them, refuse it.
package schema

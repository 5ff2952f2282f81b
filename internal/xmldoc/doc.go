// Package xmldoc admits, reads, cuts and edits XML documents as byte slices.
//
// A document from outside passes [Admit] once. What comes out is in the normal form, and everything else in this
// package relies on it:
//
//   - UTF-8, one root element and nothing outside it: no declaration, no
//     DOCTYPE, no comment, no processing instruction, no CDATA section.
//   - A start tag is <name a="v" b="w">: one space before each attribute,
//     double quotes, no other white space; namespace declarations come first,
//     otherwise the order of attributes is kept. Every prefix is declared, the
//     names of namespaces are URIs, and each xml:id is a unique name.
//   - An element without content is <name></name>, never <name/>.
//   - In text, & < > and carriage return are escaped; in attribute values
//     also " tab and line feed. Everything else is written as itself, and
//     white space in text is kept.
//
// So the bytes < and > occur in markup only, a tag ends at the next >, an element ends where the number of end tags
// reaches that of the start tags, and a double quote inside a tag always delimits a value. That makes reading fast
// without a tree: finding the end of an element is one search for < per tag. And since every element has both tags, an
// insertion or a deletion is one splice that never has to turn <name/> into <name></name> or back.
//
// Reading starts at [Document]. A [Path] is compiled once, with its namespaces; a [Set] of paths is looked up in one
// pass. Both yield [Node]s, small values that point into the document: nothing is copied until asked for. [Editor]
// collects changes to nodes and applies them together; bytes that no change touches stay as they are.
//
// The functions that read never panic and always end, whatever bytes they are given, but their results are meaningful
// only for the normal form.
package xmldoc

package compare

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/antchfx/xmlquery"
	"github.com/antchfx/xpath"
	"github.com/beevik/etree"
	"github.com/lestrrat-go/helium"
	"github.com/lestrrat-go/helium/xpath1"
)

var errDocType = errors.New("a document type declaration")

// A library parses a document of type D into nodes of type N, and finds them by
// paths of type P.
type library[D, P, N any] struct {
	parse   func(doc []byte) (D, error)
	free    func(D)
	compile func(path string) P
	find    func(tree D, path P) ([]N, error)
	text    func(N) string
	attr    func(n N, name string) string
	write   func(out *bytes.Buffer, n N) error
	setText func(n N, text string) error
	save    func(out *bytes.Buffer, tree D) error
}

// trees returns the library as a candidate.
func (l library[D, P, N]) trees(name string, admit func(out *bytes.Buffer, doc []byte) error) candidate {
	quantities := l.compile("/c:Customer/c:Accounts/c:Account/c:Holdings/c:Position/c:Quantity")
	balance := l.compile("/c:Customer/c:Accounts/c:Account/c:Balance/c:WorkingBalance")
	orders, quantity := l.compile("/f:FIXML/f:Order"), l.compile("/f:FIXML/f:Order/f:OrdQty")
	var parts []P
	for _, part := range []string{"Name", "DateOfBirth", "Gender", "CountryOfResidence", "Languages",
		"Addresses/c:Address", "Addresses/c:EmailAddresses"} {
		parts = append(parts, l.compile("/c:Customer/c:"+part))
	}
	// with parses a document and calls do with the nodes on each path.
	with := func(doc []byte, do func(tree D, found [][]N) error, paths ...P) error {
		tree, err := l.parse(doc)
		if err != nil {
			return err
		}
		if l.free != nil {
			defer l.free(tree)
		}
		var found [][]N
		for _, path := range paths {
			nodes, err := l.find(tree, path)
			if err != nil || len(nodes) == 0 {
				return errors.Join(err, errMissing)
			}
			found = append(found, nodes)
		}
		return do(tree, found)
	}
	return candidate{
		name: name,
		lastQuantity: func(doc []byte) (text string, err error) {
			err = with(doc, func(_ D, found [][]N) error {
				text = l.text(found[0][len(found[0])-1])
				return nil
			}, quantities)
			return text, err
		},
		profile: func(out *bytes.Buffer, doc []byte) error {
			return with(doc, func(_ D, found [][]N) (err error) {
				for _, n := range slices.Concat(found...) {
					err = errors.Join(err, l.write(out, n))
				}
				return err
			}, parts...)
		},
		order: func(doc []byte) (o order, err error) {
			err = with(doc, func(_ D, found [][]N) error {
				n := found[0][0]
				o = order{l.attr(n, "ID"), l.attr(n, "Acct"), l.attr(found[1][0], "Cash")}
				return nil
			}, orders, quantity)
			return o, err
		},
		admit: admit,
		edit: func(out *bytes.Buffer, doc []byte, text string) error {
			return with(doc, func(tree D, found [][]N) error {
				return errors.Join(l.setText(found[0][0], text), l.save(out, tree))
			}, balance)
		},
	}
}

// etree parses by encoding/xml and keeps prefixes. Its paths match them as they
// are written; the namespace is a filter that must be asked for step by step.
var etrees = library[*etree.Document, etree.Path, *etree.Element]{
	parse: func(doc []byte) (*etree.Document, error) {
		tree := etree.NewDocument()
		tree.WriteSettings = etreeCanonical
		return tree, tree.ReadFromBytes(doc)
	},
	compile: func(path string) etree.Path {
		return etree.MustCompilePath(strings.NewReplacer("c:", "", "f:", "").Replace(path))
	},
	find: func(tree *etree.Document, path etree.Path) ([]*etree.Element, error) {
		return tree.FindElementsPath(path), nil
	},
	text: (*etree.Element).Text,
	attr: func(e *etree.Element, name string) string { return e.SelectAttrValue(name, "") },
	write: func(out *bytes.Buffer, e *etree.Element) error {
		e.WriteTo(out, &etreeCanonical)
		return nil
	},
	setText: func(e *etree.Element, text string) error {
		e.SetText(text)
		return nil
	},
	save: func(out *bytes.Buffer, tree *etree.Document) error {
		_, err := tree.WriteTo(out)
		return err
	},
}

var etreeCanonical = etree.WriteSettings{CanonicalEndTags: true, CanonicalText: true, CanonicalAttrVal: true}

func etreeAdmit(out *bytes.Buffer, doc []byte) error {
	tree := etree.NewDocument()
	tree.ReadSettings.ValidateInput = true
	tree.WriteSettings = etreeCanonical
	if err := tree.ReadFromBytes(doc); err != nil {
		return err
	}
	for _, child := range tree.Child {
		if _, is := child.(*etree.Directive); is {
			return errDocType
		}
	}
	_, err := tree.WriteTo(out)
	return err
}

// xmlquery parses by encoding/xml and looks up by XPath 1.0, with namespaces.
var xmlqueries = library[*xmlquery.Node, *xpath.Expr, *xmlquery.Node]{
	parse: func(doc []byte) (*xmlquery.Node, error) { return xmlquery.Parse(bytes.NewReader(doc)) },
	compile: func(path string) *xpath.Expr {
		expr, err := xpath.CompileWithNS(path, names)
		if err != nil {
			panic(err)
		}
		return expr
	},
	find: func(tree *xmlquery.Node, path *xpath.Expr) ([]*xmlquery.Node, error) {
		return xmlquery.QuerySelectorAll(tree, path), nil
	},
	text: (*xmlquery.Node).InnerText,
	attr: (*xmlquery.Node).SelectAttr,
	write: func(out *bytes.Buffer, n *xmlquery.Node) error {
		return n.WriteWithOptions(out, xmlquery.WithOutputSelf(), xmlquery.WithPreserveSpace())
	},
	setText: func(n *xmlquery.Node, text string) error {
		n.FirstChild.Data = text
		return nil
	},
	save: xmlqueryWrite,
}

// xmlqueryWrite omits the XML declaration, which the parser adds if there is
// none.
func xmlqueryWrite(out *bytes.Buffer, tree *xmlquery.Node) error {
	for n := tree.FirstChild; n != nil; n = n.NextSibling {
		if n.Type == xmlquery.NotationNode {
			return errDocType
		}
		if n.Type != xmlquery.ElementNode {
			continue
		}
		if err := n.WriteWithOptions(out, xmlquery.WithOutputSelf(), xmlquery.WithPreserveSpace(),
			xmlquery.WithoutComments()); err != nil {
			return err
		}
	}
	return nil
}

func xmlqueryAdmit(out *bytes.Buffer, doc []byte) error {
	tree, err := xmlquery.Parse(bytes.NewReader(doc))
	if err != nil {
		return err
	}
	return xmlqueryWrite(out, tree)
}

// helium has its own parser, modelled on libxml2, and three ways to read: XPath
// over its tree, a walk through the tree, and SAX. As its authors suggest, one
// parser reads all documents, and trees are released with Free.
var heliums = library[*helium.Document, *xpath1.Expression, helium.Node]{
	parse:   heliumParse,
	free:    (*helium.Document).Free,
	compile: func(path string) *xpath1.Expression { return xpath1.MustCompile(path) },
	find: func(tree *helium.Document, path *xpath1.Expression) ([]helium.Node, error) {
		return heliumPaths.Find(context.Background(), path, tree)
	},
	text:  func(n helium.Node) string { return string(n.Content()) },
	attr:  func(n helium.Node, name string) string { return heliumAttr(n.(*helium.Element), name) },
	write: func(out *bytes.Buffer, n helium.Node) error { return heliumWriter.WriteTo(out, n) },
	setText: func(n helium.Node, text string) error {
		return heliumSetText(n.(*helium.Element), text)
	},
	save: heliumSave,
}

var heliumWalks = library[*helium.Document, []string, *helium.Element]{
	parse:   heliumParse,
	free:    (*helium.Document).Free,
	compile: func(path string) []string { return strings.Split(path, "/")[1:] },
	find: func(tree *helium.Document, steps []string) (found []*helium.Element, err error) {
		if root := tree.DocumentElement(); heliumIs(root, steps[0]) {
			found = heliumBelow(nil, root, steps[1:])
		}
		return found, nil
	},
	text:    func(e *helium.Element) string { return string(e.Content()) },
	attr:    heliumAttr,
	write:   func(out *bytes.Buffer, e *helium.Element) error { return heliumWriter.WriteTo(out, e) },
	setText: heliumSetText,
	save:    heliumSave,
}

var (
	heliumParser = helium.NewParser()
	heliumWriter = helium.NewWriter().XMLDeclaration(false).SelfCloseEmptyElements(false)
	heliumPaths  = xpath1.NewEvaluator().Namespaces(names)
)

func heliumParse(doc []byte) (*helium.Document, error) {
	return heliumParser.Parse(context.Background(), doc)
}

func heliumSave(out *bytes.Buffer, tree *helium.Document) error {
	return heliumWriter.WriteTo(out, tree.DocumentElement())
}

func heliumAttr(e *helium.Element, name string) string {
	value, _ := e.GetAttribute(name)
	return value
}

func heliumIs(e *helium.Element, step string) bool {
	prefix, local, _ := strings.Cut(step, ":")
	return e.LocalName() == local && e.URI() == names[prefix]
}

// heliumBelow appends the elements to which steps lead from e.
func heliumBelow(found []*helium.Element, e *helium.Element, steps []string) []*helium.Element {
	if len(steps) == 0 {
		return append(found, e)
	}
	for child := range helium.ChildElements(e) {
		if heliumIs(child, steps[0]) {
			found = heliumBelow(found, child, steps[1:])
		}
	}
	return found
}

func heliumSetText(e *helium.Element, text string) error {
	for n := e.FirstChild(); n != nil; n = e.FirstChild() {
		helium.UnlinkNode(n.(helium.MutableNode))
	}
	return e.AppendText([]byte(text))
}

func heliumAdmit(out *bytes.Buffer, doc []byte) error {
	tree, err := heliumParse(doc)
	if err != nil {
		return err
	}
	defer tree.Free()
	if dtd, err := tree.InternalSubset(); err == nil && dtd != nil {
		return errDocType
	}
	return heliumSave(out, tree)
}

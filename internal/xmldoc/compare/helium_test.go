package compare

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"

	"github.com/lestrrat-go/helium"
	"github.com/lestrrat-go/helium/sax"
	"github.com/lestrrat-go/helium/xpath1"
)

// helium has a parser of its own, made after libxml2, and three ways to read:
// XPath over its tree, a walk through the tree, and SAX. As its authors
// suggest, one parser serves all documents, and trees are given back with Free.
var heliums = []candidate{
	{
		name: "helium-xpath",
		lastQuantity: func(doc []byte) (string, error) {
			tree, err := heliumParser.Parse(context.Background(), doc)
			if err != nil {
				return "", err
			}
			defer tree.Free()
			found, err := heliumPaths.Find(context.Background(), heliumQuantities, tree)
			if err != nil || len(found) == 0 {
				return "", errors.Join(err, errMissing)
			}
			return string(found[len(found)-1].Content()), nil
		},
		profile: func(out *bytes.Buffer, doc []byte) error {
			tree, err := heliumParser.Parse(context.Background(), doc)
			if err != nil {
				return err
			}
			defer tree.Free()
			for _, path := range heliumProfile {
				found, err := heliumPaths.Find(context.Background(), path, tree)
				if err != nil {
					return err
				}
				for _, n := range found {
					if err := heliumWriter.WriteTo(out, n); err != nil {
						return err
					}
				}
			}
			return nil
		},
		order: func(doc []byte) (order, error) {
			tree, err := heliumParser.Parse(context.Background(), doc)
			if err != nil {
				return order{}, err
			}
			defer tree.Free()
			var values [3]string
			for i, path := range heliumOrder {
				found, err := heliumPaths.Find(context.Background(), path, tree)
				if err != nil || len(found) == 0 {
					return order{}, errors.Join(err, errMissing)
				}
				values[i] = string(found[0].Content())
			}
			return order{values[0], values[1], values[2]}, nil
		},
		edit: func(out *bytes.Buffer, doc []byte, text string) error {
			tree, err := heliumParser.Parse(context.Background(), doc)
			if err != nil {
				return err
			}
			defer tree.Free()
			found, err := heliumPaths.Find(context.Background(), heliumBalance, tree)
			if err != nil || len(found) == 0 {
				return errors.Join(err, errMissing)
			}
			return heliumSetText(out, tree, found[0].(*helium.Element), text)
		},
	},
	{
		name: "helium-walk",
		lastQuantity: func(doc []byte) (string, error) {
			tree, err := heliumParser.Parse(context.Background(), doc)
			if err != nil {
				return "", err
			}
			defer tree.Free()
			var last *helium.Element
			root := tree.DocumentElement()
			if root.LocalName() == "Customer" && root.URI() == custacc {
				heliumEach(root, func(e *helium.Element) { last = e }, "Accounts", "Account", "Holdings", "Position", "Quantity")
			}
			if last == nil {
				return "", errMissing
			}
			return string(last.Content()), nil
		},
		profile: func(out *bytes.Buffer, doc []byte) error {
			tree, err := heliumParser.Parse(context.Background(), doc)
			if err != nil {
				return err
			}
			defer tree.Free()
			root := tree.DocumentElement()
			for e := range helium.ChildElements(root) {
				if e.URI() != custacc {
					continue
				}
				switch e.LocalName() {
				case "Name", "DateOfBirth", "Gender", "CountryOfResidence", "Languages":
					err = errors.Join(err, heliumWriter.WriteTo(out, e))
				case "Addresses":
					for inner := range helium.ChildElements(e) {
						if name := inner.LocalName(); inner.URI() == custacc && (name == "Address" || name == "EmailAddresses") {
							err = errors.Join(err, heliumWriter.WriteTo(out, inner))
						}
					}
				}
			}
			return err
		},
		order: func(doc []byte) (order, error) {
			tree, err := heliumParser.Parse(context.Background(), doc)
			if err != nil {
				return order{}, err
			}
			defer tree.Free()
			for o := range helium.ChildElements(tree.DocumentElement()) {
				if o.LocalName() != "Order" || o.URI() != fixml {
					continue
				}
				for q := range helium.ChildElements(o) {
					if q.LocalName() == "OrdQty" && q.URI() == fixml {
						id, _ := o.GetAttribute("ID")
						account, _ := o.GetAttribute("Acct")
						cash, _ := q.GetAttribute("Cash")
						return order{id, account, cash}, nil
					}
				}
			}
			return order{}, errMissing
		},
		admit: func(out *bytes.Buffer, doc []byte) error {
			tree, err := heliumParser.Parse(context.Background(), doc)
			if err != nil {
				return err
			}
			defer tree.Free()
			if dtd, err := tree.InternalSubset(); err == nil && dtd != nil {
				return errors.New("a document type declaration")
			}
			return heliumWriter.WriteTo(out, tree.DocumentElement())
		},
		edit: func(out *bytes.Buffer, doc []byte, text string) error {
			tree, err := heliumParser.Parse(context.Background(), doc)
			if err != nil {
				return err
			}
			defer tree.Free()
			var first *helium.Element
			heliumEach(tree.DocumentElement(), func(e *helium.Element) {
				if first == nil {
					first = e
				}
			}, "Accounts", "Account", "Balance", "WorkingBalance")
			if first == nil {
				return errMissing
			}
			return heliumSetText(out, tree, first, text)
		},
	},
	{
		name: "helium-sax",
		lastQuantity: func(doc []byte) (string, error) {
			path := stdPath{steps: quantityPath, space: custacc}
			var text []byte
			inside, seen := false, false
			handler := sax.New()
			handler.SetOnStartElementNS(sax.StartElementNSFunc(func(_ context.Context, local, _, uri string, _ []sax.Namespace,
				_ []sax.Attribute) error {
				if path.start(xml.Name{Space: uri, Local: local}) {
					inside, seen, text = true, true, text[:0]
				}
				return nil
			}))
			handler.SetOnEndElementNS(sax.EndElementNSFunc(func(context.Context, string, string, string) error {
				if path.end() {
					inside = false
				}
				return nil
			}))
			handler.SetOnCharacters(sax.CharactersFunc(func(_ context.Context, data []byte) error {
				if inside {
					text = append(text, data...)
				}
				return nil
			}))
			_, err := heliumParser.SAXHandler(handler).Parse(context.Background(), doc)
			if err != nil || !seen {
				return "", errors.Join(err, errMissing)
			}
			return string(text), nil
		},
		order: func(doc []byte) (order, error) {
			var o order
			depth := 0
			handler := sax.New()
			handler.SetOnStartElementNS(sax.StartElementNSFunc(func(ctx context.Context, local, _, uri string,
				_ []sax.Namespace, attrs []sax.Attribute) error {
				depth++
				switch {
				case uri != fixml:
				case depth == 2 && local == "Order":
					for _, a := range attrs {
						switch a.Name() {
						case "ID":
							o.id = a.Value()
						case "Acct":
							o.account = a.Value()
						}
					}
				case depth == 3 && local == "OrdQty":
					for _, a := range attrs {
						if a.Name() == "Cash" {
							o.cash = a.Value()
							helium.StopParser(ctx)
						}
					}
				}
				return nil
			}))
			handler.SetOnEndElementNS(sax.EndElementNSFunc(func(context.Context, string, string, string) error {
				depth--
				return nil
			}))
			_, err := heliumParser.SAXHandler(handler).Parse(context.Background(), doc)
			return o, err
		},
	},
}

var (
	heliumParser     = helium.NewParser()
	heliumWriter     = helium.NewWriter().XMLDeclaration(false).SelfCloseEmptyElements(false)
	heliumPaths      = xpath1.NewEvaluator().Namespaces(names)
	heliumQuantities = xpath1.MustCompile("/c:Customer/c:Accounts/c:Account/c:Holdings/c:Position/c:Quantity")
	heliumBalance    = xpath1.MustCompile("/c:Customer/c:Accounts/c:Account/c:Balance/c:WorkingBalance")
	heliumOrder      = []*xpath1.Expression{
		xpath1.MustCompile("/f:FIXML/f:Order/@ID"),
		xpath1.MustCompile("/f:FIXML/f:Order/@Acct"),
		xpath1.MustCompile("/f:FIXML/f:Order/f:OrdQty/@Cash"),
	}
	heliumProfile = []*xpath1.Expression{
		xpath1.MustCompile("/c:Customer/c:Name"),
		xpath1.MustCompile("/c:Customer/c:DateOfBirth"),
		xpath1.MustCompile("/c:Customer/c:Gender"),
		xpath1.MustCompile("/c:Customer/c:CountryOfResidence"),
		xpath1.MustCompile("/c:Customer/c:Languages"),
		xpath1.MustCompile("/c:Customer/c:Addresses/c:Address"),
		xpath1.MustCompile("/c:Customer/c:Addresses/c:EmailAddresses"),
	}
)

func heliumEach(e *helium.Element, visit func(*helium.Element), steps ...string) {
	for child := range helium.ChildElements(e) {
		if child.LocalName() != steps[0] || child.URI() != custacc {
			continue
		}
		if len(steps) == 1 {
			visit(child)
		} else {
			heliumEach(child, visit, steps[1:]...)
		}
	}
}

func heliumSetText(out *bytes.Buffer, tree *helium.Document, e *helium.Element, text string) error {
	for n := e.FirstChild(); n != nil; n = e.FirstChild() {
		helium.UnlinkNode(n.(helium.MutableNode))
	}
	if err := e.AppendText([]byte(text)); err != nil {
		return err
	}
	return heliumWriter.WriteTo(out, tree.DocumentElement())
}

package compare

import (
	"bytes"
	"errors"

	"github.com/antchfx/xmlquery"
	"github.com/antchfx/xpath"
)

// xmlquery parses by encoding/xml and looks up by XPath 1.0, with namespaces.
var xmlqueries = []candidate{{
	name: "xmlquery",
	lastQuantity: func(doc []byte) (string, error) {
		tree, err := xmlquery.Parse(bytes.NewReader(doc))
		if err != nil {
			return "", err
		}
		found := xmlquery.QuerySelectorAll(tree, xmlqueryQuantities)
		if len(found) == 0 {
			return "", errMissing
		}
		return found[len(found)-1].InnerText(), nil
	},
	profile: func(out *bytes.Buffer, doc []byte) error {
		tree, err := xmlquery.Parse(bytes.NewReader(doc))
		if err != nil {
			return err
		}
		for _, path := range xmlqueryProfile {
			for _, n := range xmlquery.QuerySelectorAll(tree, path) {
				if err := n.WriteWithOptions(out, xmlquery.WithOutputSelf(), xmlquery.WithPreserveSpace()); err != nil {
					return err
				}
			}
		}
		return nil
	},
	order: func(doc []byte) (order, error) {
		tree, err := xmlquery.Parse(bytes.NewReader(doc))
		if err != nil {
			return order{}, err
		}
		var values [3]string
		for i, path := range xmlqueryOrder {
			n := xmlquery.QuerySelector(tree, path)
			if n == nil {
				return order{}, errMissing
			}
			values[i] = n.InnerText()
		}
		return order{values[0], values[1], values[2]}, nil
	},
	admit: func(out *bytes.Buffer, doc []byte) error {
		tree, err := xmlquery.Parse(bytes.NewReader(doc))
		if err != nil {
			return err
		}
		return xmlqueryWrite(out, tree)
	},
	edit: func(out *bytes.Buffer, doc []byte, text string) error {
		tree, err := xmlquery.Parse(bytes.NewReader(doc))
		if err != nil {
			return err
		}
		n := xmlquery.QuerySelector(tree, xmlqueryBalance)
		if n == nil || n.FirstChild == nil {
			return errMissing
		}
		n.FirstChild.Data = text
		return xmlqueryWrite(out, tree)
	},
}}

var (
	xmlqueryQuantities = xmlqueryPath("/c:Customer/c:Accounts/c:Account/c:Holdings/c:Position/c:Quantity")
	xmlqueryBalance    = xmlqueryPath("/c:Customer/c:Accounts/c:Account/c:Balance/c:WorkingBalance")
	xmlqueryOrder      = []*xpath.Expr{
		xmlqueryPath("/f:FIXML/f:Order/@ID"),
		xmlqueryPath("/f:FIXML/f:Order/@Acct"),
		xmlqueryPath("/f:FIXML/f:Order/f:OrdQty/@Cash"),
	}
	xmlqueryProfile = []*xpath.Expr{
		xmlqueryPath("/c:Customer/c:Name"),
		xmlqueryPath("/c:Customer/c:DateOfBirth"),
		xmlqueryPath("/c:Customer/c:Gender"),
		xmlqueryPath("/c:Customer/c:CountryOfResidence"),
		xmlqueryPath("/c:Customer/c:Languages"),
		xmlqueryPath("/c:Customer/c:Addresses/c:Address"),
		xmlqueryPath("/c:Customer/c:Addresses/c:EmailAddresses"),
	}
)

func xmlqueryPath(path string) *xpath.Expr {
	expr, err := xpath.CompileWithNS(path, names)
	if err != nil {
		panic(err)
	}
	return expr
}

// xmlqueryWrite leaves the XML declaration out, which the parser adds where
// there is none.
func xmlqueryWrite(out *bytes.Buffer, tree *xmlquery.Node) error {
	for n := tree.FirstChild; n != nil; n = n.NextSibling {
		if n.Type == xmlquery.NotationNode {
			return errors.New("a document type declaration")
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

package compare

import (
	"bytes"
	"errors"

	"github.com/beevik/etree"
)

// etree parses by encoding/xml and keeps prefixes. Its paths match them as they
// are written; the namespace is a filter that must be asked for step by step.
var etrees = []candidate{{
	name: "etree",
	lastQuantity: func(doc []byte) (string, error) {
		tree, err := etreeOf(doc)
		if err != nil {
			return "", err
		}
		found := tree.FindElementsPath(etreeQuantities)
		if len(found) == 0 {
			return "", errMissing
		}
		return found[len(found)-1].Text(), nil
	},
	profile: func(out *bytes.Buffer, doc []byte) error {
		tree, err := etreeOf(doc)
		if err != nil {
			return err
		}
		for _, path := range etreeProfile {
			for _, e := range tree.FindElementsPath(path) {
				e.WriteTo(out, &tree.WriteSettings)
			}
		}
		return nil
	},
	order: func(doc []byte) (order, error) {
		tree, err := etreeOf(doc)
		if err != nil {
			return order{}, err
		}
		o, q := tree.FindElementPath(etreeOrder), tree.FindElementPath(etreeOrdQty)
		if o == nil || q == nil {
			return order{}, errMissing
		}
		return order{o.SelectAttrValue("ID", ""), o.SelectAttrValue("Acct", ""), q.SelectAttrValue("Cash", "")}, nil
	},
	admit: func(out *bytes.Buffer, doc []byte) error {
		tree := etree.NewDocument()
		tree.ReadSettings.ValidateInput = true
		tree.WriteSettings = etreeCanonical
		if err := tree.ReadFromBytes(doc); err != nil {
			return err
		}
		for _, child := range tree.Child {
			if _, is := child.(*etree.Directive); is {
				return errors.New("a document type declaration")
			}
		}
		_, err := tree.WriteTo(out)
		return err
	},
	edit: func(out *bytes.Buffer, doc []byte, text string) error {
		tree, err := etreeOf(doc)
		if err != nil {
			return err
		}
		e := tree.FindElementPath(etreeBalance)
		if e == nil {
			return errMissing
		}
		e.SetText(text)
		_, err = tree.WriteTo(out)
		return err
	},
}}

var (
	etreeCanonical  = etree.WriteSettings{CanonicalEndTags: true, CanonicalText: true, CanonicalAttrVal: true}
	etreeQuantities = etree.MustCompilePath("/Customer/Accounts/Account/Holdings/Position/Quantity")
	etreeBalance    = etree.MustCompilePath("/Customer/Accounts/Account/Balance/WorkingBalance")
	etreeOrder      = etree.MustCompilePath("/FIXML/Order")
	etreeOrdQty     = etree.MustCompilePath("/FIXML/Order/OrdQty")
	etreeProfile    = []etree.Path{
		etree.MustCompilePath("/Customer/Name"),
		etree.MustCompilePath("/Customer/DateOfBirth"),
		etree.MustCompilePath("/Customer/Gender"),
		etree.MustCompilePath("/Customer/CountryOfResidence"),
		etree.MustCompilePath("/Customer/Languages"),
		etree.MustCompilePath("/Customer/Addresses/Address"),
		etree.MustCompilePath("/Customer/Addresses/EmailAddresses"),
	}
)

func etreeOf(doc []byte) (*etree.Document, error) {
	tree := etree.NewDocument()
	tree.WriteSettings = etreeCanonical
	err := tree.ReadFromBytes(doc)
	return tree, err
}

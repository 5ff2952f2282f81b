package compare

import (
	"bytes"

	"brokerage/internal/xmldoc"
)

var (
	names      = xmldoc.Namespaces{"c": custacc, "f": fixml}
	quantities = xmldoc.MustPath(names, "c:Customer/c:Accounts/c:Account/c:Holdings/c:Position/c:Quantity")
	parts      = xmldoc.MustSet(names, "c:Customer/c:Name", "c:Customer/c:DateOfBirth", "c:Customer/c:Gender",
		"c:Customer/c:CountryOfResidence", "c:Customer/c:Languages", "c:Customer/c:Addresses",
		"c:Customer/c:Addresses/c:EmailAddresses")
	addresses = xmldoc.MustPath(names, "c:Address")
	orderRefs = xmldoc.MustSet(names, "f:FIXML/f:Order/@ID", "f:FIXML/f:Order/@Acct", "f:FIXML/f:Order/f:OrdQty/@Cash")
	balance   = xmldoc.MustPath(names, "c:Customer/c:Accounts/c:Account/c:Balance/c:WorkingBalance")
)

// Documents in a store have been admitted, so reading one does not check it
// again. For documents from outside, "xmldoc-admitted" includes both costs:
// that is the work that the libraries do.
var xmldocs = []candidate{
	{name: "xmldoc", lastQuantity: lastQuantity, profile: profile, order: orderOf, admit: admit, edit: edit},
	{
		name:         "xmldoc-admitted",
		lastQuantity: admitted(lastQuantity),
		order:        admitted(orderOf),
		profile: func(out *bytes.Buffer, doc []byte) error {
			_, err := admitted(func(doc []byte) (any, error) { return nil, profile(out, doc) })(doc)
			return err
		},
		edit: func(out *bytes.Buffer, doc []byte, text string) error {
			_, err := admitted(func(doc []byte) (any, error) { return nil, edit(out, doc, text) })(doc)
			return err
		},
	},
}

// admitted returns a task that begins with admission.
func admitted[T any](task func(doc []byte) (T, error)) func(doc []byte) (T, error) {
	return func(doc []byte) (result T, err error) {
		if doc, err = xmldoc.Admit(doc, xmldoc.Limits{}); err == nil {
			result, err = task(doc)
		}
		return result, err
	}
}

func lastQuantity(doc []byte) (string, error) {
	var last xmldoc.Node
	for quantity := range quantities.All(xmldoc.Document(doc)) {
		last = quantity
	}
	if !last.Exists() {
		return "", errMissing
	}
	return string(last.Text()), nil
}

func profile(out *bytes.Buffer, doc []byte) error {
	var found [7]xmldoc.Node
	parts.Find(xmldoc.Document(doc), found[:])
	b := out.AvailableBuffer()
	for _, n := range found[:5] {
		b = n.AppendWithin(b, custacc)
	}
	for address := range addresses.All(found[5]) {
		b = address.AppendWithin(b, custacc)
	}
	b = found[6].AppendWithin(b, custacc)
	_, err := out.Write(b)
	return err
}

func orderOf(doc []byte) (order, error) {
	var found [3]xmldoc.Node
	orderRefs.Find(xmldoc.Document(doc), found[:])
	return order{string(found[0].Text()), string(found[1].Text()), string(found[2].Text())}, nil
}

func admit(out *bytes.Buffer, doc []byte) error {
	b, err := xmldoc.AppendAdmitted(out.AvailableBuffer(), doc, xmldoc.Limits{})
	if err != nil {
		return err
	}
	_, err = out.Write(b)
	return err
}

func edit(out *bytes.Buffer, doc []byte, text string) error {
	e := xmldoc.Edit(doc)
	e.SetText(balance.Find(xmldoc.Document(doc)), text)
	b, err := e.Apply(out.AvailableBuffer())
	if err != nil {
		return err
	}
	_, err = out.Write(b)
	return err
}

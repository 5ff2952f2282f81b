package compare

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
)

// encoding/xml has three ways in: tokens with resolved names, raw tokens, whose
// names stay as they are written, and structs. For admission it needs raw
// tokens and a writer of our own: its Encoder does not reproduce what its
// Decoder has read, because tokens have lost their prefixes.
var std = []candidate{
	{
		name: "std-token",
		lastQuantity: func(doc []byte) (string, error) {
			d := xml.NewDecoder(bytes.NewReader(doc))
			return stdLast(d, d.Token, custacc)
		},
		profile: stdProfile,
		order:   stdOrder,
		edit:    stdEdit,
	},
	{
		name: "std-raw",
		lastQuantity: func(doc []byte) (string, error) {
			d := xml.NewDecoder(bytes.NewReader(doc))
			return stdLast(d, d.RawToken, "") // no prefix, which happens to be right for these documents
		},
		admit: stdAdmit,
	},
	{
		name: "std-struct",
		lastQuantity: func(doc []byte) (string, error) {
			var customer struct {
				XMLName    xml.Name `xml:"http://tpox-benchmark.com/custacc Customer"`
				Quantities []string `xml:"http://tpox-benchmark.com/custacc Accounts>Account>Holdings>Position>Quantity"`
			}
			if err := xml.Unmarshal(doc, &customer); err != nil {
				return "", err
			}
			if len(customer.Quantities) == 0 {
				return "", errMissing
			}
			return customer.Quantities[len(customer.Quantities)-1], nil
		},
		order: func(doc []byte) (order, error) {
			var message struct {
				XMLName xml.Name `xml:"http://www.fixprotocol.org/FIXML-4-4 FIXML"`
				Order   struct {
					ID     string `xml:"ID,attr"`
					Acct   string `xml:"Acct,attr"`
					OrdQty struct {
						Cash string `xml:"Cash,attr"`
					} `xml:"http://www.fixprotocol.org/FIXML-4-4 OrdQty"`
				} `xml:"http://www.fixprotocol.org/FIXML-4-4 Order"`
			}
			err := xml.Unmarshal(doc, &message)
			return order{message.Order.ID, message.Order.Acct, message.Order.OrdQty.Cash}, err
		},
	},
}

var quantityPath = []string{"Customer", "Accounts", "Account", "Holdings", "Position", "Quantity"}

// stdPath follows one path down: matched is how many of its steps lead to
// where the decoder is.
type stdPath struct {
	steps          []string
	space          string
	depth, matched int
}

func (p *stdPath) start(name xml.Name) (found bool) {
	if p.matched == p.depth && p.depth < len(p.steps) && name.Local == p.steps[p.depth] && name.Space == p.space {
		p.matched++
	}
	p.depth++
	return p.matched == len(p.steps) && p.depth == len(p.steps)
}

func (p *stdPath) end() (left bool) {
	left = p.matched == len(p.steps) && p.depth == len(p.steps)
	p.depth--
	p.matched = min(p.matched, p.depth)
	return left
}

// stdRead calls do with each token, and where it begins, until do returns false.
func stdRead(d *xml.Decoder, next func() (xml.Token, error), do func(token xml.Token, from int64) bool) error {
	for {
		from := d.InputOffset()
		token, err := next()
		if err != nil {
			return err
		}
		if !do(token, from) {
			return nil
		}
	}
}

func stdLast(d *xml.Decoder, next func() (xml.Token, error), space string) (string, error) {
	path := stdPath{steps: quantityPath, space: space}
	var text []byte
	inside, seen := false, false
	err := stdRead(d, next, func(token xml.Token, _ int64) bool {
		switch token := token.(type) {
		case xml.StartElement:
			if path.start(token.Name) {
				inside, seen, text = true, true, text[:0]
			}
		case xml.EndElement:
			if path.end() {
				inside = false
			}
		case xml.CharData:
			if inside {
				text = append(text, token...)
			}
		}
		return true
	})
	if errors.Is(err, io.EOF) && seen {
		return string(text), nil
	}
	return "", err
}

// stdProfile cuts by offsets, which is correct if no prefix is used that an
// outer element declares.
func stdProfile(out *bytes.Buffer, doc []byte) error {
	d := xml.NewDecoder(bytes.NewReader(doc))
	depth, keep := 0, 0 // keep: the depth of the element being cut
	inAddresses := false
	var begin int64
	return stdRead(d, d.Token, func(token xml.Token, from int64) bool {
		switch token := token.(type) {
		case xml.StartElement:
			depth++
			if keep != 0 || token.Name.Space != custacc {
				return true
			}
			wanted := false
			switch token.Name.Local {
			case "Name", "DateOfBirth", "Gender", "CountryOfResidence", "Languages":
				wanted = depth == 2
			case "Addresses":
				inAddresses = depth == 2
			case "Address", "EmailAddresses":
				wanted = depth == 3 && inAddresses
			}
			if wanted {
				keep, begin = depth, from
			}
		case xml.EndElement:
			if keep == depth {
				out.Write(doc[begin:d.InputOffset()])
				keep = 0
			}
			depth--
			return depth != 1 || !inAddresses // nothing that is wanted comes after
		}
		return true
	})
}

func stdOrder(doc []byte) (o order, err error) {
	d := xml.NewDecoder(bytes.NewReader(doc))
	depth := 0
	err = stdRead(d, d.Token, func(token xml.Token, _ int64) bool {
		switch token := token.(type) {
		case xml.StartElement:
			depth++
			if token.Name.Space != fixml {
				return true
			}
			for _, a := range token.Attr {
				switch {
				case depth == 2 && token.Name.Local == "Order" && a.Name == xml.Name{Local: "ID"}:
					o.id = a.Value
				case depth == 2 && token.Name.Local == "Order" && a.Name == xml.Name{Local: "Acct"}:
					o.account = a.Value
				case depth == 3 && token.Name.Local == "OrdQty" && a.Name == xml.Name{Local: "Cash"}:
					o.cash = a.Value
					return false
				}
			}
		case xml.EndElement:
			depth--
		}
		return true
	})
	return o, err
}

func stdEdit(out *bytes.Buffer, doc []byte, text string) error {
	d := xml.NewDecoder(bytes.NewReader(doc))
	path := stdPath{steps: []string{"Customer", "Accounts", "Account", "Balance", "WorkingBalance"}, space: custacc}
	var begin int64
	var failed error
	err := stdRead(d, d.Token, func(token xml.Token, from int64) bool {
		switch token := token.(type) {
		case xml.StartElement:
			if path.start(token.Name) {
				begin = d.InputOffset()
			}
		case xml.EndElement:
			if path.end() {
				out.Write(doc[:begin])
				failed = xml.EscapeText(out, []byte(text))
				out.Write(doc[from:])
				return false
			}
		}
		return true
	})
	return errors.Join(err, failed)
}

// stdAdmit adds checks of well-formedness that RawToken omits and that are
// cheap: tags match, and there is one root with nothing around it.
func stdAdmit(out *bytes.Buffer, doc []byte) error {
	d := xml.NewDecoder(bytes.NewReader(doc))
	var open []xml.Name
	roots := 0
	name := func(n xml.Name) {
		if n.Space != "" {
			out.WriteString(n.Space)
			out.WriteByte(':')
		}
		out.WriteString(n.Local)
	}
	for {
		token, err := d.RawToken()
		if errors.Is(err, io.EOF) && len(open) == 0 && roots == 1 {
			return nil
		}
		if err != nil {
			return err
		}
		switch token := token.(type) {
		case xml.StartElement:
			if len(open) == 0 {
				roots++
			}
			open = append(open, token.Name)
			out.WriteByte('<')
			name(token.Name)
			for _, a := range token.Attr {
				out.WriteByte(' ')
				name(a.Name)
				out.WriteString(`="`)
				if err := xml.EscapeText(out, []byte(a.Value)); err != nil {
					return err
				}
				out.WriteByte('"')
			}
			out.WriteByte('>')
		case xml.EndElement:
			if len(open) == 0 || open[len(open)-1] != token.Name {
				return fmt.Errorf("unexpected end tag of %s", token.Name.Local)
			}
			open = open[:len(open)-1]
			out.WriteString("</")
			name(token.Name)
			out.WriteByte('>')
		case xml.CharData:
			if len(open) == 0 {
				if len(bytes.TrimSpace(token)) > 0 {
					return errors.New("text outside the root element")
				}
				continue
			}
			if err := xml.EscapeText(out, token); err != nil {
				return err
			}
		case xml.Directive:
			return errors.New("a document type declaration")
		}
	}
}

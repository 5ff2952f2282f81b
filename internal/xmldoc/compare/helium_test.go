package compare

import (
	"context"
	"encoding/xml"
	"errors"

	"github.com/lestrrat-go/helium"
	"github.com/lestrrat-go/helium/sax"
)

var heliumSAX = candidate{
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
}

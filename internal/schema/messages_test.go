package schema

import (
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
)

func TestMessages(t *testing.T) {
	const custacc, security, fixml = "http://tpox-benchmark.com/custacc", "http://tpox-benchmark.com/security",
		"http://www.fixprotocol.org/FIXML-4-4"
	for _, c := range []struct {
		name, file string
		valid      string
		invalid    map[string]string // by a part of the error
	}{
		{"Trade", "custacc", `<Trade xmlns="` + custacc + `"><Symbol>IBM</Symbol><Quantity>1.5</Quantity></Trade>`,
			map[string]string{
				`/Trade: expected <Quantity>`: `<Trade xmlns="` + custacc + `"><Symbol>IBM</Symbol></Trade>`,
				`/Trade/Quantity`: `<Trade xmlns="` + custacc +
					`"><Symbol>IBM</Symbol><Quantity>0</Quantity></Trade>`,
				`/Trade/Symbol`: `<Trade xmlns="` + custacc +
					`"><Symbol>I M</Symbol><Quantity>1</Quantity></Trade>`,
				`expected the document element`: `<Customer_Profile xmlns="` + custacc + `"/>`,
			}},
		{"Price", "security", `<Price xmlns="` + security + `"><LastTrade>1</LastTrade><Bid>0.5</Bid></Price>`,
			map[string]string{
				`/Price: expected <LastTrade>`: `<Price xmlns="` + security + `"/>`,
				`/Price/Ask`:                   `<Price xmlns="` + security + `"><LastTrade>1</LastTrade><Ask></Ask></Price>`,
			}},
		{"OrderStatus", "order", `<OrderStatus xmlns="` + fixml + `" Stat="8"/>`, map[string]string{
			`/OrderStatus`: `<OrderStatus xmlns="` + fixml + `" Stat="5"/>`,
			`Stat`:         `<OrderStatus xmlns="` + fixml + `"/>`,
		}},
		{"Account", "custacc", "", map[string]string{`/Account: expected <Category>`: `<Account xmlns="` + custacc +
			`" id="1"/>`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			body := Body(c.file+"-messages.xsd", c.name)
			v := body()
			require.Same(t, v, body(), "compiled more than once")
			require.NotNil(t, v.fast)
			if c.valid != "" {
				require.NoError(t, v.Validate(admitted(t, []byte(c.valid))))
			}
			for words, doc := range c.invalid {
				require.ErrorContains(t, v.Validate(admitted(t, []byte(doc))), words)
			}
		})
	}
}

func TestComplete(t *testing.T) {
	const head = `<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns="urn:a" targetNamespace="urn:a">`
	file := func(content string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(content)} }
	files := fstest.MapFS{
		"a.xsd":       file(head + `<xs:element name="A"/></xs:schema>`),
		"b.xsd":       file(head + `<xs:include schemaLocation="a.xsd"/><xs:element name="B"/></xs:schema>`),
		"deep.xsd":    file(head + `<xs:include schemaLocation="b.xsd"/></xs:schema>`),
		"twice.xsd":   file(head + `<xs:include schemaLocation="a.xsd"/><xs:include schemaLocation="a.xsd"/></xs:schema>`),
		"missing.xsd": file(head + `<xs:include schemaLocation="c.xsd"/></xs:schema>`),
		"other.xsd": file(`<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns="urn:b" ` +
			`targetNamespace="urn:b"><xs:include schemaLocation="a.xsd"/></xs:schema>`),
	}
	got, err := complete(files, "b.xsd")
	require.NoError(t, err)
	require.Equal(t, head+`<xs:element name="A"/><xs:element name="B"/></xs:schema>`, string(got))
	got, err = complete(files, "a.xsd")
	require.NoError(t, err)
	require.Equal(t, files["a.xsd"].Data, got)
	for name, words := range map[string]string{
		"deep.xsd": "one include", "twice.xsd": "one include", "missing.xsd": "c.xsd",
		"other.xsd": "does not begin as it does", "none.xsd": "none.xsd",
	} {
		_, err := complete(files, name)
		require.ErrorContains(t, err, words, name)
	}
}

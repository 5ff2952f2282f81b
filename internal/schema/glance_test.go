package schema

import (
	"encoding/xml"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The glances must see that an ordinary document is one, else every document takes the slow way and only a benchmark
// would notice.
func TestGlance_OrdinaryDocuments(t *testing.T) {
	for _, s := range schemaFiles {
		for _, name := range s.examples {
			doc := example(t, name)
			require.True(t, startsWith(doc, s.validator().root), name)
			require.False(t, s.validator().empty.mayHoldText(doc), name)
		}
	}
}

func TestGlance_StartsWith(t *testing.T) {
	root := xml.Name{Space: "urn:a", Local: "r"}
	for doc, want := range map[string]bool{
		`<r xmlns="urn:a"/>`: true,
		"\ufeff<?xml version='1.0'?>\n<!-- <x> -->\n<?p >?><r xmlns='urn:a'>": true,
		"<p:r\n\tx='>' xmlns = 'urn:b'\nxmlns:p = 'urn:a' />":                 true,
		`<r xmlns:p="urn:a"/>`:                 false,
		`<p:r xmlns="urn:a" xmlns:p="urn:b"/>`: false,
		`<s xmlns="urn:a"/>`:                   false,
		`<rr xmlns="urn:a"/>`:                  false,
		`<r x="xmlns='urn:a'"/>`:               false,
		`<r xmlns="urn&#58;a"/>`:               false, // it is, and the slow way finds out
		`<r`:                                   false,
		`<r x`:                                 false,
		`<r xmlns=`:                            false,
		`<r xmlns="urn:a`:                      false,
		`<!-- <r xmlns="urn:a"/>`:              false,
		``:                                     false,
	} {
		require.Equal(t, want, startsWith([]byte(doc), root), doc)
	}
	// The slow way.
	require.NoError(t, Order().Validate([]byte(strings.Replace(string(example(t, "order-minimal.xml")),
		"http://", "http:&#47;/", 1))))
}

func TestGlance_DeclaredEncoding(t *testing.T) {
	for doc, want := range map[string]string{
		`<?xml version="1.0" encoding="a"?><x/>`:                 "a",
		`<?xml version='1.0' encoding = 'a' standalone="yes" ?>`: "a",
		`<?xml version="1.0"?><x encoding="a"/>`:                 "",
		`<?xml version="1.0" encoding="a`:                        "",
		`<?xml version="1.0" encoding=?>`:                        "",
		`<?xml version="1.0" encoding?>`:                         "",
		`<?xml encoding="a?>"`:                                   "",
		` <?xml version="1.0" encoding="a"?>`:                    "",
		`<?xml-stylesheet encoding="a"?>`:                        "",
	} {
		from, to := declaredEncoding([]byte(doc))
		require.Equal(t, want, doc[from:to], doc)
	}
}

func TestGlance_MayHoldText(t *testing.T) {
	names := &emptyNames{}
	require.False(t, names.mayHoldText([]byte(`<e> </e>`)))
	names.add("e")
	for doc, want := range map[string]bool{
		`<a><e/></a>`:                    false,
		`<a> <e/> </a>`:                  false,
		`<a><e x=">"></e></a>`:           false,
		`<a><p:e></p:e ></a>`:            false,
		`<a><e> </e></a>`:                true,
		`<a><e><!-- --></e></a>`:         true,
		`<a><e> <!-- <e> --></e></a>`:    true,
		`<a><e> <![CDATA[<e>]]></e></a>`: true,
		`<a><e> <?p <e>?></e></a>`:       true,
		`<a><e>&#32;</e></a>`:            true,
		`<a><e><b/></e></a>`:             true,
		`<a> <ee> </ee></a>`:             false,
	} {
		require.Equal(t, want, names.mayHoldText([]byte(doc)), doc)
	}
}

package api_test

import (
	"encoding/xml"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/stretchr/testify/require"

	"brokerage/api"
	"brokerage/internal/dataset"
	"brokerage/internal/schema"
	"brokerage/internal/store"
	"brokerage/internal/testenv"
	"brokerage/internal/tpox"
)

func TestSchemas_AllUsed(t *testing.T) {
	used := map[string]bool{}
	content(contract(t), func(where, mediaType string, m *openapi3.MediaType) {
		schemaFile, element := xsd(m)
		if where == "lease_ids body" || !strings.Contains(mediaType, "xml") || where == "get_schema 200" {
			require.Empty(t, schemaFile, "%s %s", where, mediaType)
			return
		}
		used[schemaFile] = true
		require.Equal(t, "/schema/"+schemaFile, m.Schema.Value.ExternalDocs.URL, where)
		v, err := schema.CompileFile(schemaFile, element)
		require.NoError(t, err, where)
		namespace := m.Schema.Value.Extensions["x-xsd"].(map[string]any)["namespace"]
		require.Error(t, v.Validate(fmt.Appendf(nil, `<%s xmlns="%sx"/>`, element, namespace)), where)
	})
	entries, err := api.Schemas.ReadDir("schema")
	require.NoError(t, err)
	for _, e := range entries {
		require.True(t, used[e.Name()], "nothing in the contract uses %s", e.Name())
	}
	require.Len(t, used, len(entries))
	require.Len(t, contract(t).Components.Parameters["Schema"].Value.Schema.Value.Enum, len(entries))
	for _, name := range contract(t).Components.Parameters["Schema"].Value.Schema.Value.Enum {
		require.Contains(t, used, name)
	}
}

// Every body and every answer has an example, all examples are valid, and every XML file is an example.
func TestExamples_Valid(t *testing.T) {
	doc := contract(t)
	shown := map[string]bool{}
	content(doc, func(where, mediaType string, m *openapi3.MediaType) {
		schemaFile, element := xsd(m)
		if schemaFile != "" && !strings.HasPrefix(mediaType, "text/xml") { // the same bytes under another media type
			require.NotEmpty(t, m.Examples, "%s %s", where, mediaType)
		}
		for name, e := range m.Examples {
			text, ok := e.Value.Value.(string)
			if !ok {
				continue // JSON, which has been checked with the contract
			}
			shown[text] = true
			require.NoError(t, validator(t, schemaFile, element).Validate([]byte(text)), "%s %s", where, name)
		}
	})
	entries, err := api.Examples.ReadDir("examples")
	require.NoError(t, err)
	for _, e := range entries {
		b, err := api.Examples.ReadFile("examples/" + e.Name())
		require.NoError(t, err)
		require.True(t, shown[string(b)] || strings.HasSuffix(e.Name(), ".json"), "%s is not in the contract", e.Name())
	}
	require.NotContains(t, string(api.OpenAPI()), "externalValue")
}

var profiles = []dataset.Profile{dataset.TPoX2, dataset.TPoX1}

func TestSchemas_TakeWhatTheDomainMakes(t *testing.T) {
	t.Parallel()
	n := int64(2000)
	if testing.Short() {
		n = 100
	}
	for _, p := range profiles {
		t.Run(p.String(), func(t *testing.T) {
			t.Parallel()
			seen := map[answer]int64{}
			answers(t, p, n, func(a answer, doc []byte) {
				seen[a]++
				if err := validator(t, a.file, a.element).Validate(doc); err != nil {
					require.NoError(t, err, "%s", doc)
				}
			})
			for _, a := range []answer{
				orderAnswer, maxOrderAnswer, statusAnswer, profileAnswer, confirmationAnswer, summaryAnswer, priceAnswer,
			} {
				require.GreaterOrEqual(t, seen[a], n, a)
			}
			require.Greater(t, seen[searchAnswer], n/2)
		})
	}
}

func TestSchemas_RefuseDamage(t *testing.T) {
	t.Parallel()
	documents := 0
	answers(t, dataset.TPoX2, 3, func(a answer, doc []byte) {
		for _, bad := range damage(t, a, doc) {
			require.Error(t, validator(t, a.file, a.element).Validate(bad.doc), "%s: %s\n%s", a.element, bad.fault, bad.doc)
			documents++
		}
	})
	require.Greater(t, documents, 1000)
}

// Each case breaks a restriction of values or counts that only one schema has, in an example of the contract.
func TestSchemas_RefuseValues(t *testing.T) {
	for _, c := range []struct{ example, file, element, from, to string }{
		{"customer_profile.response", "custacc-messages.xsd", "Customer_Profile", ` CUSTOMERID="`, ` CUSTOMERID="0`},
		{"customer_profile.response", "custacc-messages.xsd", "Customer_Profile", "</Addresses>",
			`<EmailAddresses></EmailAddresses></Addresses>`},
		{"customer_profile.response", "custacc-messages.xsd", "Customer_Profile", "</EmailAddresses>",
			`</EmailAddresses><EmailAddresses></EmailAddresses>`},
		{"account_summary.response", "custacc-summary.xsd", "Customer", ` BALANCE="`, ` BALANCE="x`},
		{"account_summary.response", "custacc-summary.xsd", "Customer", `<Statement>`, `<Statement></Statement><Statement>`},
		{"account_summary.response", "custacc-summary.xsd", "Customer", `</Symbol>`, `</Symbol><Symbol>A</Symbol>`},
		{"buy_security.response", "custacc-messages.xsd", "Trade_Confirmation", "<Side>Buy", "<Side>buy"},
		{"buy_security.response", "custacc-messages.xsd", "Trade_Confirmation", "</Amount>", "0</Amount>"},
		{"buy_security.response", "custacc-messages.xsd", "Trade_Confirmation", "<Price>", "<Price>-"},
		{"buy_security.response", "custacc-messages.xsd", "Trade_Confirmation", "0</Quantity>", "</Quantity>"},
		{"open_account.request", "custacc-messages.xsd", "Account", "<OpeningDate>", "<OpeningDate>x"},
		{"get_security_price.response", "security-messages.xsd", "Security_Price", "<Open>", "<Open>-"},
		{"search_securities.response", "security-messages.xsd", "Securities", ` count="`, ` count="-`},
		{"search_securities.response", "security-messages.xsd", "Securities", `<Sector>`, `<Sector>x`},
		{"update_security_price.request", "security-messages.xsd", "Price", `<LastTrade>`, `<LastTrade>0.12345`},
		{"update_order_status.request", "order-messages.xsd", "OrderStatus", `Stat="2"`, `Stat="5"`},
		{"update_order_status.request", "order-messages.xsd", "OrderStatus", `Stat="2"`, ``},
		{"customer_max_order.response", "order-messages.xsd", "Customer_Max_Order", ` CASH="`, ` CASH="x`},
		{"customer_max_order.response", "order-messages.xsd", "Customer_Max_Order", ` Side="`, ` Side="x`},
		{"get_account.response", "custacc-messages.xsd", "Account", "<OpeningDate>", "<OpeningDate>x"},
		{"get_dataset.response", "service.xsd", "Dataset", ` profile="tpox-2`, ` profile="tpox-3`},
		{"get_dataset.response", "service.xsd", "Dataset", ` fingerprint="tpox-2/tiny/seed-1/v1/500-200-2000"`, ``},
		{"lease_ids.response", "service.xsd", "Lease", ` kind="order"`, ` kind="security"`},
		{"lease_ids.response", "service.xsd", "Lease", ` count="100000"`, ` count="0"`},
		{"get_health.response", "service.xsd", "Health", `alive`, `well`},
		{"get_readiness.response", "service.xsd", "Readiness", `ready`, `draining`},
		{"get_version.response", "service.xsd", "Version", ` generator="1"`, ``},
		{"get_version.response", "service.xsd", "Version", ` database="5`, ` database="x`},
		{"problem.invalid", "problem.xsd", "problem", `<type>urn:brokerage:problem:`, `<type>`},
		{"problem.invalid", "problem.xsd", "problem", `<status>4`, `<status>2`},
		{"problem.invalid", "problem.xsd", "problem", `<line>`, `<line>0</line><line>`},
		{"problem.invalid", "problem.xsd", "problem", `<message>`, `<message></message><message>`},
	} {
		doc, err := api.Examples.ReadFile("examples/" + c.example + ".xml")
		require.NoError(t, err)
		require.NoError(t, validator(t, c.file, c.element).Validate(doc), c.example)
		bad := strings.Replace(string(doc), c.from, c.to, 1)
		require.NotEqual(t, string(doc), bad, "%s has no %s", c.example, c.from)
		require.Error(t, validator(t, c.file, c.element).Validate([]byte(bad)), "%s", bad)
	}
}

// Where schema and domain check the same value they agree, so their order does not matter.
func TestSchemas_AgreeWithDomain(t *testing.T) {
	trade := validator(t, "custacc-messages.xsd", "Trade")
	update := validator(t, "security-messages.xsd", "Price")
	status := validator(t, "order-messages.xsd", "OrderStatus")
	for _, quantity := range []string{
		"1", "0", "-1", "+1", "0.001", "0.0001", "0.0010", "1000000000", "1000000000.000", "1000000000.001", "1e3", "", " 5 ",
		".5", "5.", "x", "1,5",
	} {
		body := `<Trade xmlns="` + tpox.CustAccNS + `"><Symbol>IBM</Symbol><Quantity>` + quantity + `</Quantity></Trade>`
		domain := tpox.Trade{Side: tpox.Buy, Symbol: "IBM", Quantity: quantity}.Validate()
		require.Equal(t, domain == nil, trade.Validate([]byte(body)) == nil, "%q", quantity)
	}
	for _, price := range []string{
		"1", "0", "-1", "-0", "+1", "0.0001", "0.00001", "0.00010", "123456789.1234", "1234567890.1234", "9999999999999",
		"10000000000000", "", " 5 ", "x",
	} {
		body := `<Price xmlns="` + tpox.SecurityNS + `"><LastTrade>` + price + `</LastTrade></Price>`
		domain := tpox.Price{LastTrade: price}.Validate()
		require.Equal(t, domain == nil, update.Validate([]byte(body)) == nil, "%q", price)
	}
	for _, symbol := range []string{"A", "", "SEVENXX", "EIGHTXXX", "A B", "ÉÉÉÉÉÉÉ", " A"} {
		body := `<Trade xmlns="` + tpox.CustAccNS + `"><Symbol>` + symbol + `</Symbol><Quantity>1</Quantity></Trade>`
		require.Equal(t, tpox.IsSymbol(symbol), trade.Validate([]byte(body)) == nil, "%q", symbol)
	}
	order := generator(t, "tiny", dataset.TPoX2).Append(nil, dataset.Order, 0)
	for c := byte(' '); c <= '~'; c++ {
		changed, body, err := tpox.SetOrderStatus(order, string(c))
		require.NoError(t, err)
		require.Equal(t, tpox.ValidateOrder(changed) == nil, status.Validate(body) == nil, "%q", c)
	}
}

// custacc-summary.xsd cannot include custacc.xsd, and repeats three of its types. They must be equal.
func TestSchemas_RepeatedTypes(t *testing.T) {
	read := func(file string) string {
		b, err := api.Schemas.ReadFile("schema/" + file)
		require.NoError(t, err)
		return string(b)
	}
	document, summary := read("custacc.xsd"), read("custacc-summary.xsd")
	repeated := 0
	for _, declaration := range regexp.MustCompile(`(?s) {2}<xs:complexType name="\w+">.*?\n `+
		`{2}</xs:complexType>\n`).FindAllString(summary, -1) {
		name, _, _ := strings.Cut(declaration, "\n")
		if strings.Contains(document, name) {
			require.Contains(t, document, declaration)
			repeated++
		}
	}
	require.Equal(t, 3, repeated)
}

// The answer of get_dataset is valid, and its pattern of accounts is the generator's.
func TestDataset_AccountRule(t *testing.T) {
	engine := tpox.EngineInfo{Name: "null", Version: "1", Durability: tpox.Forgetful}
	for _, p := range profiles {
		d := generator(t, "XXXS", p)
		b := store.DescribeDataset(store.ContentsOf(d), d, engine, false)
		require.NoError(t, validator(t, "service.xsd", "Dataset").Validate(b))
		var got struct {
			Accounts struct {
				First    int64 `xml:"first,attr"`
				Stride   int64 `xml:"stride,attr"`
				Customer []struct {
					Offset   int64 `xml:"offset,attr"`
					Accounts int   `xml:"accounts,attr"`
				}
			}
		}
		require.NoError(t, xml.Unmarshal(b, &got))
		n := int64(len(got.Accounts.Customer))
		for k := range int64(1000) {
			step := got.Accounts.Customer[k%n]
			require.Equal(t, d.FirstAccount(k), got.Accounts.First+got.Accounts.Stride*(k/n)+step.Offset, "customer %d", k)
			require.Equal(t, d.Accounts(k), step.Accounts, "customer %d", k)
		}
	}
	// A dataset of unknown origin has neither a seed nor a pattern of accounts.
	imported := store.DescribeDataset(tpox.Contents{Fingerprint: "files/3-2-1"}, nil, engine, false)
	require.NoError(t, validator(t, "service.xsd", "Dataset").Validate(imported))
}

// damagedByFile returns answers and examples, each undamaged and in all its damaged forms, by their schema.
func damagedByFile(t *testing.T, n int64) map[string][]damaged {
	t.Helper()
	byFile := map[string][]damaged{}
	answers(t, dataset.TPoX1, n, func(a answer, doc []byte) {
		byFile[a.file] = append(append(byFile[a.file], damaged{answer: a, doc: doc}), damage(t, a, doc)...)
	})
	seen := map[string]bool{}
	content(contract(t), func(_, _ string, m *openapi3.MediaType) {
		file, element := xsd(m)
		for _, e := range m.Examples {
			if text, ok := e.Value.Value.(string); ok && !seen[text] {
				seen[text] = true
				a := answer{file, element}
				byFile[file] = append(append(byFile[file], damaged{answer: a, doc: []byte(text)}), damage(t, a, []byte(text))...)
			}
		}
	})
	return byFile
}

// Other validators, which resolve includes by themselves, give the same verdicts with the same files.
func TestSchemas_OtherValidators(t *testing.T) {
	testenv.Long(t)
	for name, other := range map[string]struct {
		validate  func(t testing.TB, schema string, docs [][]byte) []testenv.Opinion
		documents int64
	}{"Xmllint": {testenv.Xmllint, 3}, "Xerces": {testenv.Xerces, 1}} {
		t.Run(name, func(t *testing.T) {
			for file, documents := range damagedByFile(t, other.documents) {
				var docs [][]byte
				for _, d := range documents {
					docs = append(docs, d.doc)
				}
				for i, theirs := range other.validate(t, filepath.Join("schema", file), docs) {
					d := documents[i]
					require.Equal(t, d.fault == "", theirs.Errors == "", "%s %s: %s\n%s", d.element, d.fault, theirs.Errors, d.doc)
				}
			}
		})
	}
}

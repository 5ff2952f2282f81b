package tpox_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/tpox"
)

const securityNS = ` xmlns="http://tpox-benchmark.com/security"`

func TestSecurityKeysOf(t *testing.T) {
	t.Parallel()
	want := tpox.SecurityKeys{Symbol: "IBM", Name: "IBM & Co", Type: "Stock", Sector: "Energy", PE: "21.50",
		Yield: "4.5"}
	doc := securityXML("IBM", "10")
	for _, doc := range []string{doc, prefixed(doc), strings.ReplaceAll(doc, "StockInformation", "FundInformation")} {
		keys, err := tpox.SecurityKeysOf([]byte(doc))
		require.NoError(t, err)
		require.Equal(t, want, keys)
	}
	keys, err := tpox.SecurityKeysOf([]byte(strings.Replace(doc, "<Sector>Energy</Sector>", "", 1)))
	require.NoError(t, err)
	require.Empty(t, keys.Sector)
}

func TestSecurityKeysOf_Refused(t *testing.T) {
	t.Parallel()
	const (
		notSecurity = "the root element is not Security in namespace http://tpox-benchmark.com/security"
		figure      = "not a decimal from 0, of at most 13 digits, at most 4 of them after the point"
		symbol      = "/Security/Symbol: not a symbol: 1 to 7 characters without white space"
	)
	doc := securityXML("IBM", "10")
	for _, c := range []struct {
		name, doc string
		want      []string
	}{
		{"empty", ``, []string{notSecurity}},
		{"other namespace", strings.Replace(doc, "/security", "/custacc", 1), []string{notSecurity}},
		{"no symbol", strings.Replace(doc, "<Symbol>IBM</Symbol>", "", 1), []string{symbol}},
		{"long symbol", securityXML("ABCDEFGH", "10"), []string{symbol}},
		{"blank in symbol", securityXML("A B", "10"), []string{symbol}},
		{"second", strings.Replace(doc, "</PE>", "</PE><PE>abc</PE>", 1), []string{"/Security/PE: " + figure}},
		{"third", strings.Replace(doc, "</Yield>", "</Yield><Yield>1</Yield><Yield></Yield>", 1),
			[]string{"/Security/Yield: " + figure}},
		{"negative", strings.Replace(doc, "<PE>", "<PE>-", 1), []string{"/Security/PE: " + figure}},
		{"missing", strings.Replace(doc, "<Yield>4.5</Yield>", "", 1), []string{"/Security/Yield: " + figure}},
		{"every finding, in order", `<Security` + securityNS + `></Security>`,
			[]string{symbol, "/Security/PE: " + figure, "/Security/Yield: " + figure}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, err := tpox.SecurityKeysOf([]byte(c.doc))
			require.Equal(t, c.want, findings(t, err))
		})
	}
}

func TestIsSymbol(t *testing.T) {
	t.Parallel()
	for _, s := range []string{"A", "ABCDEFG", "Ä", "ÄÖÜÄÖÜÄ", "BRK.A", "😀😀😀😀😀😀😀"} {
		require.True(t, tpox.IsSymbol(s), "%q", s)
	}
	for _, s := range []string{
		"", "ABCDEFGH", "ÄÖÜÄÖÜÄÖ", " A", "A ", "A\tB", "\n", "A\rB", strings.Repeat("A", 1000),
	} {
		require.False(t, tpox.IsSymbol(s), "%q", s)
	}
}

func TestSetPrice(t *testing.T) {
	t.Parallel()
	// Today's low is 9.5 and high 11.
	for _, c := range []struct {
		name    string
		price   tpox.Price
		replace []string // old and new
	}{
		{"between", tpox.Price{LastTrade: "10.5"}, []string{"<LastTrade>10<", "<LastTrade>10.5<"}},
		{"as received", tpox.Price{LastTrade: "010.5000"}, []string{"<LastTrade>10<", "<LastTrade>010.5000<"}},
		{"ask and bid", tpox.Price{LastTrade: "10.50", Ask: "10.6", Bid: "10.4"},
			[]string{"<LastTrade>10<", "<LastTrade>10.50<", "<Ask>10.5<", "<Ask>10.6<", "<Bid>10.25<", "<Bid>10.4<"}},
		{"ask alone", tpox.Price{LastTrade: "10.50", Ask: "0"},
			[]string{"<LastTrade>10<", "<LastTrade>10.50<", "<Ask>10.5<", "<Ask>0<"}},
		{"as high", tpox.Price{LastTrade: "11.0"}, []string{"<LastTrade>10<", "<LastTrade>11.0<"}},
		{"higher", tpox.Price{LastTrade: "11.0001"},
			[]string{"<LastTrade>10<", "<LastTrade>11.0001<", "<High>11<", "<High>11.0001<"}},
		{"higher, as decimals", tpox.Price{LastTrade: "100"},
			[]string{"<LastTrade>10<", "<LastTrade>100<", "<High>11<", "<High>100<"}},
		{"as low", tpox.Price{LastTrade: "9.50"}, []string{"<LastTrade>10<", "<LastTrade>9.50<"}},
		{"lower", tpox.Price{LastTrade: "9.4999"},
			[]string{"<LastTrade>10<", "<LastTrade>9.4999<", "<Low>9.5<", "<Low>9.4999<"}},
		{"nothing", tpox.Price{LastTrade: "0"}, []string{"<LastTrade>10<", "<LastTrade>0<", "<Low>9.5<", "<Low>0<"}},
		{"13 digits", tpox.Price{LastTrade: "9999999999999"},
			[]string{"<LastTrade>10<", "<LastTrade>9999999999999<", "<High>11<", "<High>9999999999999<"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			doc := securityXML("IBM", "10")
			got, err := tpox.SetPrice([]byte(doc), c.price)
			require.NoError(t, err)
			want := strings.NewReplacer(c.replace...).Replace(doc)
			require.Equal(t, want, string(got))
			require.NoError(t, tpox.ValidateSecurity(got))

			got, err = tpox.SetPrice([]byte(prefixed(doc)), c.price)
			require.NoError(t, err)
			require.Equal(t, prefixed(want), string(got))
		})
	}
}

func TestSetPrice_Refused(t *testing.T) {
	t.Parallel()
	const not = ": not a price: a decimal from 0, of at most 13 digits, at most 4 of them after the point"
	for _, c := range []struct {
		name  string
		price tpox.Price
		want  []string
	}{
		{"none", tpox.Price{}, []string{"/Price/LastTrade" + not}},
		{"negative", tpox.Price{LastTrade: "-1"}, []string{"/Price/LastTrade" + not}},
		{"5 places", tpox.Price{LastTrade: "1.00001"}, []string{"/Price/LastTrade" + not}},
		{"exponent", tpox.Price{LastTrade: "1e2"}, []string{"/Price/LastTrade" + not}},
		{"14 digits", tpox.Price{LastTrade: "10000000000000"}, []string{"/Price/LastTrade" + not}},
		{"every finding", tpox.Price{LastTrade: "x", Ask: "-1", Bid: " "},
			[]string{"/Price/LastTrade" + not, "/Price/Ask" + not, "/Price/Bid" + not}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, c.want, findings(t, c.price.Validate()))
			got, err := tpox.SetPrice([]byte(securityXML("IBM", "10")), c.price)
			require.Equal(t, c.want, findings(t, err))
			require.Nil(t, got)
		})
	}
	for part, element := range map[string]string{
		"LastTrade": "<LastTrade>10</LastTrade>", "Ask": "<Ask>10.5</Ask>", "Bid": "<Bid>10.25</Bid>",
		"PriceToday/High": "<High>11</High>", "PriceToday/Low": "<Low>9.5</Low>",
	} {
		_, err := tpox.SetPrice([]byte(strings.Replace(securityXML("IBM", "10"), element, "", 1)),
			tpox.Price{LastTrade: "1"})
		require.Equal(t, []string{"/Security/Price/" + part + ": is missing in the security"}, findings(t, err))
	}
}

// A high or low that is no number, in a security that was not validated, is replaced by the next price.
func TestSetPrice_NoHighLow(t *testing.T) {
	t.Parallel()
	doc := strings.NewReplacer("<High>11<", "<High>?<", "<Low>9.5<", "<Low><").Replace(securityXML("IBM", "10"))
	got, err := tpox.SetPrice([]byte(doc), tpox.Price{LastTrade: "10"})
	require.NoError(t, err)
	require.Equal(t, strings.NewReplacer("<High>11<", "<High>10<", "<Low>9.5<",
		"<Low>10<").Replace(securityXML("IBM", "10")), string(got))
}

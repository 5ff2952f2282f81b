package tpox_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/tpox"
)

const fixml = ` xmlns="http://www.fixprotocol.org/FIXML-4-4"`

func TestOrderKeysOf(t *testing.T) {
	t.Parallel()
	cash, ok := tpox.SortKey("1479.06")
	require.True(t, ok)
	for _, doc := range []string{orderXML, prefixed(orderXML)} {
		keys, err := tpox.OrderKeysOf([]byte(doc))
		require.NoError(t, err)
		require.Equal(t, tpox.OrderKeys{ID: 103282, Account: 104000000, Cash: cash, CashText: "1479.060"}, keys)
	}
	for _, quantity := range []string{
		``, `<OrdQty></OrdQty>`, `<OrdQty Cash=""></OrdQty>`, `<OrdQty Cash="1e5"></OrdQty>`,
	} {
		keys, err := tpox.OrderKeysOf([]byte(`<FIXML` + fixml + `><Order ID="1" Acct="2">` + quantity +
			`</Order></FIXML>`))
		require.NoError(t, err)
		keys.CashText = "" // not compared
		require.Equal(t, tpox.OrderKeys{ID: 1, Account: 2}, keys, "an order need not be valid")
	}
}

func TestOrderKeysOf_Refused(t *testing.T) {
	t.Parallel()
	const (
		notFIXML = "the root element is not FIXML with an Order, in namespace http://www.fixprotocol.org/FIXML-4-4"
		notAnID  = "not an id: 1 to 15 digits without a leading zero"
	)
	for _, c := range []struct {
		name, doc string
		want      []string
	}{
		{"empty", ``, []string{notFIXML}},
		{"no namespace", `<FIXML><Order ID="1" Acct="2"></Order></FIXML>`, []string{notFIXML}},
		{"without root", `<Order` + fixml + ` ID="1" Acct="2"></Order>`, []string{notFIXML}},
		{"without Order", `<FIXML` + fixml + `></FIXML>`, []string{notFIXML}},
		{"Order deeper", `<FIXML` + fixml + `><Batch><Order ID="1" Acct="2"></Order></Batch></FIXML>`, []string{notFIXML}},
		{"no ID", `<FIXML` + fixml + `><Order Acct="2"></Order></FIXML>`, []string{"/FIXML/Order/@ID: " + notAnID}},
		{"no Acct", `<FIXML` + fixml + `><Order ID="1"></Order></FIXML>`, []string{"/FIXML/Order/@Acct: " + notAnID}},
		{"letters", `<FIXML` + fixml + `><Order ID="A1" Acct="2"></Order></FIXML>`, []string{"/FIXML/Order/@ID: " + notAnID}},
		{"every finding", `<FIXML` + fixml + `><Order ID="01" Acct=" 2"></Order></FIXML>`,
			[]string{"/FIXML/Order/@ID: " + notAnID, "/FIXML/Order/@Acct: " + notAnID}},
		{"keys of the second Order", `<FIXML` + fixml + `><Order></Order><Order ID="1" Acct="2"></Order></FIXML>`,
			[]string{"/FIXML/Order/@ID: " + notAnID, "/FIXML/Order/@Acct: " + notAnID}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, err := tpox.OrderKeysOf([]byte(c.doc))
			require.Equal(t, c.want, findings(t, err))
		})
	}
}

func TestSetOrderStatus(t *testing.T) {
	t.Parallel()
	with := func(doc, stat string) string { return strings.Replace(doc, ` Typ="8"`, ` Typ="8" Stat="`+stat+`"`, 1) }
	for _, doc := range []string{orderXML, prefixed(orderXML)} {
		changed, answer, err := tpox.SetOrderStatus([]byte(doc), "2")
		require.NoError(t, err)
		require.Equal(t, with(doc, "2"), string(changed))
		require.Equal(t, `<OrderStatus`+fixml+` Stat="2"></OrderStatus>`, string(answer))
		require.NoError(t, tpox.ValidateOrder(changed))

		again, _, err := tpox.SetOrderStatus(changed, "8")
		require.NoError(t, err)
		require.Equal(t, with(doc, "8"), string(again))
	}

	changed, answer, err := tpox.SetOrderStatus([]byte(orderXML), `<"&`)
	require.NoError(t, err)
	normal(t, changed)
	normal(t, answer)
	findings(t, tpox.ValidateOrder(changed))

	_, _, err = tpox.SetOrderStatus([]byte(orderXML), "\x01")
	require.Equal(t, []string{"/OrderStatus/@Stat: not a text that XML can hold"}, findings(t, err))
}

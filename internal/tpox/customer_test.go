package tpox_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/tpox"
)

const custAcc = ` xmlns="http://tpox-benchmark.com/custacc"`

func TestCustomerKeysOf(t *testing.T) {
	t.Parallel()
	doc := customerXML(account{id: "104000001"}.xml(), account{id: "104000000"}.xml())
	for _, doc := range []string{doc, prefixed(doc)} {
		keys, err := tpox.CustomerKeysOf([]byte(doc))
		require.NoError(t, err)
		require.Equal(t, tpox.CustomerKeys{ID: 1002, Accounts: []tpox.ID{104000001, 104000000}}, keys)
	}
}

func TestCustomerKeysOf_Refused(t *testing.T) {
	t.Parallel()
	const (
		notAnID     = "not an id: 1 to 15 digits without a leading zero"
		notCustomer = "the root element is not Customer in namespace http://tpox-benchmark.com/custacc"
	)
	for _, c := range []struct {
		name, doc string
		want      []string
	}{
		{"empty", ``, []string{notCustomer}},
		{"other namespace", `<Customer xmlns="urn:x" id="1"></Customer>`, []string{notCustomer}},
		{"no namespace", `<Customer id="1"></Customer>`, []string{notCustomer}},
		{"other root", `<Account` + custAcc + ` id="1"></Account>`, []string{notCustomer}},
		{"no id", `<Customer` + custAcc + `></Customer>`, []string{"/Customer/@id: " + notAnID}},
		{"leading zero", `<Customer` + custAcc + ` id="01"></Customer>`, []string{"/Customer/@id: " + notAnID}},
		{"signed", `<Customer` + custAcc + ` id="+1"></Customer>`, []string{"/Customer/@id: " + notAnID}},
		{"id of another namespace", `<Customer` + custAcc + ` xmlns:o="urn:o" o:id="1"></Customer>`,
			[]string{"/Customer/@id: " + notAnID}},
		{"account without", customerXML(`<Account></Account>`), []string{"/Customer/Accounts/Account/@id: " + notAnID}},
		{"account twice", customerXML(`<Account id="7"></Account>`, `<Account id="8"></Account>`,
			`<Account id="7"></Account>`),
			[]string{"/Customer/Accounts/Account/@id: account 7 appears twice"}},
		{"every finding", strings.Replace(customerXML(`<Account id="x"></Account>`, `<Account id="7"></Account>`,
			`<Account id="7"></Account>`), `"1002"`, `"0"`, 1),
			[]string{"/Customer/@id: " + notAnID, "/Customer/Accounts/Account/@id: " + notAnID,
				"/Customer/Accounts/Account/@id: account 7 appears twice"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, err := tpox.CustomerKeysOf([]byte(c.doc))
			require.Equal(t, c.want, findings(t, err))
		})
	}
}

// A customer that is not validated may have as many accounts as fit.
func TestCustomerKeysOf_ManyAccounts(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	const n = 30_000
	for i := range n {
		fmt.Fprintf(&b, `<Account id="%d"></Account>`, 100_000+i)
	}
	keys, err := tpox.CustomerKeysOf([]byte(customerXML(b.String())))
	require.NoError(t, err)
	require.Len(t, keys.Accounts, n)

	_, err = tpox.CustomerKeysOf([]byte(customerXML(b.String(), b.String())))
	require.Len(t, findings(t, err), 20, "the number of findings is limited")
}

func TestAccountKeyOf(t *testing.T) {
	t.Parallel()
	own := strings.Replace(account{id: "7"}.xml(), "<Account", "<Account"+custAcc, 1)
	for _, doc := range []string{own, prefixed(own)} {
		id, err := tpox.AccountKeyOf([]byte(doc))
		require.NoError(t, err)
		require.EqualValues(t, 7, id)
	}
	_, err := tpox.AccountKeyOf([]byte(account{id: "7"}.xml()))
	require.Equal(t, []string{"the root element is not Account in namespace http://tpox-benchmark.com/custacc"},
		findings(t, err))
	for _, id := range []string{"", "07", "x", "1234567890123456"} {
		_, err := tpox.AccountKeyOf([]byte(`<Account` + custAcc + ` id="` + id + `"></Account>`))
		require.Equal(t, []string{"/Account/@id: not an id: 1 to 15 digits without a leading zero"}, findings(t, err))
	}
}

func TestOpenAccount(t *testing.T) {
	t.Parallel()
	first, second := account{id: "104000000"}.xml(), account{id: "104000009"}.xml()
	own := strings.Replace(second, "<Account", "<Account"+custAcc, 1)
	doc := customerXML(first)

	got, err := tpox.OpenAccount(tpox.DefaultRules, []byte(doc), []byte(own))
	require.NoError(t, err)
	require.Equal(t, customerXML(first, second), string(got))

	for _, customer := range []string{doc, prefixed(doc)} {
		for _, account := range []string{own, prefixed(own)} {
			got, err := tpox.OpenAccount(tpox.DefaultRules, []byte(customer), []byte(account))
			require.NoError(t, err)
			normal(t, got)
			require.NoError(t, tpox.ValidateCustomer(got))
			require.Equal(t, meaning(t, customerXML(first, second)), meaning(t, string(got)))
		}
	}

	_, err = tpox.OpenAccount(tpox.DefaultRules, []byte(`<Customer`+custAcc+` id="1"></Customer>`), []byte(own))
	require.Equal(t, []string{"/Customer: the customer has no Accounts"}, findings(t, err))
}

// A customer does not grow beyond the limit. One that is stored with more bytes may change, but not grow.
func TestRules_CheckGrowth(t *testing.T) {
	rules := tpox.Rules{MaxCustomer: 100}
	for _, sizes := range [][2]int{{0, 100}, {99, 100}, {100, 100}, {150, 150}, {150, 149}, {150, 20}} {
		require.NoError(t, rules.CheckGrowth(sizes[0], sizes[1]))
	}
	for _, sizes := range [][2]int{{0, 101}, {100, 101}, {150, 151}} {
		conflict(t, rules.CheckGrowth(sizes[0], sizes[1]), tpox.CustomerLimit,
			fmt.Sprintf("the customer would have %d bytes, more than the limit of 100", sizes[1]))
	}
}

package dataset_test

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/dataset"
)

// templateKinds lists the kinds of templates with their slots.
var templateKinds = map[string][]string{
	"order":    {"order", "date", "account", "datetime", "symbol"},
	"customer": {"customer", "account", "datetime", "account2", "datetime", "account3", "datetime"},
	"account":  {"account", "datetime"},
}

func TestDataset_Templates(t *testing.T) {
	t.Parallel()
	eachProfile(t, func(t *testing.T, p dataset.Profile) {
		d := open(t, "XXXS", p)
		for kind, slots := range templateKinds {
			templates := d.Templates(kind, 60)
			require.Len(t, templates, 60)
			most := 0
			for _, tmpl := range templates {
				require.Equal(t, kind, tmpl.Kind)
				require.Equal(t, 1, len(tmpl.Parts)%2)
				var names []string
				for i := 1; i < len(tmpl.Parts); i += 2 {
					names = append(names, tmpl.Parts[i])
				}
				require.Equal(t, slots[:len(names)], names)
				most = max(most, len(names))
			}
			if kind == "customer" && p == dataset.TPoX1 {
				slots = slots[:5] // at most two accounts
			}
			require.Equal(t, len(slots), most)
			require.Equal(t, templates, d.Templates(kind, 60))
		}
		require.Empty(t, d.Templates("", 3))
		require.Empty(t, d.Templates("order", 0))

		text, err := json.Marshal(d.Templates("order", 1)[0])
		require.NoError(t, err)
		require.True(t, strings.HasPrefix(string(text), `{"kind":"order","parts":["\u003cFIXML xmlns=`))
	})
}

// Order template j, filled in, is the order that a larger scale has at index Count+j.
func TestDataset_Templates_FillIn(t *testing.T) {
	t.Parallel()
	eachProfile(t, func(t *testing.T, p dataset.Profile) {
		small, large := open(t, "XXXS", p), open(t, "XXS", p)
		for j, tmpl := range small.Templates("order", 20) {
			want := string(large.Append(nil, dataset.Order, small.Count(dataset.Order)+int64(j)))
			require.Equal(t, want, join(tmpl, map[string]string{
				"order": string(attr([]byte(want), "Order", "ID")), "account": string(attr([]byte(want), "Order", "Acct")),
				"symbol": string(attr([]byte(want), "Instrmt", "Sym")), "date": string(attr([]byte(want), "Order", "TrdDt")),
				"datetime": string(attr([]byte(want), "Order", "TxnTm")),
			}))
		}
	})
}

// join fills the slots of a template.
func join(tmpl dataset.Template, values map[string]string) string {
	var b strings.Builder
	for i, part := range tmpl.Parts {
		if i%2 == 1 {
			part = values[part]
		}
		b.WriteString(part)
	}
	return b.String()
}

// plausible makes values for the j-th use of a template.
func plausible(j int) map[string]string {
	at := time.Date(2011, 3, 1, 9, 0, 0, 0, time.UTC).Add(time.Duration(j) * time.Minute)
	account := 104_010_000 + 3*j
	return map[string]string{
		"order": strconv.Itoa(153_282 + j), "customer": strconv.Itoa(6002 + j),
		"account": strconv.Itoa(account), "account2": strconv.Itoa(account + 1), "account3": strconv.Itoa(account + 2),
		"symbol": dataset.Symbol(j % 20_833), "date": at.Format(time.DateOnly), "datetime": at.Format("2006-01-02T15:04:05"),
	}
}

func TestDataset_AppendNewOrder(t *testing.T) {
	t.Parallel()
	d := open(t, "XXXS", dataset.TPoX2)
	same := d.AppendNewOrder(nil, 7, dataset.NewOrder{})
	require.Equal(t, string(d.Append(nil, dataset.Order, 7)), string(same))

	at := time.Date(2026, 11, 21, 23, 30, 5, 0, time.FixedZone("", -3600))
	for _, i := range []int64{7, d.Count(dataset.Order) + 5, 1 << 50} {
		doc := d.AppendNewOrder([]byte("x"), i, dataset.NewOrder{ID: 987654321012345, Account: 104000007, Symbol: "ABC",
			Time: at})
		doc, ok := bytes.CutPrefix(doc, []byte("x"))
		require.True(t, ok)
		require.Equal(t, "987654321012345", string(attr(doc, "Order", "ID")))
		require.Equal(t, "104000007", string(attr(doc, "Order", "Acct")))
		require.Equal(t, "2026-11-22", string(attr(doc, "Order", "TrdDt")))
		require.Equal(t, "2026-11-22T00:30:05", string(attr(doc, "Order", "TxnTm")))
		require.Equal(t, "ABC", string(attr(doc, "Instrmt", "Sym")))
		if i == 7 {
			for _, name := range []string{"Txt", "SID", "Cash"} {
				require.Equal(t, attr(same, "FIXML", name), attr(doc, "FIXML", name))
			}
		}
	}

	// An order with an index beyond the dataset has an existing account if none is set.
	beyond := d.AppendNewOrder(nil, 1<<50, dataset.NewOrder{})
	id, err := strconv.ParseInt(string(attr(beyond, "Order", "Acct")), 10, 64)
	require.NoError(t, err)
	require.Less(t, id, d.AccountAt(d.TotalAccounts()))
}

func TestDataset_AppendNewCustomer(t *testing.T) {
	t.Parallel()
	eachProfile(t, func(t *testing.T, p dataset.Profile) {
		d := open(t, "XXXS", p)
		require.Equal(t, string(d.Append(nil, dataset.Customer, 8)),
			string(d.AppendNewCustomer(nil, 8, dataset.NewCustomer{})))

		ids := []int64{5, 987654321012345, 104000000, 77}
		doc := d.AppendNewCustomer(nil, 8, dataset.NewCustomer{ID: 424242, Accounts: ids})
		require.Equal(t, "424242", string(attr(doc, "Customer", "id")))
		accounts := accountsOf(doc)
		require.Len(t, accounts, len(ids))
		for j, a := range accounts {
			require.Equal(t, ids[j], a.id)
			require.Equal(t, dataset.Symbol(int(a.id%20_833)), string(text(a.positions[0], "Symbol")))
		}
	})
}

func TestDataset_AppendNewAccount(t *testing.T) {
	t.Parallel()
	d := open(t, "tiny", dataset.TPoX2)
	at := time.Date(2026, 11, 21, 8, 0, 9, 0, time.UTC)
	doc := d.AppendNewAccount(nil, 3, dataset.NewAccount{ID: 104999999, Time: at})
	require.True(t, bytes.HasPrefix(doc,
		[]byte(`<Account xmlns="http://tpox-benchmark.com/custacc" id="104999999"><Category>`)))
	require.True(t, bytes.HasSuffix(doc, []byte("</Holdings></Account>")))
	require.Equal(t, "2026-11-21T08:00:09", string(text(doc, "LastUpdate")))
	require.Equal(t, dataset.Symbol(104999999%500), string(text(doc, "Symbol")))
	require.Equal(t, strconv.FormatInt(d.FirstAccount(3), 10),
		string(attr(d.AppendNewAccount(nil, 3, dataset.NewAccount{}), "Account", "id")))
	require.NotEqual(t, doc, d.AppendNewAccount(nil, 4, dataset.NewAccount{ID: 104999999, Time: at}))
}

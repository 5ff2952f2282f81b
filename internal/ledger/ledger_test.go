package ledger_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/shopspring/decimal"
	"github.com/stretchr/testify/require"

	"brokerage/internal/ledger"
	"brokerage/internal/output"
	"brokerage/internal/result"
	"brokerage/internal/testenv"
	"brokerage/internal/tpox"
)

// database has documents by "kind id".
type database struct {
	tpox.Store

	documents map[string]string
}

func (d database) Contents(context.Context) (tpox.Contents, error) {
	return tpox.Contents{Fingerprint: "tiny"}, nil
}

func (d database) get(kind, id string) ([]byte, error) {
	doc, ok := d.documents[kind+" "+id]
	switch {
	case doc == "broken":
		return nil, &tpox.Unavailable{Cause: errors.New("no connection")}
	case !ok:
		return nil, &tpox.NotFound{}
	}
	return []byte(doc), nil
}

func (d database) GetOrder(_ context.Context, id tpox.ID) ([]byte, error) {
	return d.get("order", id.String())
}

func (d database) CustomerProfile(_ context.Context, id tpox.ID) ([]byte, error) {
	return d.get("customer", id.String())
}

func (d database) SecurityPrice(_ context.Context, symbol string) ([]byte, error) {
	return d.get("security", symbol)
}

func (d database) GetAccount(_ context.Context, id tpox.ID) (tpox.Account, error) {
	doc, err := d.get("account", id.String())
	return tpox.Account{Document: doc}, err
}

// holding returns an account with a balance and a position of ABC.
func holding(balance, position string) string {
	return `<Account xmlns="` + tpox.CustAccNS + `"><Balance><OnlineActualBal> ` + balance +
		` </OnlineActualBal></Balance><Holdings><Position>` +
		`<Symbol>ABC</Symbol><Quantity>` + position + `</Quantity></Position></Holdings></Account>`
}

// history returns a ledger of lines in a short form: "1 insert_order 7" begins a change, "1 =" acknowledges it,
// "1 = -5.00" with a movement, and "1 x" refuses it.
func history(t testing.TB, lines ...string) *ledger.History {
	t.Helper()
	text := `{"ledger":1,"dataset":"tiny"}` + "\n" + `{"holds":9,"balance":"100","positions":{"ABC":"10"}}` + "\n"
	for _, l := range lines {
		part := append(strings.Fields(l), "", "", "", "")
		switch part[1] {
		case "=", "x":
			is := map[string]ledger.Fate{"=": ledger.Acknowledged, "x": ledger.Refused}[part[1]]
			text += fmt.Sprintf(`{"end":%s,"is":%q`, part[0], is)
			if part[2] != "" {
				text += fmt.Sprintf(`,"movement":%q`, part[2])
			}
			text += "}\n"
		case "buy_security", "sell_security":
			text += fmt.Sprintf(`{"begin":%s,"do":%q,"id":9,"symbol":"ABC","value":%q}`+"\n", part[0], part[1], part[2])
		case "update_security_price":
			text += fmt.Sprintf(`{"begin":%s,"do":%q,"symbol":"ABC","value":%q}`+"\n", part[0], part[1], part[2])
		case "open_account", "close_account":
			text += fmt.Sprintf(`{"begin":%s,"do":%q,"id":5,"account":%s}`+"\n", part[0], part[1], part[2])
		default:
			text += fmt.Sprintf(`{"begin":%s,"do":%q,"id":%s,"value":%q}`+"\n", part[0], part[1], part[2], part[3])
		}
	}
	h, err := ledger.Read(strings.NewReader(text))
	require.NoError(t, err)
	return h
}

func TestVerify(t *testing.T) {
	const price = `<Security_Price xmlns="` + tpox.SecurityNS + `"><LastTrade>2.50</LastTrade></Security_Price>`
	type lines = []string
	type documents = map[string]string
	order := documents{"order 7": `<Order xmlns="` + tpox.FIXMLNS + `" Stat="2"/>`}
	position := func(balance, quantity string) documents { return documents{"account 9": holding(balance, quantity)} }
	for name, c := range map[string]struct {
		lines lines
		has   documents
		want  result.Proof
		says  string
	}{
		"Kept":    {lines{"1 insert_order 7", "1 ="}, order, result.Proof{Acknowledged: 1}, ""},
		"Lost":    {lines{"1 insert_order 7", "1 ="}, nil, result.Proof{Acknowledged: 1, Lost: 1}, "it does not exist"},
		"Refused": {lines{"1 insert_order 7", "1 x"}, nil, result.Proof{}, ""},
		"Unknown": {lines{"1 insert_order 7"}, nil, result.Proof{Unknown: 1}, ""},
		"Applied": {lines{"1 insert_order 7"}, order, result.Proof{Unknown: 1, Applied: 1}, ""},
		"Deleted": {lines{"1 insert_order 7", "1 =", "2 delete_order 7", "2 ="}, nil, result.Proof{Acknowledged: 2}, ""},
		"LostDelete": {lines{"1 insert_order 7", "1 =", "2 delete_order 7", "2 ="}, order,
			result.Proof{Acknowledged: 2, Lost: 1}, "order 7: delete_order was acknowledged, and it still exists"},
		"UnknownDelete": {lines{"1 insert_order 7", "1 =", "2 delete_order 7"}, nil,
			result.Proof{Acknowledged: 1, Unknown: 1, Applied: 1}, ""},
		// The document was lost before, so there was nothing to delete.
		"RefusedDelete": {lines{"1 insert_order 7", "1 =", "2 delete_order 7", "2 x"}, nil,
			result.Proof{Acknowledged: 1, Lost: 1}, "it does not exist"},
		"LostCustomer": {lines{"1 insert_customer 5", "1 ="}, nil, result.Proof{Acknowledged: 1, Lost: 1}, "customer 5"},
		"LostAccount":  {lines{"1 open_account 6", "1 ="}, nil, result.Proof{Acknowledged: 1, Lost: 1}, "account 6"},
		"GoneWithCustomer": {lines{"1 open_account 6", "1 =", "2 delete_customer 5", "2 ="}, nil,
			result.Proof{Acknowledged: 2}, ""},

		"LastStatus": {lines{"1 update_order_status 7 1", "1 =", "2 update_order_status 7 2", "2 ="}, order,
			result.Proof{Acknowledged: 2}, ""},
		"LostStatus": {lines{"1 update_order_status 7 2", "1 =", "2 update_order_status 7 1", "2 =",
			"3 update_order_status 7 3", "3 ="}, order, result.Proof{Acknowledged: 3, Lost: 2}, "order 7: it has the value 2"},
		"LostBothStatuses": {lines{"1 update_order_status 7 1", "1 =", "2 update_order_status 7 3", "2 ="}, order,
			result.Proof{Acknowledged: 2, Lost: 2}, "2 acknowledged changes are later"},
		"AtOnce": {lines{"1 update_order_status 7 2", "2 update_order_status 7 1", "1 =", "2 ="}, order,
			result.Proof{Acknowledged: 2}, ""},
		"UnknownStatus": {lines{"1 update_order_status 7 2", "2 update_order_status 7 1", "2 ="}, order,
			result.Proof{Acknowledged: 1, Unknown: 1, Applied: 1}, ""},
		"NotApplied": {lines{"1 update_order_status 7 3", "2 update_order_status 7 2", "2 ="}, order,
			result.Proof{Acknowledged: 1, Unknown: 1}, ""},
		"NoOrder": {lines{"1 update_order_status 7 3", "1 ="}, nil, result.Proof{Acknowledged: 1, Lost: 1}, "does not exist"},
		"Price": {lines{"1 update_security_price 2.5", "1 ="}, documents{"security ABC": price},
			result.Proof{Acknowledged: 1}, ""},
		"LostPrice": {lines{"1 update_security_price 3", "1 ="}, documents{"security ABC": price},
			result.Proof{Acknowledged: 1, Lost: 1}, "security ABC: it has the value 2.5"},

		"Trades": {lines{"1 buy_security 5", "2 sell_security 3", "2 = 6", "1 = -10"}, position("96", "12"),
			result.Proof{Acknowledged: 2}, ""},
		"LostTrade": {lines{"1 buy_security 5", "1 = -10", "2 sell_security 3", "2 = 6"}, position("106", "7.000"),
			result.Proof{Acknowledged: 2, Lost: 1}, "account 9: holds 7 of ABC, and not 12 after 2 acknowledged trades"},
		"LostTrades": {lines{"1 buy_security 5", "1 = -10", "2 buy_security 1", "2 = -2", "3 buy_security 2", "3 = -4"},
			position("96", "12"), result.Proof{Acknowledged: 3, Lost: 2}, "holds 12 of ABC"},
		"TradeTwice": {lines{"1 buy_security 5", "1 = -10", "2 buy_security 1", "2 = -2"}, position("78", "21"),
			result.Proof{Acknowledged: 2, Twice: 1}, "holds 21 of ABC, and not 16"},
		"RefusedTrade": {lines{"1 buy_security 5", "1 x"}, position("100", "10"), result.Proof{}, ""},
		"AllSold":      {lines{"1 sell_security 10", "1 = 20"}, position("120", "0"), result.Proof{Acknowledged: 1}, ""},
		"UnknownTrade": {lines{"1 buy_security 5", "2 buy_security 1", "2 = -2"}, position("98", "11"),
			result.Proof{Acknowledged: 1, Unknown: 1}, ""},
		"AppliedTrades": {lines{"1 buy_security 5", "2 buy_security 1", "2 = -2", "3 sell_security 2"}, position("88", "14"),
			result.Proof{Acknowledged: 1, Unknown: 2, Applied: 2}, ""},
		"LostBesideUnknown": {lines{"1 buy_security 5", "2 buy_security 1", "2 = -2"}, position("100", "10"),
			result.Proof{Acknowledged: 1, Unknown: 1, Lost: 1}, "holds 10 of ABC, and not 11"},
		"Inexplicable": {lines{"1 buy_security 5", "1 = -10"}, position("90", "11"),
			result.Proof{Acknowledged: 1, Lost: 1}, "holds 11"},
		"LostMoney": {lines{"1 buy_security 5", "1 = -10"}, position("100", "15"),
			result.Proof{Acknowledged: 1, Lost: 1}, "account 9: its balance is 100, and not 90"},
		"NoSuchAccount": {lines{"1 buy_security 5", "1 = -10"}, nil,
			result.Proof{Acknowledged: 1, Lost: 1}, "holds 0 of ABC"},
	} {
		t.Run(name, func(t *testing.T) {
			var findings []string
			p, err := ledger.Verify(t.Context(), database{documents: c.has}, history(t, c.lines...), func(f string) error {
				findings = append(findings, f)
				return nil
			})
			require.NoError(t, err)
			c.want.Verified = true
			require.Equal(t, c.want, p, findings)
			require.Equal(t, p.Broken(), c.says != "")
			require.Contains(t, strings.Join(findings, "\n"), c.says)
		})
	}
}

func TestVerify_Fails(t *testing.T) {
	one := history(t, "1 insert_order 7", "1 =")
	find := func(string) error { return errors.New("full") }
	_, err := ledger.Verify(t.Context(), database{}, one, find)
	require.ErrorContains(t, err, "full")
	_, err = ledger.Verify(t.Context(), database{documents: map[string]string{"order 7": "broken"}}, one, find)
	require.ErrorContains(t, err, "order 7: ")
	one.Dataset = "other"
	_, err = ledger.Verify(t.Context(), database{}, one, find)
	require.ErrorContains(t, err, "the dataset other, and the database holds tiny")
}

func TestRead_Refuses(t *testing.T) {
	for text, says := range map[string]string{
		"":                        "line 1: this is not a ledger",
		`{"format":"x"}` + "\n":   "line 1: this is not a ledger",
		`{"ledger":2}` + "\n":     "a ledger of version 2; this program reads version 1",
		"{\"ledger\":1}\n{}\n":    "line 2 is not one of a ledger",
		"{\"ledger\":1}\nhello\n": "line 2: this is not a ledger",
		"{\"ledger\":1}\n{\"begin\":1,\"do\":\"buy_security\",\"value\":\"x\"}\n": "line 2: ",
	} {
		_, err := ledger.Read(strings.NewReader(text))
		require.ErrorContains(t, err, says, text)
	}
}

// What users record at once is read again, up to the line that a kill has cut.
func TestWriter(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ledger")
	w, err := ledger.Create(output.File{Path: path})
	require.NoError(t, err)
	require.NoError(t, w.Start("tiny"))
	has := database{documents: map[string]string{}}
	read := 0
	var users sync.WaitGroup
	for user := range 8 {
		users.Go(func() {
			for i := range 50 {
				id := tpox.ID(1 + user*50 + i)
				n, err := w.Begin(ledger.Change{Do: "insert_order", ID: id})
				if err != nil || !strings.Contains(testenv.Text(t, path), fmt.Sprintf(`"begin":%d,`, n)) {
					t.Errorf("change %d is not in the file: %v", n, err)
				}
				if i > 0 { // the first is without an answer
					w.End(n, ledger.Acknowledged, nil)
				}
			}
			if err := w.Holds(9, func() (ledger.Holding, error) {
				read++
				return ledger.HoldingOf([]byte(holding("100", "10")))
			}); err != nil {
				t.Error(err)
			}
			n, err := w.Begin(ledger.Change{Do: "buy_security", ID: 9, Symbol: "ABC", Value: "1"})
			if err != nil {
				t.Error(err)
			}
			movement := decimal.NewFromInt(-2)
			w.End(n, ledger.Acknowledged, &movement)
		})
	}
	users.Wait()
	require.NoError(t, w.Close())
	require.Equal(t, 1, read)
	for id := 1; id <= 400; id++ {
		has.documents[fmt.Sprint("order ", id)] = "<Order/>"
	}
	has.documents["account 9"] = holding("84", "18")
	torn := append([]byte(testenv.Text(t, path)), `{"begin":999,"do":"insert_order","id":1`...)
	require.NoError(t, os.WriteFile(path, torn, 0o600))
	h, err := ledger.ReadFile(path)
	require.NoError(t, err)
	p, err := ledger.Verify(t.Context(), has, h, func(string) error { return nil })
	require.NoError(t, err)
	require.Equal(t, result.Proof{Verified: true, Acknowledged: 400, Unknown: 8, Applied: 8}, p)

	_, err = ledger.Create(output.File{Path: path})
	require.ErrorContains(t, err, "exists already")
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
}

// A change is not sent when its line cannot be written.
func TestWriter_Full(t *testing.T) {
	w, err := ledger.Create(output.File{Path: filepath.Join(t.TempDir(), "ledger")})
	require.NoError(t, err)
	require.NoError(t, w.Start("tiny"))
	w.CloseFile()
	for range 2 {
		_, err = w.Begin(ledger.Change{Do: "insert_order", ID: 1})
		require.ErrorIs(t, err, os.ErrClosed)
	}
	require.ErrorIs(t, w.Close(), os.ErrClosed)
}

func TestMovement(t *testing.T) {
	for side, want := range map[string]string{"Buy": "-12.5", "Sell": "12.5"} {
		d, err := ledger.Movement([]byte("<T><Side>" + side + "</Side><Amount>12.50</Amount></T>"))
		require.NoError(t, err)
		require.Equal(t, want, d.String())
	}
	_, err := ledger.Movement([]byte("<Trade_Confirmation/>"))
	require.ErrorContains(t, err, "the amount of a confirmation")
}

// Figures and lines of a ledger or a service that no run has are refused, before anything is computed of them.
func TestHostile(t *testing.T) {
	t.Parallel()
	const bomb = "1e300000000"
	_, err := ledger.HoldingOf([]byte(holding(bomb, "1")))
	require.ErrorContains(t, err, "the balance of an account")
	_, err = ledger.HoldingOf([]byte(holding("1", bomb)))
	require.ErrorContains(t, err, "a position of an account")
	_, err = ledger.Movement([]byte("<Confirmation><Side>buy</Side><Amount>" + bomb + "</Amount></Confirmation>"))
	require.ErrorContains(t, err, "the amount of a confirmation")

	const head = `{"ledger":1,"dataset":"tiny"}` + "\n"
	for name, l := range map[string]string{
		"Balance":  `{"holds":9,"balance":"` + bomb + `","positions":{}}`,
		"Position": `{"holds":9,"balance":"1","positions":{"ABC":"1e-300000000"}}`,
		"Quantity": `{"begin":1,"do":"buy_security","id":9,"symbol":"ABC","value":"` + bomb + `"}`,
		"Movement": `{"begin":1,"do":"buy_security","id":9,"symbol":"ABC","value":"1"}` + "\n" +
			`{"end":1,"is":"acknowledged","movement":"` + bomb + `"}`,
		"Long": `{"begin":1,"do":"` + strings.Repeat("x", 2<<20) + `"}`,
	} {
		_, err := ledger.Read(strings.NewReader(head + l + "\n"))
		says := "this is not a ledger of brokerage drive"
		if name == "Quantity" {
			says = "exponent 300000000"
		}
		require.ErrorContains(t, err, says, name)
	}
}

// Of many trades without an answer nobody can say which the database has.
func TestVerify_ManyUnknown(t *testing.T) {
	t.Parallel()
	var lines []string
	for i := range 64 {
		lines = append(lines, fmt.Sprintf("%d buy_security %d", i+1, int64(1)<<i%1_000_003))
	}
	d := database{documents: map[string]string{"account 9": holding("100", "0.5")}}
	_, err := ledger.Verify(t.Context(), d, history(t, lines...), func(string) error { return nil })
	require.ErrorContains(t, err, "64 trades with ABC without an answer are too many to tell which were applied")
}

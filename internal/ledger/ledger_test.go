package ledger_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/shopspring/decimal"
	"github.com/stretchr/testify/require"

	"brokerage/internal/ledger"
	"brokerage/internal/output"
	"brokerage/internal/result"
	"brokerage/internal/testenv"
	"brokerage/internal/tpox"
)

// database is a store with documents by "kind id".
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

// create returns a writer of a new ledger, and its path.
func create(t testing.TB) (w *ledger.Writer, path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "ledger")
	w, err := ledger.Create(output.File{Path: path})
	require.NoError(t, err)
	require.NoError(t, w.Start("tiny"))
	return w, path
}

// history writes a ledger of changes in a short form, such as "= update_order_status 7 2; ? trade 5 -10": acknowledged
// (=), acknowledged after all other changes (~), refused (x), or without an answer (?). A trade is with ABC, and has a
// quantity and a movement of the balance; before the first one, account 9 held 10 of ABC and had a balance of 100.
func history(t testing.TB, changes string) (path string) {
	t.Helper()
	w, path := create(t)
	require.NoError(t, w.Holds(9, func() ([]byte, error) { return []byte(holding("100", "10")), nil }))
	late := func() {}
	for text := range strings.SplitSeq(changes, "; ") {
		part := append(strings.Fields(text), "0")
		id, _ := tpox.ParseID(part[2])
		c := ledger.Change{Do: part[1], ID: id}
		switch c.Do {
		case "trade":
			c = ledger.Change{Do: "buy_security", ID: 9, Symbol: "ABC", Quantity: decimal.RequireFromString(part[2])}
		case "open_account":
			c.ID, c.Account = 5, id
		case "update_security_price":
			c.ID, c.Symbol, c.Value = 0, "ABC", part[2]
		case "update_order_status":
			c.Value = part[3]
		}
		at, err := w.Begin(c)
		require.NoError(t, err)
		acknowledge := func() { w.End(at, ledger.Acknowledged, decimal.RequireFromString(part[3])) }
		switch part[0] {
		case "=":
			acknowledge()
		case "~":
			late = acknowledge
		case "x":
			w.End(at, ledger.Refused, decimal.Zero)
		}
	}
	late()
	return path
}

func TestVerify(t *testing.T) {
	t.Parallel()
	type documents = map[string]string
	type proof struct{ acknowledged, lost, twice, unknown, applied int64 }
	order := documents{"order 7": `<Order xmlns="` + tpox.FIXMLNS + `" Stat="2"/>`}
	price := documents{
		"security ABC": `<Security_Price xmlns="` + tpox.SecurityNS + `"><LastTrade>2.50</LastTrade></Security_Price>`,
	}
	position := func(balance, quantity string) documents { return documents{"account 9": holding(balance, quantity)} }
	for name, c := range map[string]struct {
		changes string
		has     documents
		want    proof
		says    string
	}{
		"Kept":        {"= insert_order 7", order, proof{1, 0, 0, 0, 0}, ""},
		"Lost":        {"= insert_order 7", nil, proof{1, 1, 0, 0, 0}, "order 7 does not exist, though insert_order"},
		"Refused":     {"x insert_order 7", nil, proof{}, ""},
		"Unknown":     {"? insert_order 7", nil, proof{0, 0, 0, 1, 0}, ""},
		"Applied":     {"? insert_order 7", order, proof{0, 0, 0, 1, 1}, ""},
		"LostPerson":  {"= insert_customer 5", nil, proof{1, 1, 0, 0, 0}, "customer 5 does not exist"},
		"LostAccount": {"= open_account 6", nil, proof{1, 1, 0, 0, 0}, "account 6 does not exist"},

		"Deleted": {"= insert_order 7; = delete_order 7", nil, proof{2, 0, 0, 0, 0}, ""},
		"LostDelete": {
			"= insert_order 7; = delete_order 7", order, proof{2, 1, 0, 0, 0}, "order 7 exists, though delete_order",
		},
		"LostDeleteAfterUnknown": {
			"= insert_order 7; ? update_order_status 7 2; = delete_order 7", order, proof{2, 1, 0, 1, 1}, "order 7 exists",
		},
		"LostDeleteAtOnce": {
			"= insert_order 7; ~ update_order_status 7 2; = delete_order 7", order, proof{3, 1, 0, 0, 0}, "order 7 exists",
		},
		"UnknownDelete": {"= insert_order 7; ? delete_order 7", nil, proof{1, 0, 0, 1, 1}, ""},
		// The order was lost before, so there was nothing to delete.
		"RefusedDelete":    {"= insert_order 7; x delete_order 7", nil, proof{1, 1, 0, 0, 0}, "does not exist"},
		"GoneWithCustomer": {"= open_account 6; = delete_customer 5", nil, proof{2, 0, 0, 0, 0}, ""},

		"LastStatus": {"= update_order_status 7 1; = update_order_status 7 2", order, proof{2, 0, 0, 0, 0}, ""},
		"LostStatuses": {
			"= update_order_status 7 2; = update_order_status 7 1; = update_order_status 7 3", order,
			proof{3, 2, 0, 0, 0}, "order 7 has the value 2, though update_order_status 3 was acknowledged last (lost: 2)",
		},
		"AtOnce": {"~ update_order_status 7 2; = update_order_status 7 1", order, proof{2, 0, 0, 0, 0}, ""},
		"UnknownStatus": {
			"= insert_order 7; ? update_order_status 7 2; = update_order_status 7 1", order,
			proof{2, 0, 0, 1, 1}, "",
		},
		"NewStatus":  {"= insert_order 7; ? update_order_status 7 2", order, proof{1, 0, 0, 1, 1}, ""},
		"NotApplied": {"? update_order_status 7 3; = update_order_status 7 2", order, proof{1, 0, 0, 1, 0}, ""},
		"NoOrder":    {"= update_order_status 7 3", nil, proof{1, 1, 0, 0, 0}, "does not exist"},
		"Price":      {"= update_security_price 2.5", price, proof{1, 0, 0, 0, 0}, ""},
		"NoPrice": {
			"= update_security_price 3",
			documents{"security ABC": "<Security_Price><LastTrade>n/a</LastTrade></Security_Price>"},
			proof{1, 1, 0, 0, 0}, "security ABC has the value n/a",
		},
		"LostPrice": {"= update_security_price 3", price, proof{1, 1, 0, 0, 0}, "security ABC has the value 2.5"},

		"Trades": {"~ trade 5 -10; = trade -3 6", position("96", "12"), proof{2, 0, 0, 0, 0}, ""},
		"LostTrade": {
			"= trade 5 -10; = trade -3 6", position("106", "7.000"), proof{2, 1, 0, 0, 0},
			"account 9 holds 7 of ABC, and not 12 after 2 acknowledged trades",
		},
		"LostTrades": {
			"= trade 5 -10; = trade 1 -2; = trade 2 -4", position("96", "12"), proof{3, 2, 0, 0, 0}, "holds 12",
		},
		// A position is explained by as few trades as possible, and by a lost trade rather than by one applied twice.
		"LostSale":       {"= trade 2; = trade -2", position("100", "12"), proof{2, 1, 0, 0, 0}, "holds 12"},
		"FewestTwice":    {"= trade 3; = trade -1; = trade -2", position("100", "13"), proof{3, 0, 1, 0, 0}, "holds 13"},
		"UnknownAndLost": {"= trade 1; ? trade 4", position("100", "14"), proof{1, 1, 0, 1, 1}, "holds 14"},
		"TradeTwice":     {"= trade 5 -10; = trade 1 -2", position("78", "21"), proof{2, 0, 1, 0, 0}, "holds 21"},
		"RefusedTrade":   {"x trade 5", position("100", "10"), proof{}, ""},
		"UnknownTrade":   {"? trade 5; = trade 1 -2", position("98", "11"), proof{1, 0, 0, 1, 0}, ""},
		"AppliedTrades":  {"? trade 5; = trade 1 -2; ? trade -2", position("88", "14"), proof{1, 0, 0, 2, 2}, ""},
		"Inexplicable":   {"= trade 5 -10", position("90", "11"), proof{1, 1, 0, 0, 0}, "holds 11"},
		"LostMoney": {
			"= trade 5 -10", position("100", "15"), proof{1, 1, 0, 0, 0}, "account 9 has the balance 100, and not 90",
		},
		"NoSuchAccount": {"= trade 5 -10", nil, proof{1, 1, 0, 0, 0}, "holds 0 of ABC"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, findings, err := ledger.Verify(t.Context(), database{documents: c.has}, history(t, c.changes))
			require.NoError(t, err)
			require.Equal(t, c.want, proof{p.Acknowledged, p.Lost, p.Twice, p.Unknown, p.Applied}, findings)
			require.Equal(t, p.Faulty(), c.says != "")
			require.Contains(t, strings.Join(findings, "\n"), c.says)
		})
	}
}

// Verify returns an error for what it cannot verify, and for a file that is not the ledger of a run on this dataset.
func TestVerify_Refuses(t *testing.T) {
	t.Parallel()
	order := history(t, "= insert_order 7")
	_, _, err := ledger.Verify(t.Context(), database{documents: map[string]string{"order 7": "broken"}}, order)
	require.ErrorContains(t, err, "order 7: ")
	// With too many unanswered trades it cannot be found out which were applied. The rest is verified.
	many := history(t, "? trade 1"+strings.Repeat("; ? trade 1", 16)+"; = insert_order 7")
	_, findings, err := ledger.Verify(t.Context(), database{}, many)
	require.ErrorContains(t, err, "17 trades with ABC without an answer are too many")
	require.Equal(t, []string{"order 7 does not exist, though insert_order was acknowledged last (lost: 1)"}, findings)
	_, _, err = ledger.Verify(t.Context(), database{documents: map[string]string{"account 9": "<html/>"}},
		history(t, "= trade 1 -1"))
	require.ErrorContains(t, err, "not an account: it has no balance")
	w, _ := create(t)
	require.ErrorContains(t, w.Holds(9, func() ([]byte, error) { return []byte("<html/>"), nil }), "not an account")

	const head = `{"ledger":2,"dataset":"tiny"}` + "\n"
	for text, says := range map[string]string{
		"":                                      "line 1: this is not a ledger",
		`{"ledger":1}` + "\n":                   "line 1: this is not a ledger",
		`{"ledger":2,"dataset":"other"}` + "\n": "the dataset other, but the database holds tiny",
		head + "{}\n":                           "line 2 is not valid in a ledger",
		head + "hello\n":                        "line 2: this is not a ledger",
		head + `{"do":"` + strings.Repeat("x", 2<<20) + `"}` + "\n":                          "line 2: this is not a ledger",
		head + `{"do":"buy_security","id":9,"symbol":"ABC","quantity":"1e300000000"}` + "\n": "line 2: this is not a ledger",
		head + `{"do":"buy_security","id":9,"symbol":"ABC","quantity":"1"}` + "\n":           "does not record what the",
	} {
		path := filepath.Join(t.TempDir(), "ledger")
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		_, _, err := ledger.Verify(t.Context(), database{}, path)
		require.ErrorContains(t, err, says)
	}
}

// Lines that users record concurrently are all read back. A last line that a kill has cut short is ignored.
func TestWriter(t *testing.T) {
	t.Parallel()
	w, path := create(t)
	var read atomic.Int64
	var users sync.WaitGroup
	for user := range 8 {
		users.Go(func() {
			for i := range 50 {
				at, err := w.Begin(ledger.Change{Do: "insert_order", ID: tpox.ID(1 + user*50 + i)})
				if lines := strings.Split(testenv.Text(t, path), "\n"); err != nil || !strings.HasPrefix(lines[at-1], `{"do":`) {
					t.Errorf("change %d is not in the file: %v", at, err)
				}
				if i > 0 { // the first is without an answer
					w.End(at, ledger.Acknowledged, decimal.Zero)
				}
			}
			if err := w.Holds(9, func() ([]byte, error) {
				read.Add(1)
				return []byte(holding("100", "10")), nil
			}); err != nil {
				t.Error(err)
			}
		})
	}
	users.Wait()
	require.NoError(t, w.Close())
	_, err := w.Begin(ledger.Change{Do: "insert_order", ID: 1})
	require.ErrorIs(t, err, os.ErrClosed, "a change is not sent when its line cannot be written")
	require.EqualValues(t, 1, read.Load())

	has := database{documents: map[string]string{"account 9": holding("100", "10")}}
	for id := 1; id <= 400; id++ {
		has.documents[fmt.Sprint("order ", id)] = "<Order/>"
	}
	torn := append([]byte(testenv.Text(t, path)), `{"do":"insert_order","id":1`...)
	require.NoError(t, os.WriteFile(path, torn, 0o600))
	p, findings, err := ledger.Verify(t.Context(), has, path)
	require.NoError(t, err)
	require.Equal(t, result.Proof{Verified: true, Acknowledged: 392, Unknown: 8, Applied: 8}, p, findings)

	_, err = ledger.Create(output.File{Path: path})
	require.ErrorContains(t, err, "exists already")
}

func TestMovement(t *testing.T) {
	t.Parallel()
	for side, want := range map[string]string{"Buy": "-12.5", "Sell": "12.5"} {
		d, err := ledger.Movement([]byte("<T><Side>" + side + "</Side><Amount>12.50</Amount></T>"))
		require.NoError(t, err)
		require.Equal(t, want, d.String())
	}
	for _, no := range []string{"<Trade_Confirmation/>", "<T><Side>Buy</Side><Amount>1e300000000</Amount></T>"} {
		_, err := ledger.Movement([]byte(no))
		require.Error(t, err)
	}
}

package sqlite

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/dataset"
	"brokerage/internal/testenv"
	"brokerage/internal/tpox"
)

// Each fault occurs alone, in a database of its own, and Verify reports it.
func TestVerify_Damage(t *testing.T) {
	testenv.Long(t)
	findings, v := verified(t, tinyDatabase(t))
	require.Empty(t, findings)
	require.Equal(t, [...]int64{500, 200, 2000}, v.Documents)
	require.Equal(t, tiny.TotalAccounts(), v.Accounts)

	customer, order := tiny.Append(nil, dataset.Customer, 0), tiny.Append(nil, dataset.Order, 0)
	security := tiny.Append(nil, dataset.Security, 0)
	account := tiny.FirstAccount(0)
	const id, orderID, symbol = 1002, 103282, "A"
	const putOrder, putCustomer = "UPDATE orders SET doc = ? WHERE id = ?", "UPDATE customers SET doc = ? WHERE id = ?"
	for name, c := range map[string]struct {
		statement string
		args      []any
		says      []string
	}{
		"Unpacks": {
			putOrder, []any{[]byte{1, 2}, orderID}, []string{"order 103282: the document does not unpack"},
		},
		"Empty": {putOrder, []any{[]byte{}, orderID}, []string{"order 103282: the document"}},
		"NotXML": {
			putCustomer, []any{[]byte("<a>"), id}, []string{"customer 1002: the document is not XML"},
		},
		"Form": {
			putOrder, []any{changed(t, order, " ID=", "  ID="), orderID},
			[]string{"order 103282: the document is not in the normal form"},
		},
		"Valid": {
			putOrder, []any{changed(t, order, " ID=", ` Nonsense="" ID=`), orderID},
			[]string{"order 103282: the document is not valid"},
		},
		"OrderAccount": {
			"UPDATE orders SET account = 5 WHERE id = ?", []any{orderID},
			[]string{"order 103282: the column account is 5, but"},
		},
		"OrderCash": {
			"UPDATE orders SET cash = NULL WHERE id = ?", []any{orderID}, []string{"order 103282: the column cash"},
		},
		"OrderID": {
			"UPDATE orders SET id = 5 WHERE id = ?", []any{orderID}, []string{"order 5: the document has id 103282"},
		},
		"SecurityPE": {
			"UPDATE securities SET pe = pe + 1 WHERE symbol = ?", []any{symbol}, []string{"security A: the columns"},
		},
		"SecuritySymbol": {
			"UPDATE securities SET symbol = 'ZZZZ' WHERE symbol = ?", []any{symbol},
			[]string{"security ZZZZ: the document has symbol A"},
		},
		"SecurityForm": {
			"UPDATE securities SET doc = ? WHERE symbol = ?", []any{append(bytes.Clone(security), '\n'), symbol},
			[]string{"security A: the document is not in the normal form"},
		},
		"CustomerID": {"UPDATE customers SET id = 5 WHERE id = ?", []any{id}, []string{
			"customer 5: the document has id 1002", "but belongs to customer 1002", "customer 1002, which does not exist",
		}},
		"NegativeHolding": {
			putCustomer, []any{changed(t, customer, "<Quantity>", "<Quantity>-"), id},
			[]string{"customer 1002: a position is below zero"},
		},
		"AccountMissing": {
			"DELETE FROM accounts WHERE id = ?", []any{account},
			[]string{"customer 1002: account 104000000 is in the document, but not in the table accounts"},
		},
		"AccountTooMany": {
			"INSERT INTO accounts (id, customer) VALUES (77, ?)", []any{id},
			[]string{"customer 1002: account 77 belongs to this customer, but is not in the document"},
		},
		"AccountOrphan": {
			"INSERT INTO accounts (id, customer) VALUES (77, 5)", nil,
			[]string{"account 77: belongs to customer 5, which does not exist"},
		},
		"AccountMoved": {"UPDATE accounts SET customer = 1003 WHERE id = ?", []any{account}, []string{
			"customer 1002: account 104000000 is in the document, but belongs to customer 1003",
			"customer 1003: account 104000000 belongs to this customer, but is not",
		}},
		"AccountTwice": {
			"INSERT INTO customers (id, doc) VALUES (5, ?)", []any{changed(t, customer, `id="1002"`, `id="5"`)},
			[]string{"customer 5: account 104000000 is in the document, but belongs to customer 1002"},
		},
		"Unfinished": {
			`INSERT INTO settings (name, value) VALUES ('loading', '"x"')`, nil, []string{"a load was not finished"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			path := tinyDatabase(t)
			execute(t, path, c.statement, c.args...)
			findings, _ := verified(t, path)
			require.NotEmpty(t, findings)
			all := strings.Join(findings, "\n")
			for _, s := range c.says {
				require.Contains(t, all, s)
			}
			require.LessOrEqual(t, len(findings), len(c.says)+1, all)
		})
	}
	for name, c := range map[string]struct {
		security int64
		damage   func(row []byte) // row begins with its id, the length of its header, and the types of id, symbol and name
		says     string
	}{
		"NoValue": {17, func(row []byte) {
			row[5] += row[4] - 13 // the bytes of the symbol become those of the name
			row[4] = 0            // NULL
		}, "NULL value in securities.symbol"},
		"Order": {499, func(row []byte) { row[1] = 0 }, "kind security after id 499"}, // the id is 384 instead of 500
	} {
		t.Run(name, func(t *testing.T) {
			path := tinyDatabase(t)
			b := readFile(t, path)
			keys, err := tpox.SecurityKeysOf(tiny.Append(nil, dataset.Security, c.security))
			require.NoError(t, err)
			c.damage(b[bytes.Index(b, []byte(keys.Symbol+keys.Name))-17:])
			writeFile(t, path, b)
			findings, _ := verified(t, path)
			all := strings.Join(findings, "\n")
			require.Contains(t, all, c.says)
			require.Contains(t, all, ": cannot be read")
		})
	}
}

// invented returns a function that fails the test for each finding.
func invented(t testing.TB) func(string) error {
	return func(f string) error { t.Errorf("invented: %s", f); return nil }
}

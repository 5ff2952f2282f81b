package dataset_test

import (
	"bytes"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/dataset"
	"brokerage/internal/testenv"
)

// Everything that a document refers to exists, in all documents of the two smallest scales.
func TestAppend_References(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	t.Run("tiny", func(t *testing.T) {
		eachProfile(t, func(t *testing.T, p dataset.Profile) { checkReferences(t, open(t, "tiny", p)) })
	})
	t.Run("XXXS", func(t *testing.T) {
		slow(t)
		eachProfile(t, func(t *testing.T, p dataset.Profile) { checkReferences(t, open(t, "XXXS", p)) })
	})
}

// reference is what a position copies from its security.
type reference struct{ name, kind string }

func checkReferences(t *testing.T, d *dataset.Dataset) {
	t.Helper()
	securities := map[string]reference{}
	each(d, dataset.Security, 0, d.Count(dataset.Security), func(_ int64, doc []byte) {
		securities[string(text(doc, "Symbol"))] = reference{string(text(doc, "Name")), string(text(doc, "SecurityType"))}
	})
	require.Len(t, securities, int(d.Count(dataset.Security)))

	accounts := map[string]bool{}
	each(d, dataset.Customer, 0, d.Count(dataset.Customer), func(_ int64, doc []byte) {
		for _, a := range accountsOf(doc) {
			id := strconv.FormatInt(a.id, 10)
			check(t, !accounts[id], "account %s twice", id)
			accounts[id] = true
			checkPositions(t, a, securities)
		}
	})
	require.Len(t, accounts, int(d.TotalAccounts()))

	each(d, dataset.Order, 0, d.Count(dataset.Order), func(i int64, doc []byte) {
		check(t, accounts[string(attr(doc, "Order", "Acct"))], "order %d: account", i)
		_, exists := securities[string(attr(doc, "Instrmt", "Sym"))]
		check(t, exists, "order %d: symbol", i)
	})
}

func checkPositions(t *testing.T, a account, securities map[string]reference) {
	t.Helper()
	held := map[string]bool{}
	for _, position := range a.positions {
		symbol := string(text(position, "Symbol"))
		got := reference{string(text(position, "Name")), string(text(position, "Type"))}
		check(t, securities[symbol] == got, "account %d: %s is %v", a.id, symbol, got)
		check(t, !held[symbol], "account %d: %s twice", a.id, symbol)
		held[symbol] = true
	}
	first := dataset.Symbol(int(a.id % int64(len(securities))))
	check(t, first == string(text(a.positions[0], "Symbol")), "account %d: first position", a.id)
	quantity := string(text(a.positions[0], "Quantity"))
	check(t, len(quantity) == len("1000.000") && quantity[4] == '.', "account %d: quantity %s", a.id, quantity)
}

// check is require.True for the innermost loops: a million calls of require.True would take longer than the code under
// test.
func check(t *testing.T, ok bool, format string, args ...any) {
	t.Helper()
	if !ok {
		t.Fatalf(format, args...)
	}
}

// account is the part of an Account element that the tests need.
type account struct {
	id        int64
	doc       []byte
	positions [][]byte
}

func accountsOf(customer []byte) []account {
	var accounts []account
	start := []byte("<Account ")
	for {
		_, after, ok := bytes.Cut(customer, start)
		if !ok {
			return accounts
		}
		var doc []byte
		doc, customer, _ = bytes.Cut(after, []byte("</Account>"))
		id, err := strconv.ParseInt(string(attr(append(start, doc...), "Account", "id")), 10, 64)
		if err != nil {
			panic(err)
		}
		accounts = append(accounts, account{id: id, doc: doc, positions: texts(doc, "Position")})
	}
}

// References are also intact in a dataset with numbers of documents that no scale has.
func TestNewOf(t *testing.T) {
	t.Parallel()
	d := dataset.NewOf(1, dataset.Counts{Securities: 30, Customers: 5, Orders: 40})
	require.EqualValues(t, 30, d.Count(dataset.Security))
	require.EqualValues(t, 5, d.Count(dataset.Customer))
	require.EqualValues(t, 40, d.Count(dataset.Order))
	require.Contains(t, d.Fingerprint(), "/30-5-40")
	checkReferences(t, d)
}

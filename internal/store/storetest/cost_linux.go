package storetest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/dataset"
	"brokerage/internal/tpox"
	"brokerage/internal/xmldoc"
)

// LinearCost's larger documents have costlyBytes, near the maximum of --max-body; smaller ones 1/costFactor of that.
const (
	costlyBytes = 960 << 10
	costFactor  = 10
)

// shape makes documents in which one thing is repeated n times.
type shape struct {
	name string
	doc  func(n int) []byte
}

// ofSize returns the shape's document of about that many bytes, or a smaller one if it would have too many nodes.
func (s shape) ofSize(t testing.TB, bytes int) []byte {
	t.Helper()
	base, each := len(s.doc(0)), float64(len(s.doc(2000))-len(s.doc(1000)))/1000
	for n := int(float64(bytes-base) / each); ; n = n * 9 / 10 {
		doc, err := xmldoc.Admit(s.doc(n), xmldoc.Limits{})
		if err == nil {
			return doc
		}
		refused, ok := errors.AsType[*xmldoc.Error](err)
		require.True(t, ok && refused.Reason == xmldoc.TooLarge, "%s: %v", s.name, err)
	}
}

// repeated returns a function that inserts each(0) to each(n-1) after the first mark in a document.
func repeated(doc []byte, mark string, each func(i int) string) func(n int) []byte {
	before, after, found := strings.Cut(string(doc), mark)
	if !found {
		panic("no " + mark)
	}
	return func(n int) []byte {
		var b strings.Builder
		b.WriteString(before + mark)
		for i := range n {
			b.WriteString(each(i))
		}
		return []byte(b.String() + after)
	}
}

func constant(text string) func(int) string { return func(int) string { return text } }

// costlyID is the id of the customers and orders to be written; account i of the customer has costlyID + 1 + i.
const costlyID = 990_000_000_000

// customerShapes returns shapes of valid documents first, then of documents that only validate=no lets in.
func customerShapes(d *dataset.Dataset) []shape {
	doc := d.AppendNewCustomer(nil, 3, dataset.NewCustomer{ID: costlyID, Accounts: []int64{costlyID + 1}})
	_, account, _ := strings.Cut(string(doc), "<Account ")
	account, _, _ = strings.Cut(account, "</Account>")
	id := strconv.FormatInt(costlyID+1, 10)
	more := func(form string) func(int) string {
		before, after, _ := strings.Cut(form, id)
		return func(i int) string { return before + strconv.FormatInt(costlyID+2+int64(i), 10) + after }
	}
	first := `id="` + id + `">`
	return []shape{
		{"ValueDates", repeated(doc, "<gValueDate>", constant(`<mValueDate><ValueDate>1999-02-04</ValueDate>`+
			`<CreditMovement>1.34</CreditMovement><ValueDatedBal>786528</ValueDatedBal></mValueDate>`))},
		{"Positions", repeated(doc, "<Holdings>",
			constant(`<Position><Symbol>Q</Symbol><Name/><Type/><Quantity>1</Quantity></Position>`))},
		{"Accounts", repeated(doc, "</Account>", more("<Account "+account+"</Account>"))},
		{"Addresses", repeated(doc, "<Addresses>", constant(`<Address primary="No" type="Home">`+
			`<gStreet><Street>1</Street></gStreet><City/><PostalCode/><State/><Country/><CityCountry/><Phones/></Address>`))},
		{"Languages", repeated(doc, "<Languages>", constant("<Language>Portuguese</Language>"))},
		{"Text", repeated(doc, "<FirstName>", constant("a&amp;b "))},

		{"EmptyValueDates", repeated(doc, "<gValueDate>", constant("<mValueDate/>"))},
		{"EmptyPositions", repeated(doc, "<Holdings>", constant("<Position/>"))},
		{"EmptyAccounts", repeated(doc, "</Account>", more(`<Account id="`+id+`"/>`))},
		{"EmptyAddresses", repeated(doc, "<Addresses>", constant("<Address/>"))},
		{"Names", repeated(doc, "</Name>", constant("<Name/>"))},
		{"Balances", repeated(doc, first, constant("<Balance><OnlineActualBal/></Balance>"))},
		{"Symbols", repeated(doc, "<Symbol>", constant("a<b/>"))},
		{"Lists", repeated(doc, "</Accounts>", constant("<Accounts/>"))},
		{"Attributes", repeated(doc, first, attributed)},
		{"Namespaces", repeated(doc, "<Name>", func(i int) string { return fmt.Sprintf(`<a xmlns="u%d"/>`, i) })},
	}
}

// attributed returns an element with the largest number of attributes that is allowed.
func attributed(int) string {
	var b strings.Builder
	b.WriteString("<a")
	for i := range xmldoc.MaxAttributes {
		fmt.Fprintf(&b, ` a%d=""`, i)
	}
	return b.String() + "/>"
}

func orderShapes(d *dataset.Dataset) []shape {
	doc := d.AppendNewOrder(nil, 7, dataset.NewOrder{ID: costlyID, Account: d.FirstAccount(0)})
	return []shape{
		{"Quantities", repeated(doc, "</Order>", constant(`<OrdQty Cash="1"/>`))},
		{"Text", repeated(doc, ` Txt="`, constant("a&amp;b "))},
		{"Orders", repeated(doc, "</Order>", constant(`<Order ID="1"/>`))},
		{"Attributes", repeated(doc, "</Order>", attributed)},
		{"Mixed", repeated(doc, "</Order>", constant(`<a/>b`))},
	}
}

func securityShapes(d *dataset.Dataset) []shape {
	doc := d.Append(nil, dataset.Security, 1)
	return []shape{
		{"Names", repeated(doc, "<Name>", constant("a<b/>"))},
		{"Prices", repeated(doc, "<Price>", constant("<Ask>1</Ask>"))},
		{"Information", repeated(doc, "<SecurityInformation>", constant("<a><Sector>Cost</Sector></a>"))},
		{"Sectors", repeated(doc, "</Sector>", constant("<Sector/>"))},
		{"Attributes", repeated(doc, "<SecurityInformation>", attributed)},
	}
}

// operation is a call of a store that writes a document of a shape, or uses the one that was written before.
type operation struct {
	name string
	do   func(doc []byte) error
}

// strict are the operations that may refuse documents written with validate=no.
var strict = []string{"open_account", "close_account", "update_order_status", "buy_security", "sell_security"}

// A costlyKind is a kind of document: its shapes, and the operations that read and write it.
type costlyKind struct {
	name     string
	validate func([]byte) error
	shapes   []shape
	// Each uses what those before it have written, and the whole list can be run again.
	operations []operation
}

func costlyKinds(ctx context.Context, s tpox.Store, d *dataset.Dataset) []costlyKind {
	const id = costlyID
	symbol, buyer := d.Symbol(1), tpox.ID(d.ID(dataset.Customer, 0))
	opened := d.AppendNewAccount(nil, 1, dataset.NewAccount{ID: id - 1})
	price := tpox.Price{LastTrade: "5.5"}
	// by adapts a call that takes a key, and no document.
	by := func(do func() error) func([]byte) error { return func([]byte) error { return do() } }
	return []costlyKind{
		{"Customer", tpox.ValidateCustomer, customerShapes(d), []operation{
			{"insert_customer", func(doc []byte) error { return errOf(s.InsertCustomer(ctx, plain(), doc, false)) }},
			{"get_customer", by(func() error { return errOf(s.GetCustomer(ctx, id)) })},
			{"get_account", by(func() error { return errOf(s.GetAccount(ctx, id+1)) })},
			{"customer_profile", by(func() error { return errOf(s.CustomerProfile(ctx, id)) })},
			{"account_summary", by(func() error { return errOf(s.AccountSummary(ctx, id)) })},
			{"customer_max_order", by(func() error { return errOf(s.CustomerMaxOrder(ctx, id)) })},
			{"open_account", by(func() error { return errOf(s.OpenAccount(ctx, plain(), id, opened)) })},
			{"buy_security", by(func() error { return errOf(s.Trade(ctx, plain(), id+1, buying(symbol, "1"))) })},
			{"sell_security", by(func() error { return errOf(s.Trade(ctx, plain(), id+1, selling(symbol, "1"))) })},
			{"close_account", by(func() error { return s.CloseAccount(ctx, plain(), id, id-1) })},
			{"replace_customer", func(doc []byte) error { return s.ReplaceCustomer(ctx, plain(), id, doc, false, nil) }},
			{"delete_customer", by(func() error { return s.DeleteCustomer(ctx, plain(), id) })},
		}},
		{"Order", tpox.ValidateOrder, orderShapes(d), []operation{
			{"insert_order", func(doc []byte) error { return errOf(s.InsertOrder(ctx, plain(), doc)) }},
			{"get_order", by(func() error { return errOf(s.GetOrder(ctx, id)) })},
			{"customer_max_order", by(func() error { return errOf(s.CustomerMaxOrder(ctx, buyer)) })},
			{"update_order_status", by(func() error { return errOf(s.UpdateOrderStatus(ctx, plain(), id, "2")) })},
			{"delete_order", by(func() error { return s.DeleteOrder(ctx, plain(), id) })},
		}},
		{"Security", tpox.ValidateSecurity, securityShapes(d), []operation{
			{"replace_security", func(doc []byte) error { return s.ReplaceSecurity(ctx, plain(), symbol, doc, false, nil) }},
			{"get_security", by(func() error { return errOf(s.GetSecurity(ctx, symbol)) })},
			{"get_security_price", by(func() error { return errOf(s.SecurityPrice(ctx, symbol)) })},
			{"update_security_price", by(func() error { return errOf(s.UpdateSecurityPrice(ctx, plain(), symbol, price)) })},
		}},
	}
}

// LinearCost requires that a call costs in proportion to the size of the document that it reads or writes: at most four
// times as much for each byte of a document that is ten times as large; a quadratic cost would be ten times as
// much. Cost is the processor time of this process and of those in processes(), so that a busy machine does not fail
// the test; the store must be loaded with d and have no other user.
func LinearCost(t *testing.T, s tpox.Store, d *dataset.Dataset, processes func() []int) {
	forShapes(t, s, d, func(t *testing.T, kind costlyKind, shape shape) {
		large := shape.ofSize(t, costlyBytes)
		valid := kind.validate(large) == nil
		compare(t, slices.DeleteFunc(slices.Clone(kind.operations), func(op operation) bool {
			return !valid && slices.Contains(strict, op.name)
		}), shape.ofSize(t, len(large)/costFactor), large, costFactor, linearSlack, processes)
	})
}

// forShapes runs a test for each shape of documents of each kind.
func forShapes(t *testing.T, s tpox.Store, d *dataset.Dataset, test func(*testing.T, costlyKind, shape)) {
	for _, kind := range costlyKinds(t.Context(), s, d) {
		for _, shape := range kind.shapes {
			t.Run(kind.name+"/"+shape.name, func(t *testing.T) { test(t, kind, shape) })
		}
	}
}

// linearSlack is how many times as much a byte of the larger document may cost.
const linearSlack = 4

// A document of largestBytes, the default of --max-body, may cost boundFactor times as much as a common one.
const (
	largestBytes = 128 << 10
	boundFactor  = 60
)

// BoundedCost requires that a call with a valid document of the largest size costs at most boundFactor times what it
// costs with a common one. Cost is counted as in LinearCost.
func BoundedCost(t *testing.T, s tpox.Store, d *dataset.Dataset, processes func() []int) {
	forShapes(t, s, d, func(t *testing.T, kind costlyKind, shape shape) {
		if large := shape.ofSize(t, largestBytes); kind.validate(large) == nil {
			compare(t, kind.operations, shape.doc(0), large, boundFactor, 1, processes)
		}
	})
}

// slight is the cost below which calls are not compared.
const slight = 5 * time.Millisecond

// compare runs the operations in turn, factor times with the small document and once with the large one, in up to 20
// rounds, until each operation's least cost with the large one is at most slight, or slack times that with the small.
func compare(
	t *testing.T, operations []operation, small, large []byte, factor int, slack int, processes func() []int,
) {
	t.Helper()
	const most = 20
	measure := func(best map[string]time.Duration, doc []byte, times int) {
		costs := make(map[string]time.Duration)
		for range times {
			for _, op := range operations {
				before := processorTime(processes())
				err := op.do(doc)
				costs[op.name] += processorTime(processes()) - before
				require.NoError(t, err, op.name)
			}
		}
		for name, cost := range costs {
			if known, ok := best[name]; cost >= 0 && (!ok || cost < known) { // below 0: a process has ended meanwhile
				best[name] = cost
			}
		}
	}
	several, one := make(map[string]time.Duration), make(map[string]time.Duration)
	for round := 1; ; round++ {
		measure(several, small, factor)
		measure(one, large, 1)
		var costly []string
		for name, cost := range one {
			if cost > max(slight, time.Duration(slack)*several[name]) {
				costly = append(costly, fmt.Sprintf("%s %v, with %d small documents %v", name, cost, factor, several[name]))
			}
		}
		if len(costly) == 0 {
			return
		}
		require.Less(t, round, most, "too costly: %q", costly)
	}
}

// processorTime returns the processor time that this process and others, which are idle at the moment, have used.
func processorTime(others []int) (sum time.Duration) {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		panic(err) // it cannot fail
	}
	sum = time.Duration(used.Utime.Nano() + used.Stime.Nano())
	for _, pid := range others {
		threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", pid)) // the pattern is valid
		for _, thread := range threads {
			b, err := os.ReadFile(thread)
			if err != nil {
				continue // the thread has ended meanwhile
			}
			text, _, _ := strings.Cut(string(b), " ")
			n, _ := strconv.ParseInt(text, 10, 64)
			sum += time.Duration(n)
		}
	}
	return sum
}

package storetest

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"math/big"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/store"
	"brokerage/internal/store/sqlite"
	"brokerage/internal/store/sqlite/sqlitetest"
	"brokerage/internal/tpox"
)

type (
	base    = tpox.Store
	Context = context.Context
	ID      = tpox.ID
	Write   = tpox.Write
	Trade   = tpox.Trade
)

// Stores that are broken on purpose, each by one plausible fault, and the cases that must fail on them. A case that
// passes with its mutant is useless.
var mutants = []struct {
	name  string
	cases string // separated by blanks
	wrap  func(base) base
}{
	{"TradeLosesUpdates", "Concurrency/Trades",
		trades(func(s *mutant, ctx Context, w Write, account ID, t Trade) ([]byte, error) {
			id, _, changed, answer, err := s.apply(ctx, account, t)
			if err != nil {
				return nil, err
			}
			return answer, s.ReplaceCustomer(ctx, w, id, changed, false, nil)
		})},
	{"TradeMovesNoShares", "Trade/BuyHeld Trade/Sell Concurrency/Readers Concurrency/Trades Model/RandomOperations",
		spoils(func(_ Trade, account ID, _, before, after string) string {
			return swap(after, before, "Holdings", account)
		})},
	{"RefusalHitsNeighbours", "Concurrency/Refusals",
		trades(func(s *mutant, ctx Context, w Write, account ID, t Trade) ([]byte, error) {
			s.mu.Lock()
			s.running++
			s.mu.Unlock()
			answer, err := s.base.Trade(ctx, w, account, t)
			s.mu.Lock()
			defer s.mu.Unlock()
			err = cmp.Or(err, s.refusal)
			if s.refusal = err; s.running == 1 {
				s.refusal = nil
			}
			s.running--
			return answer, err
		})},
	{"TradeInTwoSteps", "Concurrency/Readers",
		trades(func(s *mutant, ctx Context, w Write, account ID, t Trade) ([]byte, error) {
			s.mu.Lock()
			defer s.mu.Unlock()
			id, before, changed, answer, err := s.apply(ctx, account, t)
			if err != nil {
				return nil, err
			}
			half := swap(string(changed), string(before), "Holdings", account)
			if err := s.ReplaceCustomer(ctx, w, id, []byte(half), false, nil); err != nil {
				return nil, err
			}
			return answer, s.ReplaceCustomer(ctx, w, id, changed, false, nil)
		})},
	{"MoneyByFloats", "Trade/Rounding", spoils(func(t Trade, _ ID, security, before, after string) string {
		price, _ := strconv.ParseFloat(inner(security, "LastTrade"), 64)
		quantity, _ := strconv.ParseFloat(t.Quantity, 64)
		balance, _ := strconv.ParseFloat(inner(before, "OnlineActualBal"), 64)
		if t.Side == tpox.Buy {
			quantity = -quantity
		}
		return replace(after, "OnlineActualBal", fmt.Sprintf("%.2f", balance+quantity*price))
	})},
	{"TradeForNothing", "Trade/ForNothing",
		trades(func(s *mutant, ctx Context, w Write, account ID, t Trade) ([]byte, error) {
			answer, err := s.base.Trade(ctx, w, account, t)
			return answer, ignored[*tpox.Invalid](err)
		})},
	{"TradeInLocalTime", "Trade/BuyHeld",
		trades(func(s *mutant, ctx Context, w Write, account ID, t Trade) ([]byte, error) {
			_, offset := t.Now.Zone()
			t.Now = t.Now.Add(time.Duration(offset) * time.Second)
			return s.base.Trade(ctx, w, account, t)
		})},
	{"ConfirmsTheElement", "Trade/Attributes",
		trades(func(s *mutant, ctx Context, w Write, account ID, t Trade) ([]byte, error) {
			id, _, _, _, err := s.apply(ctx, account, t)
			if err != nil {
				return nil, err
			}
			answer, err := s.base.Trade(ctx, w, account, t)
			after, _ := s.GetCustomer(ctx, id)
			_, rest, _ := strings.Cut(string(after), "<WorkingBalance")
			attributes, _, _ := strings.Cut(rest, ">")
			return []byte(strings.Replace(string(answer), "<WorkingBalance", "<WorkingBalance"+attributes, 1)), err
		})},
	{"RoundingHalfUp", "Trade/Rounding",
		trades(func(s *mutant, ctx Context, w Write, account ID, t Trade) ([]byte, error) {
			security, _ := s.GetSecurity(ctx, t.Symbol)
			answer, err := s.base.Trade(ctx, w, account, t)
			if err != nil {
				return nil, err
			}
			amount := new(big.Rat).Mul(decimal(inner(string(security), "LastTrade")), decimal(t.Quantity))
			return []byte(replace(string(answer), "Amount", amount.FloatString(2))), nil
		})},
	{"SearchKeysStay", "ReplaceSecurity/MovesSearchKeys",
		func(s base) base { return staleKeys{s, map[string][]byte{}} }},
	{"SearchBackwards", "SearchSecurities/Order SearchSecurities/Answer", func(s base) base { return backwards{s} }},
	{"SearchTakesPEMax", "SearchSecurities/Bounds", searches(func(q *tpox.Search) { q.PEMax++ })},
	{"SearchTakesYieldMin", "SearchSecurities/Bounds", searches(func(q *tpox.Search) { q.YieldMin-- })},
	{"PageIgnoresAfter", "SearchSecurities/Pages", searches(func(q *tpox.Search) { q.After = "" })},
	{"PageTakesAfter", "SearchSecurities/Pages",
		searches(func(q *tpox.Search) { q.After = q.After[:max(0, len(q.After)-1)] })},
	{"PageTooLong", "SearchSecurities/Pages", searches(func(q *tpox.Search) { q.Limit += min(q.Limit, 1) })},
	{"AccountIsTheFirst", "GetAccount/Answer", func(s base) base { return firstAccounts{s} }},
	{"AccountOfTheCache", "GetAccount/Current Model/RandomOperations",
		func(s base) base { return &keptAccounts{base: s} }},
	{"AccountWithoutNamespaces", "GetAccount/Odd", func(s base) base { return looseAccounts{s} }},
	{"ReplacedAccountsStay", "ReplaceCustomer/MovesAccounts Model/RandomOperations",
		func(s base) base { return &stickyAccounts{base: s, byReplace: true} }},
	{"DeletedAccountsStay", "DeleteCustomer/Deletes Model/RandomOperations",
		func(s base) base { return &stickyAccounts{base: s, byDelete: true} }},
	{"CashAsText", "CustomerMaxOrder/Decimals", func(s base) base {
		return &otherMax{base: s, more: func(a, b *element) bool { return cashOf(a) > cashOf(b) }}
	}},
	{"TiesToHighestID", "CustomerMaxOrder/Ties", func(s base) base {
		return &otherMax{base: s, more: func(a, b *element) bool {
			c := decimal(cashOf(a)).Cmp(decimal(cashOf(b)))
			return c > 0 || c == 0 && idOf(a.attrs["ID"]) > idOf(b.attrs["ID"])
		}}
	}},
	{"CashByFloats", "CustomerMaxOrder/Decimals", func(s base) base {
		return &otherMax{base: s, more: func(a, b *element) bool {
			x, _ := strconv.ParseFloat(cashOf(a), 64)
			y, _ := strconv.ParseFloat(cashOf(b), 64)
			return x > y
		}}
	}},
	{"CashOfAnyQuantity", "CustomerMaxOrder/FirstQuantity", func(s base) base {
		return &otherMax{base: s, more: func(a, b *element) bool { return anyCash(a).Cmp(anyCash(b)) > 0 }}
	}},
	{"CashOfAnyOrder", "CustomerMaxOrder/FirstOrder", func(s base) base {
		return &otherMax{base: s, all: true, more: func(a, b *element) bool { return anyCash(a).Cmp(anyCash(b)) > 0 }}
	}},
	{"OrdersOfNobodyLost", "Accounts/OrderFirst",
		func(s base) base {
			return &ownedOrders{base: s, loses: func(by, _ ID) bool { return by == 0 }}
		}},
	{"OrdersStayWithOwner", "Accounts/OtherOwner", func(s base) base {
		return &ownedOrders{base: s, loses: func(by, customer ID) bool { return by > 0 && by != customer }}
	}},
	{"OrdersGoWithCustomer", "Accounts/CustomerReturns", func(s base) base {
		return &ownedOrders{base: s, loses: func(by, _ ID) bool { return by == deletedOwner }}
	}},
	{"ClosedAccountsCount", "Accounts/OrderFirst Accounts/OtherOwner Accounts/GivenAway",
		func(s base) base { return &staleAnswers{base: s, max: true} }},
	{"SummaryStays", "Accounts/OtherOwner", func(s base) base { return &staleAnswers{base: s, summary: true} }},
	{"OwnerStays", "Accounts/OtherOwner", func(s base) base { return &stickyAccounts{base: s, byClose: true} }},
	{"TradesOfFirstOwner", "Accounts/OtherOwner", firstOwners},
	{"CustomerReturnsUnchecked", "Accounts/GivenAway", func(s base) base { return &undeletes{base: s} }},
	{"OrderKeyApart", "Concurrency/OrderComesAndGoes", func(s base) base { return &keyApart{base: s} }},
	{"DeletedKeyStays", "DeleteOrder/Deletes Concurrency/OrderComesAndGoes",
		func(s base) base { return &lateKey{base: s} }},
	{"RefusalsSwallowed", "InsertOrder/Exists DeleteOrder/Missing CloseAccount/Last Concurrency/OneOrder " +
		"Concurrency/OneDelete Concurrency/LastAccount Model/RandomOperations", func(s base) base { return careless{s} }},
	{"NoKeys", "Once/DoneOnce Once/OtherRequest Once/AtOnce Once/Durable", onces(func(w *Write) { w.Once = nil })},
	{"KeysWithoutRequest", "Once/OtherRequest Once/DoneOnce", onces(func(w *Write) { w.Once.Hash = [32]byte{} })},
	{"KeysForever", "Once/Expired",
		onces(func(w *Write) { w.Once.Expires = time.Date(2200, 1, 1, 0, 0, 0, 0, time.UTC) })},
	{"KeysOfAllClients", "Once/OtherClient", onces(func(w *Write) { w.Once.Client, w.Once.Hash = "", [32]byte{} })},
	{"AnswersForgotten", "Once/DoneOnce Once/Durable", func(s base) base { return forgetful{s} }},
	{"OpenNotValidated", "OpenAccount/Invalid OpenAccount/InvalidCustomer OpenAccount/CustomerLimit",
		func(s base) base { return lax{s} }},
	{"InsertNotValidated", "InsertCustomer/Invalid", func(s base) base { return validates{s, false} }},
	{"InsertAlwaysValidated", "InsertCustomer/NotValidated", func(s base) base { return validates{s, true} }},
	{"HalfInserted", "InsertCustomer/AccountExists", func(s base) base { return halfInsert{s} }},
	{"MatchIgnored", "Match/Customer Match/Race", func(s base) base { return matchless{s} }},
	{"MatchCheckedBefore", "Match/Race", func(s base) base { return checkThenAct{s} }},
	{"LeasedTwice", "Lease/Disjoint", func(s base) base { return &doubleLease{base: s} }},
	{"LeasesInMemory", "Lease/Durable", func(s base) base { return &memoryLease{base: s, next: 700_000_000} }},
	{"HighStays", "UpdateSecurityPrice/HighAndLow UpdateSecurityPrice/Changes",
		func(s base) base { return stiffHigh{s} }},
	{"ContextIgnored", "Context/Cancelled", func(s base) base { return deaf{s} }},
	{"WrongErrorType", "GetOrder/Missing", func(s base) base { return undeclared{s} }},
}

var tinyFixture = sync.OnceValue(func() *fixture { return newFixture(nil) })

// openFresh opens a database that is loaded.
func openFresh(t *testing.T) (s base, f *fixture, path string) {
	t.Helper()
	path = sqlitetest.Tiny(t)
	return reopen(t, path), tinyFixture(), path
}

func reopen(t *testing.T, path string) base {
	t.Helper()
	s, err := sqlite.Open(context.Background(), path, store.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { _ = s.Close() }) // a case may have closed it
	return s
}

// outcome returns the failures of a case on a base.
func outcome(t *testing.T, name string, wrap func(base) base) []string {
	t.Helper()
	all := cases()
	i := slices.IndexFunc(all, func(c testCase) bool { return c.name == name })
	require.GreaterOrEqual(t, i, 0, "no case is named %s", name)
	s, f, path := openFresh(t)
	e := &env{fixture: f, s: wrap(s)}
	e.reopen = func() base {
		require.NoError(t, s.Close())
		s = reopen(t, path)
		return wrap(s)
	}
	return observe(t, func(r T) {
		e.T = r
		all[i].run(e)
	})
}

func TestMutants(t *testing.T) {
	// The failures are intended, so they are not written to files.
	require.NoError(t, flag.Set("rapid.nofailfile", "true"))
	require.NoError(t, flag.Set("rapid.shrinktime", "0s"))
	intact := map[string]bool{}
	for _, m := range mutants {
		names := strings.Fields(m.cases)
		if testing.Short() {
			names = names[:1]
		}
		for _, name := range names {
			t.Run(m.name+"/"+name, func(t *testing.T) {
				if !intact[name] {
					require.Empty(t, outcome(t, name, func(s base) base { return s }), "a base that is not broken")
					intact[name] = true
				}
				// Random operations may happen to miss the fault, but hardly five times.
				var failures []string
				for range 5 {
					if failures = outcome(t, name, m.wrap); len(failures) > 0 {
						break
					}
				}
				require.NotEmpty(t, failures, "the case lets the mutant through")
				first, _, _ := strings.Cut(failures[0], "\n")
				t.Log(first)
			})
		}
	}
}

// A recorder is a test that records failures instead of failing.
type recorder struct {
	testing.TB
	mu       sync.Mutex
	failures []string
}

// observe runs f as a separate test and returns its failures.
func observe(t *testing.T, f func(T)) []string {
	r := &recorder{TB: t}
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() {
			if p := recover(); p != nil {
				r.Errorf("panic: %v", p)
			}
		}()
		f(r)
	}()
	<-done
	return r.failures
}

func (r *recorder) Errorf(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.failures = append(r.failures, fmt.Sprintf(format, args...))
}

func (r *recorder) Error(args ...any)                 { r.Errorf("%s", fmt.Sprint(args...)) }
func (r *recorder) Fail()                             { r.Errorf("failed") }
func (r *recorder) FailNow()                          { r.Fail(); runtime.Goexit() }
func (r *recorder) Fatal(args ...any)                 { r.Error(args...); runtime.Goexit() }
func (r *recorder) Fatalf(format string, args ...any) { r.Errorf(format, args...); runtime.Goexit() }

func (r *recorder) Failed() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.failures) > 0
}

// ignored takes one type of errors for success.
func ignored[E error](err error) error {
	if tpox.Is[E](err) {
		return nil
	}
	return err
}

// A mutant trades incorrectly.
type mutant struct {
	base
	trade func(s *mutant, ctx Context, w Write, account ID, t Trade) ([]byte, error)

	mu      sync.Mutex
	running int   // trades at once
	refusal error // of one of them
}

func trades(trade func(*mutant, Context, Write, ID, Trade) ([]byte, error)) func(base) base {
	return func(s base) base { return &mutant{base: s, trade: trade} }
}

func (s *mutant) Trade(ctx Context, w Write, account ID, t Trade) ([]byte, error) {
	return s.trade(s, ctx, w, account, t)
}

// apply computes a trade outside of any transaction.
func (s *mutant) apply(ctx Context, account ID, t Trade) (id ID, before, changed, answer []byte, err error) {
	held, err := s.GetAccount(ctx, account)
	if err == nil {
		id = held.Customer
		before, err = s.GetCustomer(ctx, id)
	}
	var security []byte
	if err == nil {
		security, err = s.GetSecurity(ctx, t.Symbol)
	}
	if err == nil {
		changed, answer, err = t.Apply(tpox.DefaultRules, before, account, tpox.QuoteOf(security))
	}
	return id, before, changed, answer, err
}

// spoils runs trades properly, and then edits the document of the customer.
func spoils(edit func(t Trade, account ID, security, before, after string) string) func(base) base {
	return trades(func(s *mutant, ctx Context, w Write, account ID, t Trade) ([]byte, error) {
		s.mu.Lock()
		defer s.mu.Unlock()
		id, before, changed, answer, err := s.apply(ctx, account, t)
		if err != nil {
			return nil, err
		}
		security, _ := s.GetSecurity(ctx, t.Symbol)
		spoiled := edit(t, account, string(security), string(before), string(changed))
		return answer, s.ReplaceCustomer(ctx, w, id, []byte(spoiled), false, nil)
	})
}

// inner returns the text of the first element with the given name.
func inner(doc, name string) string {
	_, rest, _ := strings.Cut(doc, "<"+name+">")
	text, _, _ := strings.Cut(rest, "</"+name+">")
	return text
}

// replace returns a document with another text in the first element of a name.
func replace(doc, name, text string) string {
	return strings.Replace(doc, "<"+name+">"+inner(doc, name)+"<", "<"+name+">"+text+"<", 1)
}

// swap replaces an element of an account in one document by the same element of another document.
func swap(doc, from, name string, account ID) string {
	at := fmt.Sprintf(`<Account id="%d">`, account)
	head, tail, _ := strings.Cut(doc, at)
	_, old, _ := strings.Cut(from, at)
	return head + at + replace(tail, name, inner(old, name))
}

type backwards struct{ base }

func (s backwards) SearchSecurities(ctx Context, q tpox.Search) ([]byte, error) {
	answer, err := s.base.SearchSecurities(ctx, q)
	if err != nil {
		return nil, err
	}
	hits := regexp.MustCompile(`(?s)<Security>.*?</Security>`).FindAll(answer, -1)
	slices.Reverse(hits)
	return tpox.SearchAnswer(len(hits), bytes.Join(hits, nil)), nil
}

// searching searches for something else.
type searching struct {
	base
	change func(*tpox.Search)
}

func searches(change func(*tpox.Search)) func(base) base {
	return func(s base) base { return searching{s, change} }
}

func (s searching) SearchSecurities(ctx Context, q tpox.Search) ([]byte, error) {
	s.change(&q)
	return s.base.SearchSecurities(ctx, q)
}

// careless takes refusals for success.
type careless struct{ base }

func (s careless) InsertOrder(ctx Context, w Write, doc []byte) (ID, error) {
	id, err := s.base.InsertOrder(ctx, w, doc)
	return id, ignored[*tpox.Conflict](err)
}

func (s careless) DeleteOrder(ctx Context, w Write, id ID) error {
	return ignored[*tpox.NotFound](s.base.DeleteOrder(ctx, w, id))
}

func (s careless) CloseAccount(ctx Context, w Write, customer, account ID) error {
	return ignored[*tpox.Conflict](s.base.CloseAccount(ctx, w, customer, account))
}

// deaf does not notice that a client has disconnected.
type deaf struct{ base }

func (s deaf) DeleteOrder(ctx Context, w Write, id ID) error {
	return s.base.DeleteOrder(context.WithoutCancel(ctx), w, id)
}

// undeclared returns errors of another type.
type undeclared struct{ base }

func (s undeclared) GetOrder(ctx Context, id ID) ([]byte, error) {
	doc, err := s.base.GetOrder(ctx, id)
	if err != nil {
		err = errors.New(err.Error())
	}
	return doc, err
}

// staleKeys replaces documents without updating their keys.
type staleKeys struct {
	base
	docs map[string][]byte
}

func (s staleKeys) ReplaceSecurity(_ Context, _ Write, symbol string, doc []byte, _ bool, _ tpox.Match) error {
	s.docs[symbol] = doc
	return nil
}

func (s staleKeys) GetSecurity(ctx Context, symbol string) ([]byte, error) {
	if doc, ok := s.docs[symbol]; ok {
		return doc, nil
	}
	return s.base.GetSecurity(ctx, symbol)
}

// stickyAccounts does not remove accounts from their table.
type stickyAccounts struct {
	base
	byReplace, byDelete, byClose bool

	stuck sync.Map // customers by account
}

func (s *stickyAccounts) stick(ctx Context, id ID) {
	doc, _ := s.GetCustomer(ctx, id)
	keys, _ := tpox.CustomerKeysOf(doc)
	for _, account := range keys.Accounts {
		s.stuck.Store(account, id)
	}
}

func (s *stickyAccounts) ReplaceCustomer(
	ctx Context, w Write, id ID, doc []byte, validate bool, m tpox.Match,
) error {
	if s.byReplace {
		s.stick(ctx, id)
	}
	return s.base.ReplaceCustomer(ctx, w, id, doc, validate, m)
}

func (s *stickyAccounts) DeleteCustomer(ctx Context, w Write, id ID) error {
	if s.byDelete {
		s.stick(ctx, id)
	}
	return s.base.DeleteCustomer(ctx, w, id)
}

func (s *stickyAccounts) CloseAccount(ctx Context, w Write, customer, account ID) error {
	if s.byClose {
		s.stuck.Store(account, customer)
	}
	return s.base.CloseAccount(ctx, w, customer, account)
}

func (s *stickyAccounts) GetAccount(ctx Context, account ID) (tpox.Account, error) {
	found, err := s.base.GetAccount(ctx, account)
	if id, ok := s.stuck.Load(account); ok {
		found.Customer, err = id.(ID), nil
	}
	return found, err
}

// firstAccounts takes any account for the first of its customer.
type firstAccounts struct{ base }

func (s firstAccounts) GetAccount(ctx Context, account ID) (tpox.Account, error) {
	found, err := s.base.GetAccount(ctx, account)
	if err != nil {
		return found, err
	}
	doc, _ := s.GetCustomer(ctx, found.Customer)
	keys, _ := tpox.CustomerKeysOf(doc)
	return tpox.AccountOf(doc, keys.Accounts[0])
}

// keptAccounts returns each account as it was first read.
type keptAccounts struct {
	base
	kept sync.Map // by id
}

func (s *keptAccounts) GetAccount(ctx Context, account ID) (tpox.Account, error) {
	found, err := s.base.GetAccount(ctx, account)
	if err != nil {
		return found, err
	}
	kept, _ := s.kept.LoadOrStore(account, found)
	return kept.(tpox.Account), nil
}

// looseAccounts leaves the namespaces of an account to its customer.
type looseAccounts struct{ base }

func (s looseAccounts) GetAccount(ctx Context, account ID) (tpox.Account, error) {
	found, err := s.base.GetAccount(ctx, account)
	found.Document = regexp.MustCompile(` xmlns:\w+="[^"]*"`).ReplaceAll(found.Document, nil)
	return found, err
}

// otherMax compares orders wrongly when it looks for the largest.
type otherMax struct {
	base
	all    bool // not only the first order of a message
	more   func(a, b *element) bool
	orders [][]byte
}

func (s *otherMax) InsertOrder(ctx Context, w Write, doc []byte) (ID, error) {
	s.orders = append(s.orders, doc)
	return s.base.InsertOrder(ctx, w, doc)
}

func (s *otherMax) CustomerMaxOrder(ctx Context, id ID) ([]byte, error) {
	doc, err := s.GetCustomer(ctx, id)
	if err != nil {
		return nil, err
	}
	keys, _ := tpox.CustomerKeysOf(doc)
	var best *element
	var largest []byte
	for _, order := range s.orders {
		n, err := parse(order)
		if err != nil {
			return nil, err
		}
		orders := n.children("Order")
		if !s.all {
			orders = orders[:1]
		}
		for _, o := range orders {
			if slices.Contains(keys.Accounts, ID(idOf(o.attrs["Acct"]))) && (best == nil || s.more(o, best)) {
				best, largest = o, order
			}
		}
	}
	return tpox.MaxOrder(id, largest), nil
}

// ownedOrders keeps the owner that an account had when its order was inserted.
type ownedOrders struct {
	base
	loses func(by, customer ID) bool // which orders a customer loses

	owners sync.Map // by order; 0 is nobody
}

// deletedOwner is the owner of orders whose owner was deleted.
const deletedOwner = -1

func (s *ownedOrders) InsertOrder(ctx Context, w Write, doc []byte) (ID, error) {
	keys, _ := tpox.OrderKeysOf(doc)
	account, _ := s.GetAccount(ctx, keys.Account) // 0 if there is none
	s.owners.Store(keys.ID, account.Customer)
	return s.base.InsertOrder(ctx, w, doc)
}

func (s *ownedOrders) DeleteCustomer(ctx Context, w Write, id ID) error {
	s.owners.Range(func(order, owner any) bool {
		if owner == id {
			s.owners.Store(order, ID(deletedOwner))
		}
		return true
	})
	return s.base.DeleteCustomer(ctx, w, id)
}

func (s *ownedOrders) CustomerMaxOrder(ctx Context, id ID) ([]byte, error) {
	doc, err := s.base.CustomerMaxOrder(ctx, id)
	if err != nil {
		return nil, err
	}
	n, err := parse(doc)
	if err != nil || n.attrs["ORDER_ID"] == "" {
		return doc, err
	}
	if by, ok := s.owners.Load(ID(idOf(n.attrs["ORDER_ID"]))); ok && s.loses(by.(ID), id) {
		return tpox.MaxOrder(id, nil), nil
	}
	return doc, nil
}

// staleAnswers returns old answers for a customer that has closed an account.
type staleAnswers struct {
	base
	max, summary bool

	maxima, summaries sync.Map // by customer
}

func (s *staleAnswers) CloseAccount(ctx Context, w Write, customer, account ID) error {
	if doc, err := s.base.CustomerMaxOrder(ctx, customer); err == nil && s.max {
		s.maxima.Store(customer, doc)
	}
	if doc, err := s.base.AccountSummary(ctx, customer); err == nil && s.summary {
		s.summaries.Store(customer, doc)
	}
	return s.base.CloseAccount(ctx, w, customer, account)
}

func (s *staleAnswers) CustomerMaxOrder(ctx Context, id ID) ([]byte, error) {
	if doc, ok := s.maxima.Load(id); ok {
		return doc.([]byte), nil
	}
	return s.base.CustomerMaxOrder(ctx, id)
}

func (s *staleAnswers) AccountSummary(ctx Context, id ID) ([]byte, error) {
	if doc, ok := s.summaries.Load(id); ok {
		return doc.([]byte), nil
	}
	return s.base.AccountSummary(ctx, id)
}

// firstOwners finds the customer of an account in a cache that is never refreshed: trades of a later owner are lost.
func firstOwners(s base) base {
	var first sync.Map
	return trades(func(s *mutant, ctx Context, w Write, account ID, t Trade) ([]byte, error) {
		id, _, _, answer, err := s.apply(ctx, account, t)
		if owner, known := first.LoadOrStore(account, id); err != nil || known && owner != id {
			return answer, err
		}
		return s.base.Trade(ctx, w, account, t)
	})(s)
}

// undeletes lets a deleted customer be inserted again without a check of the accounts.
type undeletes struct {
	base
	deleted sync.Map // by customer
}

func (s *undeletes) DeleteCustomer(ctx Context, w Write, id ID) error {
	s.deleted.Store(id, true)
	return s.base.DeleteCustomer(ctx, w, id)
}

func (s *undeletes) InsertCustomer(ctx Context, w Write, doc []byte, validate bool) (ID, error) {
	id, err := s.base.InsertCustomer(ctx, w, doc, validate)
	if _, returns := s.deleted.Load(id); returns && isConflict(err, tpox.AccountExists) {
		err = nil
	}
	return id, err
}

// keyApart writes the list of orders and their documents one after the other.
type keyApart struct {
	base
	keys sync.Map // of the orders that were inserted
}

func (s *keyApart) InsertOrder(ctx Context, w Write, doc []byte) (ID, error) {
	keys, _ := tpox.OrderKeysOf(doc)
	if _, taken := s.keys.LoadOrStore(keys.ID, true); taken {
		return 0, tpox.DuplicateOrder(keys.ID)
	}
	_, _ = s.base.InsertOrder(ctx, w, doc)
	return keys.ID, nil
}

func (s *keyApart) DeleteOrder(ctx Context, w Write, id ID) error {
	if _, there := s.keys.LoadAndDelete(id); !there {
		return tpox.NoOrder(id)
	}
	_ = s.base.DeleteOrder(ctx, w, id)
	return nil
}

// lateKey deletes the entry of an order in the list only when the next order with its id is inserted.
type lateKey struct {
	base
	keys sync.Map
}

func (s *lateKey) DeleteOrder(ctx Context, w Write, id ID) error {
	err := s.base.DeleteOrder(ctx, w, id)
	if err == nil {
		s.keys.Store(id, true)
	}
	return err
}

func (s *lateKey) InsertOrder(ctx Context, w Write, doc []byte) (ID, error) {
	keys, _ := tpox.OrderKeysOf(doc)
	if _, there := s.keys.LoadAndDelete(keys.ID); there {
		return 0, tpox.DuplicateOrder(keys.ID)
	}
	return s.base.InsertOrder(ctx, w, doc)
}

// onces changes the idempotency keys of trades.
func onces(change func(*Write)) func(base) base {
	return trades(func(s *mutant, ctx Context, w Write, account ID, t Trade) ([]byte, error) {
		if w.Once != nil {
			once := *w.Once
			w.Once = &once
			change(&w)
		}
		return s.base.Trade(ctx, w, account, t)
	})
}

// forgetful stores keys, but not the answers.
type forgetful struct{ base }

func (s forgetful) Trade(ctx Context, w Write, account ID, t Trade) ([]byte, error) {
	before := s.state(ctx, account)
	answer, err := s.base.Trade(ctx, w, account, t)
	if err == nil && bytes.Equal(before, s.state(ctx, account)) {
		answer = []byte("<done></done>")
	}
	return answer, err
}

func (s forgetful) state(ctx Context, account ID) []byte {
	found, _ := s.GetAccount(ctx, account)
	doc, _ := s.GetCustomer(ctx, found.Customer)
	return doc
}

type lax struct{ base }

func (s lax) OpenAccount(ctx Context, w Write, customer ID, account []byte) (ID, error) {
	id, err := tpox.AccountKeyOf(account)
	if err != nil {
		return 0, err
	}
	doc, _ := s.GetCustomer(ctx, customer)
	if doc, err = tpox.OpenAccount(tpox.Rules{MaxCustomer: 1 << 30}, doc, account); err != nil {
		return 0, err
	}
	return id, s.ReplaceCustomer(ctx, w, customer, doc, false, nil)
}

// validates validates every customer or none.
type validates struct {
	base
	validate bool
}

func (s validates) InsertCustomer(ctx Context, w Write, doc []byte, _ bool) (ID, error) {
	return s.base.InsertCustomer(ctx, w, doc, s.validate)
}

// matchless ignores conditions.
type matchless struct{ base }

func (s matchless) ReplaceCustomer(ctx Context, w Write, id ID, doc []byte, validate bool, _ tpox.Match) error {
	return s.base.ReplaceCustomer(ctx, w, id, doc, validate, nil)
}

// halfInsert keeps the customer when an account is refused.
type halfInsert struct{ base }

func (s halfInsert) InsertCustomer(ctx Context, w Write, doc []byte, validate bool) (ID, error) {
	id, err := s.base.InsertCustomer(ctx, w, doc, validate)
	if isConflict(err, tpox.AccountExists) {
		_, _ = s.base.InsertCustomer(ctx, w, fmt.Appendf(nil, `<Customer xmlns=%q id="%d"></Customer>`, custacc, id), false)
	}
	return id, err
}

// checkThenAct looks at the version in a transaction before that of the write.
type checkThenAct struct{ base }

func (s checkThenAct) ReplaceCustomer(ctx Context, w Write, id ID, doc []byte, validate bool, m tpox.Match) error {
	old, err := s.GetCustomer(ctx, id)
	if err != nil {
		return err
	}
	if !m.Holds(old) {
		return &tpox.Stale{}
	}
	time.Sleep(time.Millisecond)
	return s.base.ReplaceCustomer(ctx, w, id, doc, validate, nil)
}

type doubleLease struct {
	base
	mu   sync.Mutex
	n    int
	last tpox.Range
}

func (s *doubleLease) Lease(ctx Context, kind string, count int64) (tpox.Range, error) {
	r, err := s.base.Lease(ctx, kind, count)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.n++; s.n == 2 {
		return tpox.Range{First: s.last.First, Count: count}, err
	}
	s.last = r
	return r, err
}

type memoryLease struct {
	base
	mu   sync.Mutex
	next ID
}

func (s *memoryLease) Lease(_ Context, _ string, count int64) (tpox.Range, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := tpox.Range{First: s.next, Count: count}
	s.next += ID(count)
	return r, nil
}

type stiffHigh struct{ base }

func (s stiffHigh) UpdateSecurityPrice(ctx Context, w Write, symbol string, p tpox.Price) ([]byte, error) {
	before, _ := s.GetSecurity(ctx, symbol)
	answer, err := s.base.UpdateSecurityPrice(ctx, w, symbol, p)
	if err != nil {
		return nil, err
	}
	after, _ := s.GetSecurity(ctx, symbol)
	doc := replace(string(after), "High", inner(string(before), "High"))
	return answer, s.ReplaceSecurity(ctx, w, symbol, []byte(doc), false, nil)
}

// anyCash returns the greatest cash of any OrdQty.
func anyCash(order *element) *big.Rat {
	most := new(big.Rat)
	for _, q := range order.children("OrdQty") {
		if cash := decimal(q.attrs["Cash"]); cash != nil && cash.Cmp(most) > 0 {
			most = cash
		}
	}
	return most
}

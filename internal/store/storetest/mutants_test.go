package storetest

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/brokerage"
	"brokerage/internal/store/sqlite"
)

type store = brokerage.Store

// Stores that are broken on purpose, each in one way that somebody could break one, and the cases that must notice. A
// case that lets its mutant through says nothing.
var mutants = []struct {
	name  string
	cases string // separated by blanks
	wrap  func(store) store
}{
	{"TradeLosesUpdates", "Concurrency/Trades", with(func(s *mutant) {
		s.trade = func(ctx context.Context, w brokerage.Write, account brokerage.ID, t brokerage.Trade) ([]byte, error) {
			id, _, changed, answer, err := s.apply(ctx, account, t)
			if err != nil {
				return nil, err
			}
			return answer, s.ReplaceCustomer(ctx, w, id, changed, false, nil)
		}
	})},
	{"TradeMovesNoShares", "Trade/BuyHeld Trade/Sell Concurrency/Readers Concurrency/Trades Model/RandomOperations",
		with(func(s *mutant) {
			s.trade = func(ctx context.Context, w brokerage.Write, account brokerage.ID, t brokerage.Trade) ([]byte, error) {
				return s.applyEdited(ctx, w, account, t, func(before, after string) string {
					return swap(after, before, "Holdings", account)
				})
			}
		})},
	{"RefusalHitsNeighbours", "Concurrency/Refusals", with(func(s *mutant) {
		running, refusal := 0, error(nil) // of those that run at once
		trade := s.trade
		s.trade = func(ctx context.Context, w brokerage.Write, account brokerage.ID, t brokerage.Trade) ([]byte, error) {
			s.mu.Lock()
			running++
			s.mu.Unlock()
			answer, err := trade(ctx, w, account, t)
			s.mu.Lock()
			defer s.mu.Unlock()
			err = cmp.Or(err, refusal)
			if refusal = err; running == 1 {
				refusal = nil
			}
			running--
			return answer, err
		}
	})},
	{"TradeInTwoSteps", "Concurrency/Readers", with(func(s *mutant) {
		s.trade = func(ctx context.Context, w brokerage.Write, account brokerage.ID, t brokerage.Trade) ([]byte, error) {
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
		}
	})},
	{"MoneyByFloats", "Trade/Rounding", with(func(s *mutant) {
		s.trade = func(ctx context.Context, w brokerage.Write, account brokerage.ID, t brokerage.Trade) ([]byte, error) {
			security, err := s.GetSecurity(ctx, t.Symbol)
			if err != nil {
				return nil, err
			}
			price, _ := strconv.ParseFloat(inner(string(security), "LastTrade"), 64)
			quantity, _ := strconv.ParseFloat(t.Quantity, 64)
			return s.applyEdited(ctx, w, account, t, func(before, after string) string {
				balance, _ := strconv.ParseFloat(inner(before, "OnlineActualBal"), 64)
				if t.Side == brokerage.Buy {
					quantity = -quantity
				}
				old := "<OnlineActualBal>" + inner(after, "OnlineActualBal") + "<"
				return strings.Replace(after, old, fmt.Sprintf("<OnlineActualBal>%.2f<", balance+quantity*price), 1)
			})
		}
	})},
	{"TradeInLocalTime", "Trade/BuyHeld", with(func(s *mutant) {
		s.trade = func(ctx context.Context, w brokerage.Write, account brokerage.ID, t brokerage.Trade) ([]byte, error) {
			_, offset := t.Now.Zone()
			t.Now = t.Now.Add(time.Duration(offset) * time.Second)
			return s.store.Trade(ctx, w, account, t)
		}
	})},
	{"RoundingHalfUp", "Trade/Rounding", with(func(s *mutant) {
		s.trade = func(ctx context.Context, w brokerage.Write, account brokerage.ID, t brokerage.Trade) ([]byte, error) {
			security, err := s.GetSecurity(ctx, t.Symbol)
			if err != nil {
				return nil, err
			}
			answer, err := s.store.Trade(ctx, w, account, t)
			if err != nil {
				return nil, err
			}
			amount := new(big.Rat).Mul(decimal(inner(string(security), "LastTrade")), decimal(t.Quantity))
			old := "<Amount>" + inner(string(answer), "Amount") + "<"
			return []byte(strings.Replace(string(answer), old, "<Amount>"+amount.FloatString(2)+"<", 1)), nil
		}
	})},
	{"SearchKeysStay", "ReplaceSecurity/MovesSearchKeys",
		func(s store) store { return staleKeys{s, map[string][]byte{}} }},
	{"SearchBackwards", "SearchSecurities/Order SearchSecurities/Answer", with(func(s *mutant) {
		s.search = func(ctx context.Context, q brokerage.Search) ([]byte, error) {
			answer, err := s.store.SearchSecurities(ctx, q)
			if err != nil {
				return nil, err
			}
			hits := regexp.MustCompile(`(?s)<Security>.*?</Security>`).FindAll(answer, -1)
			slices.Reverse(hits)
			return brokerage.SearchAnswer(len(hits), bytes.Join(hits, nil)), nil
		}
	})},
	{"SearchTakesPEMax", "SearchSecurities/Bounds", with(func(s *mutant) {
		s.search = func(ctx context.Context, q brokerage.Search) ([]byte, error) {
			q.PEMax++
			return s.store.SearchSecurities(ctx, q)
		}
	})},
	{"SearchTakesYieldMin", "SearchSecurities/Bounds", with(func(s *mutant) {
		s.search = func(ctx context.Context, q brokerage.Search) ([]byte, error) {
			q.YieldMin--
			return s.store.SearchSecurities(ctx, q)
		}
	})},
	{"ReplacedAccountsStay", "ReplaceCustomer/MovesAccounts Model/RandomOperations",
		func(s store) store { return &stickyAccounts{store: s, byReplace: true} }},
	{"DeletedAccountsStay", "DeleteCustomer/Deletes Model/RandomOperations",
		func(s store) store { return &stickyAccounts{store: s, byDelete: true} }},
	{"CashAsText", "CustomerMaxOrder/Decimals", func(s store) store {
		return &otherMax{store: s, more: func(a, b *element) bool { return cashOf(a) > cashOf(b) }}
	}},
	{"TiesToHighestID", "CustomerMaxOrder/Ties", func(s store) store {
		return &otherMax{store: s, more: func(a, b *element) bool {
			c := decimal(cashOf(a)).Cmp(decimal(cashOf(b)))
			return c > 0 || c == 0 && idOf(a.attrs["ID"]) > idOf(b.attrs["ID"])
		}}
	}},
	{"CashByFloats", "CustomerMaxOrder/Decimals", func(s store) store {
		return &otherMax{store: s, more: func(a, b *element) bool {
			x, _ := strconv.ParseFloat(cashOf(a), 64)
			y, _ := strconv.ParseFloat(cashOf(b), 64)
			return x > y
		}}
	}},
	{"CashOfAnyQuantity", "CustomerMaxOrder/FirstQuantity", func(s store) store {
		return &otherMax{store: s, more: func(a, b *element) bool { return anyCash(a).Cmp(anyCash(b)) > 0 }}
	}},
	{"TagsOfBytes", "Match/Moved", func(s store) store { return otherSpelling{s} }},
	{"PriceWithoutAttributes", "SecurityPrice/Odd", func(s store) store { return textOnly{s} }},
	{"SummaryWithoutAttributes", "AccountSummary/Odd", func(s store) store { return textOnly{s} }},
	{"SearchLeavesOutEmpty", "SearchSecurities/Odd", func(s store) store { return textOnly{s} }},
	{"AccountNotNamed", "InsertCustomer/AccountExists", func(s store) store { return vague{s} }},
	{"ConflictSwallowed", "InsertOrder/Exists Concurrency/OneOrder Model/RandomOperations",
		func(s store) store { return swallow{s} }},
	{"MissingDeleted", "DeleteOrder/Missing DeleteOrder/Deletes DeleteCustomer/Missing Concurrency/OneDelete " +
		"Once/RefusalsNotKept",
		func(s store) store { return eagerDelete{s} }},
	{"NoKeys", "Once/DoneOnce Once/OtherRequest Once/AtOnce Once/Durable", writes(func(w brokerage.Write) brokerage.Write {
		w.Once = nil
		return w
	})},
	{"KeysWithoutRequest", "Once/OtherRequest Once/DoneOnce", onces(func(o *brokerage.Once) { o.Hash = [32]byte{} })},
	{"KeysForever", "Once/Expired",
		onces(func(o *brokerage.Once) { o.Expires = time.Date(2200, 1, 1, 0, 0, 0, 0, time.UTC) })},
	{"KeysOfAllClients", "Once/OtherClient", onces(func(o *brokerage.Once) { o.Client = ""; o.Hash = [32]byte{} })},
	{"AnswersForgotten", "Once/DoneOnce Once/Durable", func(s store) store { return &forgetful{store: s} }},
	{"OpenNotValidated", "OpenAccount/Invalid OpenAccount/InvalidCustomer", func(s store) store { return lax{s} }},
	{"InsertNotValidated", "InsertCustomer/Invalid", func(s store) store { return fixedValidation{s, false} }},
	{"InsertAlwaysValidated", "InsertCustomer/NotValidated", func(s store) store { return fixedValidation{s, true} }},
	{"HalfInserted", "InsertCustomer/AccountExists", func(s store) store { return halfInsert{s} }},
	{"LastAccountClosed", "CloseAccount/Last Concurrency/LastAccount", func(s store) store { return closesLast{s} }},
	{"MatchIgnored", "Match/Customer Match/Security Match/Race", func(s store) store { return unconditional{s} }},
	{"MatchCheckedBefore", "Match/Race", func(s store) store { return checkThenAct{s} }},
	{"LeasedTwice", "Lease/Disjoint", func(s store) store { return &doubleLease{store: s} }},
	{"LeasesInMemory", "Lease/Durable", func(s store) store { return &memoryLease{store: s, next: 700_000_000} }},
	{"HighStays", "UpdateSecurityPrice/HighAndLow UpdateSecurityPrice/Changes",
		func(s store) store { return stiffHigh{s} }},
	{"BlanksLost", "Odd/Security GetSecurity/Answer", func(s store) store { return trimmed{s} }},
	{"OnlyBMP", "Odd/Customer", func(s store) store { return narrow{s} }},
	{"ContextIgnored", "Context/Cancelled", func(s store) store { return tireless{s} }},
	{"WrongErrorType", "GetOrder/Missing", func(s store) store { return untyped{s} }},
	{"Panics", "AccountSummary/Answer", func(s store) store { return panics{s} }},
}

var opener struct {
	sync.Once
	fixture *fixture
	loaded  []byte
}

// openFresh opens a database that is loaded, as brokerage.db in a folder.
func openFresh(t *testing.T) (s store, f *fixture, path string) {
	t.Helper()
	ctx := context.Background()
	opener.Do(func() {
		f := newFixture(nil)
		path := filepath.Join(t.TempDir(), "loaded.db")
		s, err := sqlite.Open(ctx, path, sqlite.Options{})
		require.NoError(t, err)
		require.NoError(t, s.LoadDataset(ctx, f.d, nil))
		require.NoError(t, s.Close())
		opener.loaded, err = os.ReadFile(path)
		require.NoError(t, err)
		opener.fixture = f
	})
	require.NotNil(t, opener.fixture, "the dataset could not be loaded")
	path = filepath.Join(t.TempDir(), "brokerage.db")
	require.NoError(t, os.WriteFile(path, opener.loaded, 0o600))
	return reopen(t, path), opener.fixture, path
}

func reopen(t *testing.T, path string) store {
	t.Helper()
	s, err := sqlite.Open(context.Background(), path, sqlite.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { _ = s.Close() }) // a case may have closed it
	return s
}

// outcome runs one case on a store.
func outcome(t *testing.T, name string, wrap func(store) store) (failed bool, messages string) {
	t.Helper()
	all := cases()
	i := slices.IndexFunc(all, func(c testCase) bool { return c.name == name })
	require.GreaterOrEqual(t, i, 0, "no case is named %s", name)
	s, f, path := openFresh(t)
	e := &env{fixture: f, s: wrap(s)}
	e.reopen = func() store {
		require.NoError(t, s.Close())
		s = reopen(t, path)
		return wrap(s)
	}
	return observe(t.Context(), name, func(r T) { e.run(r, all[i]) })
}

func TestMutants(t *testing.T) {
	// Their failures are of no use to anyone.
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
					failed, messages := outcome(t, name, func(s store) store { return s })
					require.False(t, failed, "the case fails on a store that is not broken: %s", messages)
					intact[name] = true
				}
				// Random operations may happen not to touch what is broken, but hardly five times.
				var failed bool
				var messages string
				for range 5 {
					if failed, messages = outcome(t, name, m.wrap); failed {
						break
					}
				}
				require.True(t, failed, "the case lets the mutant through")
				first, _, _ := strings.Cut(messages, "\n")
				t.Log(first)
			})
		}
	}
}

func TestExceptions(t *testing.T) {
	passing := testCase{name: "x", run: func(*env) {}}
	failing := testCase{name: "x", run: func(e *env) { e.Fatalf("broken") }}
	for _, c := range []struct {
		name   string
		c      testCase
		except bool
		failed bool
		says   string
	}{
		{"Passes", passing, false, false, ""},
		{"Fails", failing, false, true, "broken"},
		{"Needed", failing, true, false, "excepted: a reason"},
		{"NotNeeded", passing, true, true, "not needed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			exceptions := map[string]string{}
			if c.except {
				exceptions["x"] = "a reason"
			}
			s, f, _ := openFresh(t)
			failed, messages := observe(t.Context(), "x", func(r T) { (&env{fixture: f, s: s}).conform(r, c.c, exceptions) })
			require.Equal(t, c.failed, failed, messages)
			require.Contains(t, messages, c.says)
		})
	}
}

// mutant is a store with some transactions in another way.
type mutant struct {
	store
	trade  func(context.Context, brokerage.Write, brokerage.ID, brokerage.Trade) ([]byte, error)
	search func(context.Context, brokerage.Search) ([]byte, error)

	mu sync.Mutex
}

func with(change func(*mutant)) func(store) store {
	return func(s store) store {
		m := &mutant{store: s, trade: s.Trade, search: s.SearchSecurities}
		change(m)
		return m
	}
}

func (m *mutant) Trade(
	ctx context.Context, w brokerage.Write, account brokerage.ID, t brokerage.Trade,
) ([]byte, error) {
	return m.trade(ctx, w, account, t)
}

func (m *mutant) SearchSecurities(ctx context.Context, q brokerage.Search) ([]byte, error) {
	return m.search(ctx, q)
}

// apply computes a trade outside of any transaction.
func (m *mutant) apply(
	ctx context.Context, account brokerage.ID, t brokerage.Trade,
) (id brokerage.ID, before, changed, answer []byte, err error) {
	if id, err = m.CustomerOf(ctx, account); err != nil {
		return id, nil, nil, nil, err
	}
	if before, err = m.GetCustomer(ctx, id); err != nil {
		return id, nil, nil, nil, err
	}
	security, err := m.GetSecurity(ctx, t.Symbol)
	if err != nil {
		return id, nil, nil, nil, err
	}
	changed, answer, err = t.Apply(brokerage.DefaultRules, before, account, brokerage.QuoteOf(security))
	return id, before, changed, answer, err
}

// applyEdited trades properly, and then spoils the document.
func (m *mutant) applyEdited(
	ctx context.Context, w brokerage.Write, account brokerage.ID, t brokerage.Trade,
	edit func(before, after string) string,
) ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	id, before, changed, answer, err := m.apply(ctx, account, t)
	if err != nil {
		return nil, err
	}
	return answer, m.ReplaceCustomer(ctx, w, id, []byte(edit(string(before), string(changed))), false, nil)
}

// inner is the text of the first element of a name.
func inner(doc, name string) string {
	_, rest, _ := strings.Cut(doc, "<"+name+">")
	text, _, _ := strings.Cut(rest, "</"+name+">")
	return text
}

// swap puts an element of an account in one document in the place of its like in another.
func swap(doc, from, name string, account brokerage.ID) string {
	at := fmt.Sprintf(`<Account id="%d">`, account)
	head, tail, _ := strings.Cut(doc, at)
	_, old, _ := strings.Cut(from, at)
	return head + at + strings.Replace(tail, "<"+name+">"+inner(tail, name)+"<", "<"+name+">"+inner(old, name)+"<", 1)
}

// staleKeys replaces documents and leaves what they are found by.
type staleKeys struct {
	store
	docs map[string][]byte
}

func (s staleKeys) ReplaceSecurity(
	_ context.Context, _ brokerage.Write, symbol string, doc []byte, _ bool, _ brokerage.Match,
) error {
	s.docs[symbol] = doc
	return nil
}

func (s staleKeys) GetSecurity(ctx context.Context, symbol string) ([]byte, error) {
	if doc, ok := s.docs[symbol]; ok {
		return doc, nil
	}
	return s.store.GetSecurity(ctx, symbol)
}

// stickyAccounts forgets to take accounts out of their table.
type stickyAccounts struct {
	store
	byReplace, byDelete bool
	mu                  sync.Mutex
	stuck               map[brokerage.ID]brokerage.ID
}

func (s *stickyAccounts) stick(ctx context.Context, id brokerage.ID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stuck == nil {
		s.stuck = map[brokerage.ID]brokerage.ID{}
	}
	doc, err := s.GetCustomer(ctx, id)
	if err != nil {
		return
	}
	keys, _ := brokerage.CustomerKeysOf(doc)
	for _, a := range keys.Accounts {
		s.stuck[a] = id
	}
}

func (s *stickyAccounts) ReplaceCustomer(
	ctx context.Context, w brokerage.Write, id brokerage.ID, doc []byte, validate bool, m brokerage.Match,
) error {
	if s.byReplace {
		s.stick(ctx, id)
	}
	return s.store.ReplaceCustomer(ctx, w, id, doc, validate, m)
}

func (s *stickyAccounts) DeleteCustomer(ctx context.Context, w brokerage.Write, id brokerage.ID) error {
	if s.byDelete {
		s.stick(ctx, id)
	}
	return s.store.DeleteCustomer(ctx, w, id)
}

func (s *stickyAccounts) CustomerOf(ctx context.Context, account brokerage.ID) (brokerage.ID, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if id, ok := s.stuck[account]; ok {
		return id, nil
	}
	return s.store.CustomerOf(ctx, account)
}

// otherMax finds the largest of the orders that are inserted by another order.
type otherMax struct {
	store
	more   func(a, b *element) bool
	orders [][]byte
}

func (s *otherMax) InsertOrder(ctx context.Context, w brokerage.Write, doc []byte) (brokerage.ID, error) {
	s.orders = append(s.orders, doc)
	return s.store.InsertOrder(ctx, w, doc)
}

func (s *otherMax) CustomerMaxOrder(ctx context.Context, id brokerage.ID) ([]byte, error) {
	doc, err := s.GetCustomer(ctx, id)
	if err != nil {
		return nil, err
	}
	keys, _ := brokerage.CustomerKeysOf(doc)
	var best *element
	var largest []byte
	for _, order := range s.orders {
		n, err := parse(order)
		if err != nil {
			return nil, err
		}
		o := n.child("Order")
		if slices.Contains(keys.Accounts, brokerage.ID(idOf(o.attrs["Acct"]))) && (best == nil || s.more(o, best)) {
			best, largest = o, order
		}
	}
	return brokerage.MaxOrder(id, largest), nil
}

type swallow struct{ store }

func (s swallow) InsertOrder(ctx context.Context, w brokerage.Write, doc []byte) (brokerage.ID, error) {
	id, err := s.store.InsertOrder(ctx, w, doc)
	if conflict := (*brokerage.Conflict)(nil); errors.As(err, &conflict) {
		err = nil
	}
	return id, err
}

type eagerDelete struct{ store }

func deleted(err error) error {
	if missing := (*brokerage.NotFound)(nil); errors.As(err, &missing) {
		return nil
	}
	return err
}

func (s eagerDelete) DeleteOrder(ctx context.Context, w brokerage.Write, id brokerage.ID) error {
	return deleted(s.store.DeleteOrder(ctx, w, id))
}

func (s eagerDelete) DeleteCustomer(ctx context.Context, w brokerage.Write, id brokerage.ID) error {
	return deleted(s.store.DeleteCustomer(ctx, w, id))
}

// otherWrites changes what some writes carry.
type otherWrites struct {
	store
	change func(brokerage.Write) brokerage.Write
}

func writes(change func(brokerage.Write) brokerage.Write) func(store) store {
	return func(s store) store { return otherWrites{s, change} }
}

func onces(change func(*brokerage.Once)) func(store) store {
	return writes(func(w brokerage.Write) brokerage.Write {
		if w.Once != nil {
			o := *w.Once
			change(&o)
			w.Once = &o
		}
		return w
	})
}

func (s otherWrites) Trade(
	ctx context.Context, w brokerage.Write, account brokerage.ID, t brokerage.Trade,
) ([]byte, error) {
	return s.store.Trade(ctx, s.change(w), account, t)
}

func (s otherWrites) InsertCustomer(
	ctx context.Context, w brokerage.Write, doc []byte, validate bool,
) (brokerage.ID, error) {
	return s.store.InsertCustomer(ctx, s.change(w), doc, validate)
}

// forgetful keeps keys, but not the answers.
type forgetful struct{ store }

func (s *forgetful) Trade(
	ctx context.Context, w brokerage.Write, account brokerage.ID, t brokerage.Trade,
) ([]byte, error) {
	before, _ := s.state(ctx, account)
	answer, err := s.store.Trade(ctx, w, account, t)
	after, _ := s.state(ctx, account)
	if err == nil && bytes.Equal(before, after) {
		return []byte("<done></done>"), nil
	}
	return answer, err
}

func (s *forgetful) state(ctx context.Context, account brokerage.ID) ([]byte, error) {
	id, err := s.CustomerOf(ctx, account)
	if err != nil {
		return nil, err
	}
	return s.GetCustomer(ctx, id)
}

type lax struct{ store }

func (s lax) OpenAccount(
	ctx context.Context, w brokerage.Write, customer brokerage.ID, account []byte,
) (brokerage.ID, error) {
	id, err := brokerage.AccountKeyOf(account)
	if err != nil {
		return 0, err
	}
	doc, err := s.GetCustomer(ctx, customer)
	if err != nil {
		return 0, err
	}
	if doc, err = brokerage.OpenAccount(doc, account); err != nil {
		return 0, err
	}
	return id, s.ReplaceCustomer(ctx, w, customer, doc, false, nil)
}

type fixedValidation struct {
	store
	validate bool
}

func (s fixedValidation) InsertCustomer(
	ctx context.Context, w brokerage.Write, doc []byte, _ bool,
) (brokerage.ID, error) {
	return s.store.InsertCustomer(ctx, w, doc, s.validate)
}

// halfInsert keeps the customer where an account is refused.
type halfInsert struct{ store }

func (s halfInsert) InsertCustomer(
	ctx context.Context, w brokerage.Write, doc []byte, validate bool,
) (brokerage.ID, error) {
	id, err := s.store.InsertCustomer(ctx, w, doc, validate)
	if conflict := (*brokerage.Conflict)(nil); errors.As(err, &conflict) && conflict.Reason == brokerage.AccountExists {
		_, _ = s.store.InsertCustomer(ctx, w, fmt.Appendf(nil, `<Customer xmlns=%q id="%d"></Customer>`, custacc, id), false)
	}
	return id, err
}

type closesLast struct{ store }

func (s closesLast) CloseAccount(ctx context.Context, w brokerage.Write, customer, account brokerage.ID) error {
	err := s.store.CloseAccount(ctx, w, customer, account)
	if conflict := (*brokerage.Conflict)(nil); errors.As(err, &conflict) {
		return nil
	}
	return err
}

type unconditional struct{ store }

func (s unconditional) ReplaceCustomer(
	ctx context.Context, w brokerage.Write, id brokerage.ID, doc []byte, validate bool, _ brokerage.Match,
) error {
	return s.store.ReplaceCustomer(ctx, w, id, doc, validate, nil)
}

func (s unconditional) ReplaceSecurity(
	ctx context.Context, w brokerage.Write, symbol string, doc []byte, validate bool, _ brokerage.Match,
) error {
	return s.store.ReplaceSecurity(ctx, w, symbol, doc, validate, nil)
}

// checkThenAct looks at the version in a transaction before that of the write.
type checkThenAct struct{ store }

func (s checkThenAct) ReplaceCustomer(
	ctx context.Context, w brokerage.Write, id brokerage.ID, doc []byte, validate bool, m brokerage.Match,
) error {
	old, err := s.GetCustomer(ctx, id)
	if err != nil {
		return err
	}
	if !m.Holds(old) {
		return &brokerage.Stale{}
	}
	time.Sleep(time.Millisecond)
	return s.store.ReplaceCustomer(ctx, w, id, doc, validate, nil)
}

type doubleLease struct {
	store
	mu   sync.Mutex
	n    int
	last brokerage.Range
}

func (s *doubleLease) Lease(ctx context.Context, kind string, count int64) (brokerage.Range, error) {
	r, err := s.store.Lease(ctx, kind, count)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.n++; s.n == 2 {
		return brokerage.Range{First: s.last.First, Count: count}, err
	}
	s.last = r
	return r, err
}

type memoryLease struct {
	store
	mu   sync.Mutex
	next brokerage.ID
}

func (s *memoryLease) Lease(_ context.Context, _ string, count int64) (brokerage.Range, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := brokerage.Range{First: s.next, Count: count}
	s.next += brokerage.ID(count)
	return r, nil
}

type stiffHigh struct{ store }

func (s stiffHigh) UpdateSecurityPrice(
	ctx context.Context, w brokerage.Write, symbol string, p brokerage.Price,
) ([]byte, error) {
	before, _ := s.GetSecurity(ctx, symbol)
	answer, err := s.store.UpdateSecurityPrice(ctx, w, symbol, p)
	if err != nil {
		return nil, err
	}
	after, _ := s.GetSecurity(ctx, symbol)
	old, high := "<High>"+inner(string(after), "High")+"<", "<High>"+inner(string(before), "High")+"<"
	doc := strings.Replace(string(after), old, high, 1)
	return answer, s.ReplaceSecurity(ctx, w, symbol, []byte(doc), false, nil)
}

// trimmed loses white space between elements, in mixed content too.
type trimmed struct{ store }

func (s trimmed) GetSecurity(ctx context.Context, symbol string) ([]byte, error) {
	doc, err := s.store.GetSecurity(ctx, symbol)
	return regexp.MustCompile(`>\s+<`).ReplaceAll(doc, []byte("><")), err
}

// narrow has a column of characters of at most three bytes.
type narrow struct{ store }

func (s narrow) InsertCustomer(
	ctx context.Context, w brokerage.Write, doc []byte, validate bool,
) (brokerage.ID, error) {
	doc = []byte(strings.Map(func(r rune) rune {
		if r > 0xFFFF {
			return '?'
		}
		return r
	}, string(doc)))
	return s.store.InsertCustomer(ctx, w, doc, validate)
}

type tireless struct{ store }

func (s tireless) DeleteOrder(ctx context.Context, w brokerage.Write, id brokerage.ID) error {
	return s.store.DeleteOrder(context.WithoutCancel(ctx), w, id)
}

type untyped struct{ store }

func (s untyped) GetOrder(ctx context.Context, id brokerage.ID) ([]byte, error) {
	doc, err := s.store.GetOrder(ctx, id)
	if err != nil {
		err = errors.New(err.Error())
	}
	return doc, err
}

type panics struct{ store }

func (panics) AccountSummary(context.Context, brokerage.ID) ([]byte, error) { panic("broken") }

// anyCash is the greatest cash of whatever OrdQty.
func anyCash(order *element) *big.Rat {
	most := new(big.Rat)
	for _, q := range order.children("OrdQty") {
		if cash := decimal(q.attrs["Cash"]); cash != nil && cash.Cmp(most) > 0 {
			most = cash
		}
	}
	return most
}

// otherSpelling writes empty elements as one tag, as databases do.
type otherSpelling struct{ store }

func (s otherSpelling) GetOrder(ctx context.Context, id brokerage.ID) ([]byte, error) {
	doc, err := s.store.GetOrder(ctx, id)
	return regexp.MustCompile(`></[^>]*>`).ReplaceAll(doc, []byte("/>")), err
}

// textOnly has columns of text for what it answers with.
type textOnly struct{ store }

var attributes = regexp.MustCompile(`<(LastTrade|Name|Symbol|Quantity) [^>]*>`)

func (s textOnly) SecurityPrice(ctx context.Context, symbol string) ([]byte, error) {
	doc, err := s.store.SecurityPrice(ctx, symbol)
	return attributes.ReplaceAll(doc, []byte("<$1>")), err
}

func (s textOnly) AccountSummary(ctx context.Context, id brokerage.ID) ([]byte, error) {
	doc, err := s.store.AccountSummary(ctx, id)
	return attributes.ReplaceAll(doc, []byte("<$1>")), err
}

func (s textOnly) SearchSecurities(ctx context.Context, q brokerage.Search) ([]byte, error) {
	doc, err := s.store.SearchSecurities(ctx, q)
	return bytes.ReplaceAll(doc, []byte("<Name></Name>"), nil), err
}

// vague does not say which account it is.
type vague struct{ store }

func (s vague) InsertCustomer(ctx context.Context, w brokerage.Write, doc []byte, validate bool) (brokerage.ID, error) {
	id, err := s.store.InsertCustomer(ctx, w, doc, validate)
	if conflict := (*brokerage.Conflict)(nil); errors.As(err, &conflict) {
		err = &brokerage.Conflict{Reason: conflict.Reason, Detail: "one of the accounts exists already"}
	}
	return id, err
}

package db2

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/brokerage"
	"brokerage/internal/dataset"
)

const anOrder = `<FIXML xmlns="http://www.fixprotocol.org/FIXML-4-4"><Order ID="7" Acct="1"></Order></FIXML>`

// first returns a function that returns an error once, and then nil.
func first(err error) func() error {
	return func() error {
		defer func() { err = nil }()
		return err
	}
}

var atNoon = brokerage.Write{Now: noon}

func TestWrite(t *testing.T) {
	d := dataset.New(dataset.Spec{Seed: 1})
	customer, account := brokerage.ID(d.ID(dataset.Customer, 5)), brokerage.ID(d.FirstAccount(5))
	stored := string(d.Append(nil, dataset.Customer, 5))
	keyed := brokerage.Write{Now: noon, Once: &brokerage.Once{Expires: noon.AddDate(0, 0, 1)}}
	insert := func(s *Store) error { _, err := s.InsertOrder(t.Context(), atNoon, []byte(anOrder)); return err }
	insertCustomer := func(s *Store) error {
		_, err := s.InsertCustomer(t.Context(), atNoon, []byte(stored), true)
		return err
	}
	status := func(s *Store) error { _, err := s.UpdateOrderStatus(t.Context(), atNoon, 7, "4"); return err }
	open := func(s *Store) error {
		opened := d.AppendNewAccount(nil, 41, dataset.NewAccount{ID: 999})
		_, err := s.OpenAccount(t.Context(), atNoon, customer, opened)
		return err
	}
	closeAccount := func(s *Store) error { return s.CloseAccount(t.Context(), atNoon, customer, account) }
	remove := func(s *Store) error { return s.DeleteOrder(t.Context(), atNoon, 7) }
	removeOnce := func(s *Store) error { return s.DeleteOrder(t.Context(), keyed, 7) }
	secondInsert := map[string][]error{"insert_order": {nil, twice}}
	lockTimeout := &ServerError{Code: codeRolledBack, State: "40001", Reason: reasonLockTimeout}
	for name, c := range map[string]struct {
		do      func(*Store) error
		commit  error              // of the first commit
		fails   map[string][]error // the first uses of a statement
		changes map[string][]int64 // rows that the first uses change; 1 after that
		stored  map[string]string  // what is found
		said    string
		want    error
	}{
		"Committed":        {do: insert, said: "insert_order COMMIT"},
		"DeadlockAtCommit": {do: insert, commit: deadlock, said: "insert_order COMMIT BEGIN insert_order COMMIT"},
		"LostBefore": {
			do: status, fails: map[string][]error{"update_order_status": {lost}},
			said: "update_order_status ROLLBACK BEGIN update_order_status COMMIT",
		},
		"LostInCommit, an update": {
			do: status, commit: lost, said: "update_order_status COMMIT",
			want: &brokerage.Unavailable{Cause: lost, Unknown: true},
		},
		"LostInCommit, a delete that was done": {
			do: remove, commit: lost, changes: map[string][]int64{"delete_order": {1, 0}},
			said: "delete_order COMMIT BEGIN delete_order COMMIT",
		},
		"LostInCommit, an insert that was done": {
			do: insert, commit: lost, fails: secondInsert, stored: map[string]string{"get_whole_order": anOrder},
			said: "insert_order COMMIT BEGIN insert_order get_whole_order COMMIT",
		},
		"LostInCommit, an insert that was done, in another spelling": {
			do: insert, commit: lost, fails: secondInsert,
			stored: map[string]string{"get_whole_order": strings.Replace(anOrder, "></Order>", "/>", 1)},
			said:   "insert_order COMMIT BEGIN insert_order get_whole_order COMMIT",
		},
		"LostInCommit, an insert of another": {
			do: insert, commit: lost, fails: secondInsert,
			stored: map[string]string{"get_whole_order": strings.Replace(anOrder, `Acct="1"`, `Acct="2"`, 1)},
			said:   "insert_order COMMIT BEGIN insert_order get_whole_order ROLLBACK", want: brokerage.DuplicateOrder(7),
		},
		"LostInCommit, an insert of another that is deleted": {
			do: insert, commit: lost, fails: secondInsert,
			said: "insert_order COMMIT BEGIN insert_order get_whole_order ROLLBACK", want: brokerage.DuplicateOrder(7),
		},
		"Missing": {
			do: remove, changes: map[string][]int64{"delete_order": {0}}, said: "delete_order ROLLBACK",
			want: brokerage.NoOrder(7),
		},
		"CustomerExists": {
			do: insertCustomer, fails: map[string][]error{"insert_customer": {twice}},
			stored: map[string]string{"has_customer": "1"},
			said:   "insert_customer has_customer ROLLBACK", want: brokerage.DuplicateCustomer(customer),
		},
		"AccountExists": {
			do: insertCustomer, fails: map[string][]error{"insert_customer": {twice}},
			stored: map[string]string{"customer_of": "1"},
			said:   "insert_customer has_customer customer_of ROLLBACK", want: brokerage.DuplicateAccount(account),
		},
		"OpenedAccountExists": {
			do: open, fails: map[string][]error{"open_account": {twice}}, stored: map[string]string{"customer_of": "1"},
			said: "open_account customer_of ROLLBACK", want: brokerage.DuplicateAccount(999),
		},
		// The customer came between the two statements: what was not done is not acknowledged.
		"OpenedTooEarly": {
			do: open, changes: map[string][]int64{"open_account": {0}}, stored: map[string]string{"get_customer": stored},
			said: "open_account get_customer ROLLBACK BEGIN open_account COMMIT",
		},
		"NoCustomer": {
			do: closeAccount, changes: map[string][]int64{"close_account": {0}},
			said: "close_account get_customer ROLLBACK", want: brokerage.NoCustomer(customer),
		},
		// The client library has connected again in the middle of the transaction.
		"ClaimLost": {
			do: removeOnce, changes: map[string][]int64{"keep_answer": {0}},
			said: "get_answer claim_key delete_order keep_answer ROLLBACK " +
				"BEGIN get_answer claim_key delete_order keep_answer COMMIT",
		},
		"KeyInUse": {
			do: removeOnce, fails: map[string][]error{"claim_key": {lockTimeout}},
			said: "get_answer claim_key ROLLBACK",
			want: &brokerage.Conflict{Reason: brokerage.KeyInUse, Detail: "the same request is still running"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			uses := make(map[string]int)
			f := &fake{commit: first(c.commit), answer: func(query string, _ []driver.Value) (a answer, err error) {
				name := nameOf(query)
				use := uses[name]
				uses[name]++
				a.changed = 1
				if use < len(c.changes[name]) {
					a.changed = c.changes[name][use]
				}
				if use < len(c.fails[name]) {
					err = c.fails[name][use]
				}
				if found, is := c.stored[name]; is && strings.HasPrefix(name, "get_") {
					a = documentOf(query, found)
				} else if is {
					a.rows = [][]driver.Value{{found}}
				}
				return a, err
			}}
			require.Equal(t, c.want, c.do(openFake(t, f)))
			said, _, _ := strings.Cut(f.said(), " forget_answers")
			require.Equal(t, "BEGIN "+c.said, said)
		})
	}
}

// A cancelled request is not committed, whatever the driver returned.
func TestWrite_Deadline(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	f := &fake{answer: func(string, []driver.Value) (answer, error) { cancel(); return answer{changed: 1}, nil }}
	err := openFake(t, f).DeleteOrder(ctx, atNoon, 7)
	require.ErrorIs(t, err, context.Canceled)
	require.NotContains(t, f.said(), "COMMIT")
}

func TestWrite_Refused(t *testing.T) {
	f := &fake{answer: func(query string, _ []driver.Value) (answer, error) {
		if nameOf(query) == "get_whole_order" {
			return documentOf(query, strings.Replace(anOrder, ` Acct="1"`, ` Acct="1" Nonsense="x"`, 1)), nil
		}
		return answer{}, failure(-16196, stateInvalidDocument)
	}}
	_, err := openFake(t, f).UpdateOrderStatus(t.Context(), atNoon, 7, "4")
	var invalid *brokerage.Invalid
	require.ErrorAs(t, err, &invalid)
	require.Contains(t, invalid.Error(), "Nonsense", "the service's own validator says what is wrong")
}

// A write of several documents locks them in ascending order of their keys, each once, whatever order it names them in;
// one that a missing document refuses changes nothing.
func TestWrite_SeveralDocuments(t *testing.T) {
	for name, c := range map[string]struct {
		keys    []brokerage.ID
		missing driver.Value
		locked  []driver.Value
	}{
		"Ascending":  {keys: []brokerage.ID{9, 10}, locked: []driver.Value{"9", "10"}},
		"Descending": {keys: []brokerage.ID{10, 9}, locked: []driver.Value{"9", "10"}},
		"Same":       {keys: []brokerage.ID{9, 9}, locked: []driver.Value{"9"}},
		"Missing":    {keys: []brokerage.ID{10, 9}, missing: "10", locked: []driver.Value{"9", "10"}},
	} {
		t.Run(name, func(t *testing.T) {
			var locked []driver.Value
			f := &fake{answer: func(query string, args []driver.Value) (answer, error) {
				if nameOf(query) != "lock_customer" {
					return answer{changed: 1}, nil
				}
				locked = append(locked, args[0])
				if args[0] == c.missing {
					return answer{}, nil
				}
				return documentOf(query, fmt.Sprintf("<Customer>%s</Customer>", args[0])), nil
			}}
			s := openFake(t, f)
			_, err := s.write(t.Context(), atNoon, failUnknown, func(t *tx) ([]byte, error) {
				docs, err := lock(t, "customer", c.keys...)
				for _, key := range c.keys {
					if err == nil && docs[key] == nil {
						err = brokerage.NoCustomer(key)
					}
					if err == nil {
						_, err = t.exec("replace_customer_as_is", docs[key], key.String())
					}
				}
				return nil, err
			})
			require.Equal(t, c.locked, locked)
			end := strings.Repeat(" replace_customer_as_is", len(c.keys)) + " COMMIT"
			if c.missing != nil {
				require.Equal(t, brokerage.NoCustomer(10), err)
				end = " ROLLBACK"
			} else {
				require.NoError(t, err)
			}
			require.Equal(t, "BEGIN"+strings.Repeat(" lock_customer", len(c.locked))+end, f.said())
		})
	}
}

// With an idempotency key, its row tells the outcome of the first attempt.
func TestWrite_OnceFindsOut(t *testing.T) {
	claims := 0
	once := &brokerage.Once{Client: "c", Key: "k", Expires: noon.AddDate(0, 0, 1)}
	hash := "0000000000000000000000000000000000000000000000000000000000000000"
	f := &fake{commit: first(lost), answer: func(query string, args []driver.Value) (answer, error) {
		switch nameOf(query) {
		case "get_answer":
			if claims == 0 {
				return answer{}, nil
			}
			return answer{rows: [][]driver.Value{{[]byte(hash), once.Expires.UnixMilli()}}}, nil
		case "get_kept":
			return documentOf(query, "<Kept/>"), nil
		case "claim_key":
			claims++
			require.Equal(t, hash, args[1])
		}
		return answer{changed: 1}, nil
	}}
	got, err := openFake(t, f).UpdateOrderStatus(t.Context(), brokerage.Write{Now: noon, Once: once}, 7, "4")
	require.NoError(t, err)
	require.Equal(t, "<Kept/>", string(got))
	require.Equal(t, 1, claims)
}

func TestDomainError(t *testing.T) {
	for name, c := range map[string]struct {
		err     error
		unknown bool
		want    error
	}{
		"Invalid":       {failure(-16210, stateInvalidDocument), false, &brokerage.Invalid{}},
		"TwoRoots":      {failure(-20345, stateNoSingleRoot), false, &brokerage.Invalid{}},
		"LongKey":       {failure(codeIndexValue, "23525"), false, &brokerage.Invalid{}},
		"TooDeep":       {failure(codeTooDeep, "54058"), false, &brokerage.Invalid{}},
		"LogFull":       {failure(-964, "57011"), false, &brokerage.Unavailable{}},
		"Lost":          {lost, false, &brokerage.Unavailable{}},
		"LostInCommit":  {lost, true, &brokerage.Unavailable{}},
		"OwnFault":      {failure(-16003, "10507"), false, &brokerage.Unavailable{}},
		"NoServerError": {errors.New("x"), false, &brokerage.Unavailable{}},
	} {
		t.Run(name, func(t *testing.T) {
			got := domainError(t.Context(), c.err, c.unknown)
			require.IsType(t, c.want, got)                           //nolint:testifylint // the type is what is asked
			if unavailable, ok := got.(*brokerage.Unavailable); ok { //nolint:errorlint // it was just made
				require.Equal(t, c.unknown, unavailable.Unknown)
				require.Equal(t, c.err, unavailable.Cause)
			}
		})
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, domainError(ctx, deadlock, false), context.Canceled)
	require.NotErrorIs(t, domainError(ctx, lost, true), context.Canceled, "that it is not known goes before everything")
}

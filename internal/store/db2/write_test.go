package db2

import (
	"context"
	"database/sql/driver"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/dataset"
	"brokerage/internal/store"
	"brokerage/internal/tpox"
)

const anOrder = `<FIXML xmlns="http://www.fixprotocol.org/FIXML-4-4"><Order ID="7" Acct="1"></Order></FIXML>`

// first returns a function that returns an error once, and then nil.
func first(err error) func() error {
	return func() error {
		defer func() { err = nil }()
		return err
	}
}

// A write is retried if nothing of it was committed. An update with an unknown outcome is not, and fails as Unknown.
func TestWrite(t *testing.T) {
	insert := func(s *Store) error {
		_, err := s.InsertOrder(t.Context(), tpox.Write{Now: noon}, []byte(anOrder))
		return err
	}
	status := func(s *Store) error {
		_, err := s.UpdateOrderStatus(t.Context(), tpox.Write{Now: noon}, 7, "4")
		return err
	}
	const inserted, updated = "BEGIN insert_order COMMIT", "BEGIN update_order_status COMMIT"
	none := func() error { return nil }
	for name, c := range map[string]struct {
		run, commit func() error
		do          func(*Store) error
		said        string
		unknown     bool
	}{
		"Committed":           {none, none, insert, inserted, false},
		"LostBefore":          {first(lost), none, status, "BEGIN update_order_status ROLLBACK " + updated, false},
		"DeadlockAtCommit":    {none, first(deadlock), insert, inserted + " " + inserted, false},
		"SystemErrorAtCommit": {none, first(failure(-1229, "40504")), status, updated + " " + updated, false},
		"LostInCommit":        {none, first(lost), status, updated, true},
		"ReroutedInCommit":    {none, first(rerouted), status, updated, true},
		"UnknownCommit":       {none, first(failure(-977, stateUnknown)), status, updated, true},
		"RolledBackOrNot":     {none, first(failure(codeCommitFailed, "40504")), status, updated, true},
	} {
		t.Run(name, func(t *testing.T) {
			f := &fake{commit: c.commit, answer: func(string, []driver.Value) (answer, error) {
				return answer{changed: 1}, c.run()
			}}
			err := c.do(open(t, f))
			if c.unknown {
				var unavailable *tpox.Unavailable
				require.ErrorAs(t, err, &unavailable)
				require.True(t, unavailable.Unknown)
			} else {
				require.NoError(t, err)
			}
			require.Equal(t, c.said, f.said())
		})
	}
}

// After an unknown outcome, an insert finds its own document, or that of another transaction, and a delete finds none.
func TestWrite_FindsItself(t *testing.T) {
	for name, c := range map[string]struct {
		stored string
		done   bool
	}{
		"Own":    {anOrder, true},
		"Other":  {strings.Replace(anOrder, `Acct="1"`, `Acct="2"`, 1), false},
		"Spelt":  {strings.Replace(anOrder, "></Order>", "/>", 1), true},
		"Spaced": {strings.Replace(anOrder, "<Order", "\n  <Order", 1), true},
	} {
		t.Run(name, func(t *testing.T) {
			duplicate := []error{nil, twice}
			f := &fake{commit: first(lost), answer: func(query string, _ []driver.Value) (answer, error) {
				if nameOf(query) == "get_whole_order" {
					return documentOf(query, c.stored)
				}
				defer func() { duplicate = duplicate[1:] }()
				return answer{changed: 1}, duplicate[0]
			}}
			_, err := open(t, f).InsertOrder(t.Context(), tpox.Write{Now: noon}, []byte(anOrder))
			if c.done {
				require.NoError(t, err)
				return
			}
			var conflict *tpox.Conflict
			require.ErrorAs(t, err, &conflict)
			require.Equal(t, tpox.OrderExists, conflict.Reason)
		})
	}
	deleted := int64(2)
	f := &fake{commit: first(lost), answer: func(string, []driver.Value) (answer, error) {
		deleted--
		return answer{changed: deleted}, nil
	}}
	require.NoError(t, open(t, f).DeleteOrder(t.Context(), tpox.Write{Now: noon}, 7))
}

// If the customer is inserted just after open_account found none, another attempt opens the account.
func TestOpenAccount_CustomerAppears(t *testing.T) {
	d := dataset.New(dataset.Spec{Seed: 1})
	changed := int64(-1)
	f := &fake{answer: func(query string, _ []driver.Value) (answer, error) {
		switch nameOf(query) {
		case "get_customer":
			return documentOf(query, string(d.Append(nil, dataset.Customer, 0)))
		case "customer_size":
			return answer{rows: [][]driver.Value{{int64(6000)}}}, nil
		}
		changed++
		return answer{changed: changed}, nil
	}}
	account := d.AppendNewAccount(nil, 1, dataset.NewAccount{ID: 7})
	_, err := open(t, f).OpenAccount(t.Context(), tpox.Write{Now: noon}, 1002, account)
	require.NoError(t, err)
	require.Equal(t, "BEGIN open_account get_customer ROLLBACK BEGIN open_account customer_size COMMIT", f.said())
}

// A cancelled request is not committed, whatever the driver returned.
func TestWrite_Deadline(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	f := &fake{answer: func(string, []driver.Value) (answer, error) { cancel(); return answer{changed: 1}, nil }}
	err := open(t, f).DeleteOrder(ctx, tpox.Write{Now: noon}, 7)
	require.ErrorIs(t, err, context.Canceled)
	require.NotContains(t, f.said(), "COMMIT")
}

// IBM's client library may have replaced a broken connection silently: then what the transaction did before, including
// the claim of the key, is undone, and the rest must not be acknowledged. After a lost commit, the claim shows its
// outcome.
func TestWrite_Once(t *testing.T) {
	once := &tpox.Once{Client: "c", Key: "k", Expires: noon.AddDate(0, 0, 1)}
	kept := []int64{0, 1} // rows that keep_answer changes
	var claimed []driver.Value
	f := &fake{answer: func(query string, args []driver.Value) (answer, error) {
		switch nameOf(query) {
		case "get_answer":
			if len(kept) > 0 {
				return answer{}, nil
			}
			return answer{rows: [][]driver.Value{{claimed[1], claimed[2]}}}, nil
		case "get_kept":
			return documentOf(query, "<Kept/>")
		case "claim_key":
			claimed = slices.Clone(args)
		case "keep_answer":
			defer func() { kept = kept[1:] }()
			return answer{changed: kept[0]}, nil
		}
		return answer{changed: 1}, nil
	}}
	s := open(t, f)
	f.commit = first(lost)
	got, err := s.UpdateOrderStatus(t.Context(), tpox.Write{Now: noon, Once: once}, 7, "4")
	require.NoError(t, err)
	require.Equal(t, "<Kept/>", string(got))
	attempt := "BEGIN get_answer claim_key update_order_status keep_answer "
	require.Contains(t, f.said(), attempt+"ROLLBACK "+attempt+"COMMIT")
}

func TestDomainError(t *testing.T) {
	for _, err := range []error{failure(-16210, stateInvalidDocument), failure(-20345, stateNoSingleRoot),
		failure(codeIndexValue, "23525"), failure(codeTooDeep, "54058")} {
		require.IsType(t, &tpox.Invalid{}, domainError(t.Context(), err, false)) //nolint:testifylint // the type is asked
	}
	for _, err := range []error{failure(-964, "57011"), lost, failure(-16003, "10507"), errors.New("no server error")} {
		for _, unknown := range []bool{false, true} {
			require.Equal(t, &tpox.Unavailable{Cause: err, Unknown: unknown}, domainError(t.Context(), err, unknown))
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, domainError(ctx, deadlock, false), context.Canceled)
	require.NotErrorIs(t, domainError(ctx, lost, true), context.Canceled, "that it is not known goes before everything")
}

// After a restart of the server a request meets one of the connections that were lost with it, not each of them.
func TestRead_Restarted(t *testing.T) {
	const users = 8
	var together, all sync.WaitGroup
	together.Add(users)
	restarted, tried := false, 0
	f := &fake{}
	f.answer = func(string, []driver.Value) (_ answer, err error) {
		if !restarted {
			together.Done()
			together.Wait() // until each user has a connection
			return answer{}, nil
		}
		tried++
		f.locked(func() {
			if f.closed < users {
				err = lost
			}
		})
		return answer{}, err
	}
	s := open(t, f)
	for range users {
		all.Go(func() { _, _ = s.GetOrder(t.Context(), 7) }) // it does not exist
	}
	all.Wait()
	require.Equal(t, users, s.db.Stats().Idle)
	restarted = true
	_, err := s.GetOrder(t.Context(), 7)
	require.Equal(t, tpox.NoOrder(7), err)
	require.Equal(t, 2, tried)
}

// Statements of a workload file run in one transaction. The refusal of a statement is *store.ScriptRefused.
func TestRunScript(t *testing.T) {
	statements := []store.ScriptStatement{
		{Text: "UPDATE t SET a = ? WHERE b = ?", Args: []any{int64(7), "x"}}, {Text: "SELECT a, b FROM t"},
	}
	var refuse error
	f := &fake{answer: func(query string, args []driver.Value) (answer, error) {
		if query == statements[0].Text {
			require.Equal(t, []driver.Value{int64(7), "x"}, args)
			return answer{changed: 3}, nil
		}
		return answer{rows: [][]driver.Value{{"<a/>", int64(1)}, {"<b/>", int64(2)}}}, refuse
	}}
	s := open(t, f)
	rows, err := s.RunScript(t.Context(), false, statements)
	require.NoError(t, err)
	require.Equal(t, "BEGIN UPDATE t SET a = ? WHERE b = ? SELECT a, b FROM t COMMIT", f.said())
	require.Equal(t, []int64{3, 2}, rows)

	refuse = twice
	var refused *store.ScriptRefused
	_, err = s.RunScript(t.Context(), false, statements)
	require.ErrorAs(t, err, &refused)
	require.Equal(t, "SQLSTATE 23505", refused.Code)
	refuse = lost
	var unavailable *tpox.Unavailable
	_, err = s.RunScript(t.Context(), false, statements)
	require.ErrorAs(t, err, &unavailable)
	require.NoError(t, s.CheckScript(t.Context(), "SELECT a FROM t"))
}

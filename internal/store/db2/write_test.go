package db2

import (
	"context"
	"database/sql/driver"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

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

func changed(string, []driver.Value) (answer, error) { return answer{changed: 1}, nil }

func TestWrite(t *testing.T) {
	plain := tpox.Write{Now: noon}
	insert := func(s *Store) error { _, err := s.InsertOrder(t.Context(), plain, []byte(anOrder)); return err }
	remove := func(s *Store) error { return s.DeleteOrder(t.Context(), plain, 7) }
	status := func(s *Store) error { _, err := s.UpdateOrderStatus(t.Context(), plain, 7, "4"); return err }
	attempt := "BEGIN insert_order COMMIT"
	for name, c := range map[string]struct {
		fake    *fake
		do      func(*Store) error
		said    string
		unknown bool
	}{
		"Committed": {&fake{answer: changed}, insert, attempt, false},
		"DeadlockAtCommit": {
			&fake{answer: changed, commit: first(deadlock)}, insert, attempt + " " + attempt, false,
		},
		"SystemErrorAtCommit": {
			&fake{answer: changed, commit: first(failure(-1229, "40504"))}, status,
			"BEGIN update_order_status COMMIT BEGIN update_order_status COMMIT", false,
		},
		"StatementErrorAtCommit": {
			&fake{answer: changed, commit: first(failure(-1476, "40506"))}, status,
			"BEGIN update_order_status COMMIT BEGIN update_order_status COMMIT", false,
		},
		"LostInCommit, a delete that was done": {
			&fake{commit: first(lost), answer: func() func(string, []driver.Value) (answer, error) {
				n := int64(2)
				return func(string, []driver.Value) (answer, error) { n--; return answer{changed: n}, nil }
			}()}, remove, "BEGIN delete_order COMMIT  BEGIN delete_order COMMIT", false,
		},
		"LostInCommit, an update": {
			&fake{answer: changed, commit: first(lost)}, status, "BEGIN update_order_status COMMIT", true,
		},
		"ReroutedInCommit": {
			&fake{answer: changed, commit: first(rerouted)}, status, "BEGIN update_order_status COMMIT", true,
		},
		"UnknownCommit": {
			&fake{answer: changed, commit: first(failure(-977, stateUnknown))}, status,
			"BEGIN update_order_status COMMIT", true,
		},
		"RolledBackOrNot": {
			&fake{answer: changed, commit: first(failure(codeCommitFailed, "40504"))}, status,
			"BEGIN update_order_status COMMIT", true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := open(t, c.fake)
			err := c.do(s)
			if c.unknown {
				var unavailable *tpox.Unavailable
				require.ErrorAs(t, err, &unavailable)
				require.True(t, unavailable.Unknown)
			} else {
				require.NoError(t, err)
			}
			require.Equal(t, squeeze(c.said), squeeze(c.fake.said()))
		})
	}
}

// A connection that is lost before the commit has changed nothing: the write runs again.
func TestWrite_LostBefore(t *testing.T) {
	fail := first(lost)
	f := &fake{answer: func(query string, _ []driver.Value) (answer, error) { return answer{changed: 1}, fail() }}
	_, err := open(t, f).UpdateOrderStatus(t.Context(), tpox.Write{Now: noon}, 7, "4")
	require.NoError(t, err)
	require.Equal(t, "BEGIN update_order_status ROLLBACK BEGIN update_order_status COMMIT", squeeze(f.said()))
}

// After an unknown outcome, an insert finds its own document, or that of another transaction.
func TestWrite_InsertFindsItself(t *testing.T) {
	for name, c := range map[string]struct {
		there string
		done  bool
	}{
		"Own":    {anOrder, true},
		"Other":  {`<FIXML xmlns="http://www.fixprotocol.org/FIXML-4-4"><Order ID="7" Acct="2"></Order></FIXML>`, false},
		"Spelt":  {`<FIXML xmlns="http://www.fixprotocol.org/FIXML-4-4"><Order ID="7" Acct="1"/></FIXML>`, true},
		"Spaced": {strings.Replace(anOrder, "<Order", "\n  <Order", 1), true},
		"Absent": {"", false},
	} {
		t.Run(name, func(t *testing.T) {
			inserts := 0
			f := &fake{commit: first(lost), answer: func(query string, _ []driver.Value) (answer, error) {
				switch nameOf(query) {
				case "insert_order":
					if inserts++; inserts > 1 {
						return answer{}, twice
					}
					return answer{changed: 1}, nil
				case "get_whole_order":
					if c.there == "" {
						return answer{}, nil
					}
					return documentOf(query, c.there)
				}
				return answer{}, nil
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
}

// A cancelled request is not committed, whatever the driver returned.
func TestWrite_Deadline(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	f := &fake{answer: func(string, []driver.Value) (answer, error) { cancel(); return answer{changed: 1}, nil }}
	err := open(t, f).DeleteOrder(ctx, tpox.Write{Now: noon}, 7)
	require.ErrorIs(t, err, context.Canceled)
	require.NotContains(t, f.said(), "COMMIT")
}

func TestWrite_Refused(t *testing.T) {
	f := &fake{answer: func(query string, _ []driver.Value) (answer, error) {
		if nameOf(query) == "get_whole_order" {
			return documentOf(query, strings.Replace(anOrder, ` Acct="1"`, ` Acct="1" Nonsense="x"`, 1))
		}
		return answer{}, failure(-16196, stateInvalidDocument)
	}}
	_, err := open(t, f).UpdateOrderStatus(t.Context(), tpox.Write{Now: noon}, 7, "4")
	var invalid *tpox.Invalid
	require.ErrorAs(t, err, &invalid)
	require.Contains(t, invalid.Error(), "Nonsense", "the service's own validator says what is wrong")
}

// With an idempotency key, its row shows the outcome of the first attempt.
func TestWrite_OnceFindsOut(t *testing.T) {
	claims := 0
	once := &tpox.Once{Client: "c", Key: "k", Expires: noon.AddDate(0, 0, 1)}
	hash := "0000000000000000000000000000000000000000000000000000000000000000"
	f := &fake{commit: first(lost), answer: func(query string, args []driver.Value) (answer, error) {
		switch nameOf(query) {
		case "get_answer":
			if claims == 0 {
				return answer{}, nil
			}
			return answer{rows: [][]driver.Value{{[]byte(hash), once.Expires.UnixMilli()}}}, nil
		case "get_kept":
			return documentOf(query, "<Kept/>")
		case "claim_key":
			claims++
			require.Equal(t, hash, args[1])
		}
		return answer{changed: 1}, nil
	}}
	got, err := open(t, f).UpdateOrderStatus(t.Context(), tpox.Write{Now: noon, Once: once}, 7, "4")
	require.NoError(t, err)
	require.Equal(t, "<Kept/>", string(got))
	require.Equal(t, 1, claims)
}

// IBM's client library may have replaced a broken connection silently: then everything before in the transaction,
// including the claim of the key, is undone, and the rest must not be acknowledged.
func TestWrite_LostClaim(t *testing.T) {
	kept := 0
	f := &fake{answer: func(query string, _ []driver.Value) (answer, error) {
		switch nameOf(query) {
		case "get_answer":
			return answer{}, nil
		case "keep_answer":
			if kept++; kept == 1 {
				return answer{}, nil // no row
			}
		}
		return answer{changed: 1}, nil
	}}
	w := tpox.Write{Now: noon, Once: &tpox.Once{Expires: noon.AddDate(0, 0, 1)}}
	require.NoError(t, open(t, f).DeleteOrder(t.Context(), w, 7))
	attempt := "BEGIN get_answer claim_key delete_order keep_answer"
	require.Contains(t, f.said(), attempt+" ROLLBACK "+attempt+" COMMIT")
}

func TestWrite_KeyInUse(t *testing.T) {
	waited := &ServerError{Code: codeRolledBack, State: "40001", Reason: reasonLockTimeout}
	f := &fake{answer: func(query string, _ []driver.Value) (answer, error) {
		if nameOf(query) == "claim_key" {
			return answer{}, waited
		}
		return answer{}, nil
	}}
	w := tpox.Write{Now: noon, Once: &tpox.Once{Expires: noon.AddDate(0, 0, 1)}}
	err := open(t, f).DeleteOrder(t.Context(), w, 7)
	var conflict *tpox.Conflict
	require.ErrorAs(t, err, &conflict)
	require.Equal(t, tpox.KeyInUse, conflict.Reason)
}

func TestDomainError(t *testing.T) {
	for name, c := range map[string]struct {
		err     error
		unknown bool
		want    error
	}{
		"Invalid":       {failure(-16210, stateInvalidDocument), false, &tpox.Invalid{}},
		"TwoRoots":      {failure(-20345, stateNoSingleRoot), false, &tpox.Invalid{}},
		"LongKey":       {failure(codeIndexValue, "23525"), false, &tpox.Invalid{}},
		"TooDeep":       {failure(codeTooDeep, "54058"), false, &tpox.Invalid{}},
		"LogFull":       {failure(-964, "57011"), false, &tpox.Unavailable{}},
		"Lost":          {lost, false, &tpox.Unavailable{}},
		"LostInCommit":  {lost, true, &tpox.Unavailable{}},
		"OwnFault":      {failure(-16003, "10507"), false, &tpox.Unavailable{}},
		"NoServerError": {errors.New("x"), false, &tpox.Unavailable{}},
	} {
		t.Run(name, func(t *testing.T) {
			got := domainError(t.Context(), c.err, c.unknown)
			require.IsType(t, c.want, got)                      //nolint:testifylint // the type is what is asked
			if unavailable, ok := got.(*tpox.Unavailable); ok { //nolint:errorlint // it was just made
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

func squeeze(s string) string { return strings.Join(strings.Fields(s), " ") }

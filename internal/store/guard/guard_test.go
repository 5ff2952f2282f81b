package guard_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/store/guard"
	"brokerage/internal/tpox"
)

// contract lists each method with its name and the kinds of errors that the comments in internal/tpox declare,
// beside those of all methods.
var contract = []struct{ method, name, kinds string }{
	{"GetOrder", "get_order", "NotFound"},
	{"GetSecurity", "get_security", "NotFound"},
	{"CustomerProfile", "customer_profile", "NotFound"},
	{"SearchSecurities", "search_securities", ""},
	{"AccountSummary", "account_summary", "NotFound"},
	{"SecurityPrice", "get_security_price", "NotFound"},
	{"CustomerMaxOrder", "customer_max_order", "NotFound"},
	{"CloseAccount", "close_account", "NotFound Conflict KeyReused KeyInUse"},
	{"OpenAccount", "open_account", "NotFound Conflict Invalid KeyReused KeyInUse"},
	{"UpdateSecurityPrice", "update_security_price", "NotFound Invalid KeyReused KeyInUse"},
	{"UpdateOrderStatus", "update_order_status", "NotFound Invalid KeyReused KeyInUse"},
	{"Trade Buy", "buy_security", "NotFound Conflict Invalid KeyReused KeyInUse"},
	{"Trade Sell", "sell_security", "NotFound Conflict Invalid KeyReused KeyInUse"},
	{"InsertOrder", "insert_order", "Conflict Invalid KeyReused KeyInUse"},
	{"InsertCustomer", "insert_customer", "Conflict Invalid KeyReused KeyInUse"},
	{"DeleteOrder", "delete_order", "NotFound KeyReused KeyInUse"},
	{"DeleteCustomer", "delete_customer", "NotFound KeyReused KeyInUse"},

	{"GetCustomer", "get_customer", "NotFound"},
	{"GetAccount", "get_account", "NotFound"},
	{"ReplaceCustomer", "replace_customer", "NotFound Conflict Invalid Stale KeyReused KeyInUse"},
	{"ReplaceSecurity", "replace_security", "NotFound Invalid Stale KeyReused KeyInUse"},
	{"Contents", "contents", ""},
	{"Lease", "lease", "NotFound Conflict Invalid"},
	{"Ready", "ready", ""},
}

// kinds are errors of every kind, some of them wrapped, and of none.
var kinds = map[string]error{
	"NotFound":    &tpox.NotFound{What: "order", Key: "1"},
	"Conflict":    &tpox.Conflict{Reason: tpox.OrderExists},
	"Invalid":     fmt.Errorf("wrapped: %w", &tpox.Invalid{Findings: []tpox.Finding{{Message: "wrong"}}}),
	"Stale":       &tpox.Stale{},
	"KeyReused":   &tpox.KeyReused{Key: "k"},
	"KeyInUse":    &tpox.Conflict{Reason: tpox.KeyInUse},
	"Unavailable": &tpox.Unavailable{Cause: errors.New("disk full")},
	"Damaged":     &tpox.Damaged{Cause: &tpox.NotFound{What: "page", Key: "7"}},
	"Cancelled":   context.Canceled,
	"Late":        fmt.Errorf("wrapped: %w", context.DeadlineExceeded),
	"Driver":      errors.New("driver: secret"),
}

var always = []string{"Unavailable", "Damaged", "Cancelled", "Late"}

// call calls a method of s by its name, with arguments that differ from each other, and returns the call as a text, the
// answer and the error. "Trade Sell" is Trade with a side.
func call(ctx context.Context, s tpox.Store, method string) (got string, answer any, err error) {
	method, side, _ := strings.Cut(method, " ")
	f := reflect.ValueOf(s).MethodByName(method)
	var in []reflect.Value
	var shown []any
	for i := range f.Type().NumIn() {
		var arg any
		switch f.Type().In(i) {
		case reflect.TypeFor[context.Context]():
			in = append(in, reflect.ValueOf(ctx))
			continue
		case reflect.TypeFor[tpox.ID]():
			arg = tpox.ID(100 + i)
		case reflect.TypeFor[int64]():
			arg = int64(200 + i)
		case reflect.TypeFor[string]():
			arg = fmt.Sprint("text ", i)
		case reflect.TypeFor[[]byte]():
			arg = fmt.Append(nil, "document ", i)
		case reflect.TypeFor[bool]():
			arg = true
		case reflect.TypeFor[tpox.Match]():
			arg = tpox.Match{"tag"}
		case reflect.TypeFor[tpox.Write]():
			arg = tpox.Write{Now: time.Unix(5, 0)}
		case reflect.TypeFor[tpox.Trade]():
			arg = tpox.Trade{Side: tpox.Side(side), Symbol: "A"}
		case reflect.TypeFor[tpox.Price]():
			arg = tpox.Price{LastTrade: "5"}
		case reflect.TypeFor[tpox.Search]():
			arg = tpox.Search{Sector: "Energy"}
		default:
			panic(fmt.Sprint("an argument of type ", f.Type().In(i)))
		}
		in, shown = append(in, reflect.ValueOf(arg)), append(shown, arg)
	}
	out := f.Call(in)
	err, _ = reflect.TypeAssert[error](out[len(out)-1])
	if len(out) == 2 {
		answer = out[0].Interface()
	}
	return fmt.Sprintf("%s %+v", method, shown), answer, err
}

func TestContract_Complete(t *testing.T) {
	methods := map[string]bool{"Close": true, "Describe": true} // these do not call the database
	names := map[string]bool{}
	for _, c := range contract {
		method, _, _ := strings.Cut(c.method, " ")
		methods[method] = true
		require.False(t, names[c.name], c.name)
		names[c.name] = true
	}
	for m := range reflect.TypeFor[tpox.Store]().Methods() {
		require.True(t, methods[m.Name], m.Name)
	}
	for _, transaction := range tpox.Transactions {
		require.True(t, names[transaction.Name], transaction.Name)
	}
}

// Each method calls the method of the same name with its own arguments, and returns its results.
func TestStore_Forwards(t *testing.T) {
	for _, c := range contract {
		t.Run(c.name, func(t *testing.T) {
			inner := stubOf(nil)
			s := guard.New(inner, guard.Options{Strict: true})
			wanted, want, err := call(t.Context(), inner, c.method)
			require.NoError(t, err)
			inner.call = ""
			_, got, err := call(t.Context(), s, c.method)
			require.NoError(t, err)
			require.Equal(t, wanted, inner.call)
			require.Equal(t, want, got)
			require.Equal(t, t.Context(), inner.ctx)
		})
	}
}

func TestStore_Errors(t *testing.T) {
	for _, c := range contract {
		for kind, cause := range kinds {
			t.Run(c.name+"/"+kind, func(t *testing.T) {
				_, answer, err := call(t.Context(), guard.New(stubOf(cause), guard.Options{}), c.method)
				if answer != nil {
					require.Zero(t, answer, "an answer beside an error")
				}
				strict := guard.New(stubOf(cause), guard.Options{Strict: true})
				if slices.Contains(always, kind) || slices.Contains(strings.Fields(c.kinds), kind) {
					require.Equal(t, cause, err)
					_, _, err = call(t.Context(), strict, c.method)
					require.Equal(t, cause, err)
					return
				}
				unavailable, ok := errors.AsType[*tpox.Unavailable](err)
				require.True(t, ok, "%v", err)
				require.Equal(t, &guard.Undeclared{Operation: c.name, Err: cause}, unavailable.Cause)
				require.NotErrorIs(t, err, cause, "errors.Is would find the undeclared kind")
				require.Equal(t, writes(c.method), unavailable.Unknown)
				require.PanicsWithError(t, unavailable.Cause.Error(), func() { _, _, _ = call(t.Context(), strict, c.method) })
			})
		}
	}
}

// writes reports whether a method changes something: it takes a Write, or leases ids.
func writes(method string) bool {
	method, _, _ = strings.Cut(method, " ")
	m, _ := reflect.TypeFor[tpox.Store]().MethodByName(method)
	return method == "Lease" || m.Type.NumIn() > 1 && m.Type.In(1) == reflect.TypeFor[tpox.Write]()
}

func TestUndeclared_Error(t *testing.T) {
	_, err := guard.New(stubOf(kinds["Conflict"]), guard.Options{}).GetOrder(t.Context(), 5)
	require.ErrorContains(t, err, "get_order")
	require.ErrorContains(t, err, "*tpox.Conflict")
}

func TestStore_Timeout(t *testing.T) {
	bounded, cancel := context.WithTimeout(t.Context(), time.Hour)
	defer cancel()
	for _, c := range contract {
		t.Run(c.name, func(t *testing.T) {
			inner := stubOf(nil)
			s := guard.New(inner, guard.Options{Timeout: time.Minute, Strict: true})
			_, _, err := call(t.Context(), s, c.method)
			require.NoError(t, err)
			deadline, ok := inner.ctx.Deadline()
			require.True(t, ok)
			require.WithinDuration(t, time.Now().Add(time.Minute), deadline, 30*time.Second)
			require.ErrorIs(t, inner.ctx.Err(), context.Canceled, "the timer is not stopped")

			_, _, err = call(bounded, s, c.method)
			require.NoError(t, err)
			require.Equal(t, bounded, inner.ctx)
		})
	}
}

// late is a store that answers after the deadline.
type late struct{ stub }

func (*late) GetOrder(ctx context.Context, _ tpox.ID) ([]byte, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

func TestStore_TimeoutEnds(t *testing.T) {
	_, err := guard.New(&late{}, guard.Options{Timeout: time.Millisecond, Strict: true}).GetOrder(t.Context(), 5)
	require.ErrorIs(t, err, context.DeadlineExceeded)
}

// closing is a store whose Close fails.
type closing struct {
	*stub
	err error
}

func (c closing) Close() error { return c.err }

func TestStore_Close(t *testing.T) {
	inner := closing{err: errors.New("inner")}
	require.Equal(t, inner.err, guard.New(inner, guard.Options{Strict: true}).Close())
}

// A write that the store knows to be rolled back has no unknown outcome.
func TestContract_RolledBack(t *testing.T) {
	for _, c := range contract {
		cause := &tpox.RolledBack{Err: errors.New("a panic")}
		_, _, err := call(t.Context(), guard.New(stubOf(cause), guard.Options{}), c.method)
		unavailable, ok := errors.AsType[*tpox.Unavailable](err)
		require.True(t, ok, "%v", err)
		require.Equal(t, &guard.Undeclared{Operation: c.name, Err: cause}, unavailable.Cause)
		require.False(t, unavailable.Unknown)
	}
}

// Until a store is open, each method returns *Unavailable; then the guard is the same as one of New.
func TestStore_Later(t *testing.T) {
	for _, c := range contract {
		t.Run(c.name, func(t *testing.T) {
			cause := errors.New("nobody listens")
			s := guard.Later(guard.Options{Strict: true}, errors.New("first"))
			s.Absent(cause)
			_, answer, err := call(t.Context(), s, c.method)
			var unavailable *tpox.Unavailable
			require.ErrorAs(t, err, &unavailable)
			require.Equal(t, cause, unavailable.Cause)
			require.False(t, unavailable.Unknown)
			require.Empty(t, answer)

			inner := stubOf(nil)
			s.Open(inner)
			_, _, err = call(t.Context(), s, c.method)
			require.NoError(t, err)
			require.NotEmpty(t, inner.call)
		})
	}
	s := guard.Later(guard.Options{}, errors.New("nobody listens"))
	require.Zero(t, s.Describe())
	require.NoError(t, s.Close())
}

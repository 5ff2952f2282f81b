package db2

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// bare returns a pool over the fake, without the store around it.
func bare(t *testing.T, f *fake) *sql.DB {
	t.Helper()
	db := sql.OpenDB(connector{Connector: f})
	db.SetMaxOpenConns(1)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	return db
}

// No context reaches the driver (the fake would panic), and no []byte, which the driver would store as garbage.
func TestDriver_Binds(t *testing.T) {
	var got []driver.Value
	f := &fake{answer: func(_ string, args []driver.Value) (answer, error) { got = args; return answer{}, nil }}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	_, err := bare(t, f).ExecContext(ctx, "? ? ? ?", []byte("text"), 7, 1.5, nil)
	require.NoError(t, err)
	require.Equal(t, []driver.Value{"text", int64(7), 1.5, nil}, got)
}

// Each new connection runs the session's statement first, and is closed if that fails.
func TestDriver_Session(t *testing.T) {
	session := Options{LockTimeout: 3 * time.Second}.session()
	require.Equal(t, "SET CURRENT LOCK TIMEOUT = 3", session)
	fails := first(failure(-104, "42601"))
	f := &fake{answer: func(string, []driver.Value) (answer, error) { return answer{}, fails() }}
	db := sql.OpenDB(connector{Connector: f, session: session})
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	require.Error(t, db.PingContext(t.Context()))
	require.Equal(t, 1, f.closed)
	_, err := db.ExecContext(t.Context(), "UPDATE t")
	require.NoError(t, err)
	require.Equal(t, session+" "+session+" UPDATE t", f.said())
}

// A statement that failed is prepared again: it may be half bound.
func TestDriver_PreparesOnce(t *testing.T) {
	var fails error
	f := &fake{answer: func(string, []driver.Value) (answer, error) { return answer{}, fails }}
	db := bare(t, f)
	for _, step := range []struct {
		fails    error
		prepared int
	}{{nil, 1}, {nil, 1}, {failure(-407, "23502"), 1}, {nil, 2}} {
		fails = step.fails
		_, err := db.ExecContext(t.Context(), "UPDATE t")
		require.Equal(t, step.fails, err)
		require.Equal(t, step.prepared, f.prepared)
	}
	require.Equal(t, 1, f.connections)
}

// After a failed commit the connection is closed: the driver leaves it in autocommit-off mode.
func TestDriver_FailedCommit(t *testing.T) {
	f := &fake{commit: func() error { return failure(-911, "40001") }}
	db := bare(t, f)
	for range 2 {
		tx, err := db.BeginTx(t.Context(), nil)
		require.NoError(t, err)
		require.Error(t, tx.Commit())
	}
	require.Equal(t, 2, f.closed)
}

// A lost connection does not return to the pool. A write runs once, also after ErrBadConn, for which database/sql would
// run it again.
func TestDriver_LostConnection(t *testing.T) {
	for name, err := range map[string]error{
		"Communication": lost, "Forced": failure(codeForced, "55032"), "CLI": driver.ErrBadConn,
		"Rerouted": rerouted, "Unknown": failure(-977, stateUnknown),
	} {
		t.Run(name, func(t *testing.T) {
			f := &fake{answer: func(string, []driver.Value) (answer, error) { return answer{}, err }}
			_, failed := bare(t, f).ExecContext(t.Context(), "UPDATE t")
			require.True(t, isLost(failed), "%v", failed)
			require.Equal(t, 1, f.closed)
			require.Equal(t, "UPDATE t", f.said())
		})
	}
}

// Code, state and reason are in the message of Db2's own diagnostic, in any language.
func TestServerError(t *testing.T) {
	const ibm = "[IBM][CLI Driver][DB2/LINUXX8664] "
	cut := Diagnostic{-99999, "01004", "[IBM][CLI Driver] CLI0002W  Data truncated. SQLSTATE=01004"}
	for _, c := range []struct {
		diagnostics []Diagnostic
		want        ServerError
	}{
		{[]Diagnostic{{-204, "42S02", ibm + `SQL0204N  "TPOX.NONE" is an undefined name.  SQLSTATE=42704`}},
			ServerError{Code: -204, State: "42704"}},
		{[]Diagnostic{{-911, "40001", ibm + "SQL0911N  … rückgängig gemacht.  Ursachencode: \"68\".  SQLSTATE=40001\n"}},
			ServerError{Code: -911, State: "40001", Reason: 68}},
		{[]Diagnostic{{0, "HY000", "[IBM][CLI Driver] SQL30081N  A communication error.  SQLSTATE=08001"}},
			ServerError{Code: -30081, State: "08001"}},
		{[]Diagnostic{cut, {-803, "23505", ibm + "SQL0803N  One or more values  SQLSTATE=23505"}},
			ServerError{Code: -803, State: "23505"}},
		{[]Diagnostic{cut}, ServerError{Code: -99999, State: "01004"}},
	} {
		got := serverError(c.diagnostics)
		got.Message = ""
		require.Equal(t, c.want, *got)
	}
	other := errors.New("no error of the server")
	require.Equal(t, other, diagnosed(other))
}
